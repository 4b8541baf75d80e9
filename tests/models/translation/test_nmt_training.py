import dataclasses
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
import torch
from commands import ok, paranmt
from object_store import object_store

from paranmt.base.checksums import CHECKSUMS, is_intact
from paranmt.base.errors import InputError, RecipeError
from paranmt.models.translation import engines
from paranmt.models.translation.fairseq_files import read_checkpoint
from paranmt.models.translation.nmt_options import CHECKPOINTS, NmtOptions
from paranmt.models.translation.nmt_text import prepare_text
from paranmt.models.translation.nmt_training import (
    NmtProgress,
    NmtResult,
    _identity,
    _restore,
    clear_checkpoints,
    train_nmt,
)
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.tokens.definition import normalise
from paranmt.transforms.storage import checkpoints
from paranmt.transforms.storage.workspace import TEMPORARY, Workspace

NOUNS = {"pes": "dog", "muž": "man", "kůň": "horse", "sýr": "cheese", "dům": "house", "vůz": "car"}
VERBS = {"vidí": "sees", "má": "has", "hledá": "looks for", "najde": "finds"}
TIMES = {"dnes": "today", "zítra": "tomorrow", "v noci": "at night", "ráno": "in the morning"}


def pairs(count: int, seed: int = 1) -> list[tuple[str, str]]:
    choose = random.Random(seed)
    found = []
    for _ in range(count):
        who, what = choose.choice(list(NOUNS)), choose.choice(list(NOUNS))
        does, when = choose.choice(list(VERBS)), choose.choice(list(TIMES))
        number = choose.randrange(1000)
        source = f"{who.capitalize()} {does} {what} {number} {when}."
        found.append((source, f"The {NOUNS[who]} {VERBS[does]} the {NOUNS[what]} {number} {TIMES[when]}."))
    return found


OPTIONS = NmtOptions(
    preset="tiny",
    source_language="cs",
    vocabulary=150,
    epochs=4,
    max_updates=8,
    batch_tokens=2_000,
    dev_pairs=12,
    threads=1,
    device="cpu",
)


def read(folder: Path, name: str) -> list[tuple[str, str]]:
    sides = [
        (folder / f"{name}.{side}").read_text(encoding="utf-8").split("\n")[:-1]
        for side in ("source", "reference")
    ]
    return list(zip(*sides, strict=True))


def test_text(tmp_path: Path) -> None:
    given = pairs(200)
    dirty = [("", "no source"), ("no reference", " \t"), ("x " * 2000, "long"), (" a\u2028b\tc ", "d\ne")]
    text = prepare_text([*given, *dirty], tmp_path, vocabulary=150, dev_pairs=15, seed=1)
    train, dev = read(tmp_path, "train"), read(tmp_path, "dev")
    assert text.dev() == dev
    assert sorted([*train, *dev]) == sorted([*given, ("x " * 1999 + "x", "long"), ("a b c", "d e")])
    assert text.skipped == 3 and text.train_pairs + text.dev_pairs == 201
    assert len(dev) == 15
    assert len(read(tmp_path, "train.pieces")) == text.train_pairs
    assert str(tmp_path).encode() not in (tmp_path / "spm.model").read_bytes()


def sentences(folder: Path, name: str) -> set[str]:
    """The normalised sentences of both sides."""
    return {normalise(side) for pair in read(folder, name) for side in pair}


def test_held_out_sentences_are_never_trained_on_and_do_not_depend_on_order(tmp_path: Path) -> None:
    given = pairs(150)
    # Copies of a side, as corpora have them: cased and punctuated otherwise, translated otherwise.
    others = [(f"Jinak: {source}", reference.lower()) for source, reference in given[:40]]
    again = [(source.upper().rstrip("."), f"Then {reference}") for source, reference in others]
    copied = [*given, *others, *again, *((reference, source) for source, reference in given[30:60])]
    random.Random(3).shuffle(copied)
    for name, rows in (("a", copied), ("b", copied[::-1])):
        (tmp_path / name).mkdir()
        text = prepare_text(rows, tmp_path / name, vocabulary=150, dev_pairs=20, seed=7)
        assert text.dev_pairs == 20 and text.train_pairs == len(copied) - 20
    held_out = sentences(tmp_path / "a", "dev")
    assert held_out and not held_out & sentences(tmp_path / "a", "train")
    assert held_out == sentences(tmp_path / "b", "dev")


def test_groups_of_pairs_are_held_out_whole(tmp_path: Path) -> None:
    """4 of 48 pairs are two groups of 2 or one of 3. Where 2 of 21 pairs are no group, one of 3 is."""
    twos = [pair for source, reference in pairs(12) for pair in ((source, reference), (reference, source))]
    threes = [(f"{number} {place}", f"many {number}") for number in range(100, 108) for place in "abc"]
    for name, rows, sizes in (("a", [*twos, *threes], {3, 4}), ("b", threes[:21], {3})):
        (tmp_path / name).mkdir()
        text = prepare_text(rows, tmp_path / name, vocabulary=150, dev_pairs=5, seed=1)
        assert text.dev_pairs in sizes and text.train_pairs == len(rows) - text.dev_pairs
        assert not sentences(tmp_path / name, "dev") & sentences(tmp_path / name, "train")


def test_pairs_of_one_sentence_cannot_be_divided(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="all 30 pairs are connected by sentences that they share"):
        prepare_text([(f"a {row}", "A.") for row in range(30)], tmp_path, vocabulary=50, dev_pairs=5, seed=1)


def test_at_most_a_tenth_is_held_out(tmp_path: Path) -> None:
    assert prepare_text(pairs(60), tmp_path, vocabulary=150, dev_pairs=1000, seed=1).dev_pairs == 6


@pytest.mark.parametrize(("count", "error", "told"), [(0, InputError, "got 0"), (19, InputError, "got 19")])
def test_too_little_text(count: int, error: type[Exception], told: str, tmp_path: Path) -> None:
    with pytest.raises(error, match=told):
        train_nmt(pairs(count), tmp_path / "m", OPTIONS)
    assert os.listdir(tmp_path) == []


def test_a_vocabulary_smaller_than_the_alphabet(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="vocabulary of 10"):
        prepare_text(pairs(60), tmp_path, vocabulary=10, dev_pairs=5, seed=1)


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"preset": "huge"}, "there are: tiny, small, base, big"),
        ({"source_language": "../cs"}, "it names a file"),
        ({"source_language": "en"}, "both 'en'"),
        ({"epochs": 0}, "epochs must be at least 1"),
        ({"average_last": 0}, "average_last must be at least 1"),
    ],
)
def test_options_out_of_range(own: dict[str, object], told: str, tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match=told):
        train_nmt(pairs(60), tmp_path / "m", NmtOptions(**{"source_language": "cs", **own}))  # type: ignore[arg-type]


def test_a_folder_that_exists_is_left_alone(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="already exists"):
        train_nmt(pairs(60), tmp_path, OPTIONS)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, NmtResult, list[NmtProgress]]:
    """A model, what training it gave, and its progress."""
    told: list[NmtProgress] = []
    out = tmp_path_factory.mktemp("trained") / "models" / "m"
    return out, train_nmt(pairs(300), out, OPTIONS, told.append), told


def test_training(trained: tuple[Path, NmtResult, list[NmtProgress]], tmp_path: Path) -> None:
    out, result, told = trained
    assert os.listdir(out.parent) == ["m"]
    assert sorted(os.listdir(out)) == [
        "ctranslate2", "dict.cs.txt", "dict.en.txt", "model.pt", CHECKSUMS, "spm.model", "training.json",
    ]  # fmt: skip
    assert is_intact(out) and is_intact(out / "ctranslate2")
    assert (result.train_pairs, result.dev_pairs, result.skipped_pairs, result.updates) == (288, 12, 0, 8)
    assert 0 <= result.dev_bleu <= 100 and 0 < result.dev_loss < 20
    report = json.loads((out / "training.json").read_text())
    assert report["result"]["dev_bleu"] == result.dev_bleu and report["options"]["dimension"] == 128
    assert [progress.step for progress in told][0] == "text" and told[-1].step == "measure"
    assert {progress.step for progress in told} == {"text", "train", "export", "measure"}
    assert str(out.parent) not in repr(read_checkpoint(out / "model.pt").raw)
    # Both engines read the folder, and CTranslate2's form by itself.
    source = [source for source, _ in pairs(5, seed=9)]
    found = []
    for engine, folder in (("fairseq", out), ("ctranslate2", out), ("ctranslate2", out / "ctranslate2")):
        options = TranslateOptions(model=str(folder), engine=engine, beam=2, max_length=20)
        loaded = engines.load(engines.resolve(options), tmp_path / "cache", threads=1)
        found.append(loaded.translate(source))
    assert [len(ranked) for ranked in found[0]] == [1] * 5
    assert found[1] == found[2]


TRAIN = """
import sys
sys.path[:0] = sys.argv[2:]
from pathlib import Path
from test_nmt_training import OPTIONS, pairs
from paranmt.models.translation.nmt_training import train_nmt
import dataclasses
options = dataclasses.replace(OPTIONS, epochs=1000, max_updates=100_000)
train_nmt(pairs(300), Path(sys.argv[1]), options, lambda now: now.loss and print(now, flush=True))
"""


def test_a_killed_training_leaves_no_model_and_no_process(tmp_path: Path) -> None:
    out = tmp_path / "m"
    folders = Path(__file__).parent, Path(__file__).parents[2] / "support"
    command = [sys.executable, "-c", TRAIN, str(out), *map(str, folders)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None and "loss" in parent.stdout.readline()
    children = psutil.Process(parent.pid).children()
    assert children
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    assert not out.exists()
    end = time.monotonic() + 30
    while any(_lives(child) for child in children):
        assert time.monotonic() < end, "the training outlived its parent"
        time.sleep(0.1)


KILLED = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[2])
from pathlib import Path
from test_nmt_training import CHECKPOINTS, LAST, OPTIONS, Workspace, checkpoints, pairs, stored
from paranmt.models.translation.nmt_training import train_nmt

workspace = Workspace("s3://bucket/work")
checkpoints.STORE_SECONDS = 0.1

def die(now):
    if now.epoch == 2 and now.dev_loss is not None and now.updates > 2:
        end = time.monotonic() + 60
        while not any(name.endswith(LAST) for name in stored(workspace)) and time.monotonic() < end:
            time.sleep(0.05)
        os.kill(os.getpid(), signal.SIGKILL)

with checkpoints.resumable(workspace, "nmt", CHECKPOINTS) as scratch:
    train_nmt(pairs(300), Path(sys.argv[1]), OPTIONS, die, scratch)
"""
LAST = "checkpoint_last.pt"


def stored(workspace: Workspace) -> list[str]:
    return list(workspace.sizes(f"{TEMPORARY}/nmt"))


@pytest.fixture
def on_s3() -> Iterator[None]:
    with object_store():
        yield


def test_a_killed_training_goes_on_to_the_same_model_on_another_host(
    trained: tuple[Path, NmtResult, list[NmtProgress]],
    on_s3: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for host in ("first", "second"):
        (tmp_path / host).mkdir()
    support = os.pathsep.join([*sys.path, str(Path(__file__).parents[2] / "support")])
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path / "first/m"), str(Path(__file__).parent)],
        env={**os.environ, "TMPDIR": str(tmp_path / "first"), "PYTHONPATH": support},
        check=False,
    )
    workspace = Workspace("s3://bucket/work")
    assert killed.returncode == -signal.SIGKILL and not (tmp_path / "first/m").exists()
    (last,) = (name for name in stored(workspace) if name.endswith(LAST))
    content = workspace.read(last)
    assert content is not None
    workspace.write_bytes(last, content[:-1_000])  # as if it was stored while it was written
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "second"))
    told: list[NmtProgress] = []
    out = tmp_path / "second/m"
    with checkpoints.resumable(workspace, "nmt", CHECKPOINTS) as scratch:
        train_nmt(pairs(300), out, OPTIONS, told.append, scratch)
        (kept,) = scratch.iterdir()
        assert kept.exists(), "a kill before the model has its name would lose the training"
    epochs = [progress.epoch for progress in told if progress.step == "train" and progress.epoch]
    assert min(epochs) > 1, "it began again"
    assert not stored(workspace)
    ours, whole = (read_checkpoint(folder / "model.pt").tensors for folder in (out, trained[0]))
    assert all(torch.equal(ours[name], whole[name]) for name in whole) and ours.keys() == whole.keys()


def test_the_command_keeps_checkpoints_in_a_workspace_on_a_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    recipe = tmp_path / "recipe.yaml"
    bitext = "{corpus: a, format: moses, source: a.cs, reference: a.en, source_language: cs}"
    recipe.write_text(f"workspace: memory://nmt-of-command\nbitext: [{bitext}]\ntranslate: {{model: m}}\n")
    found: list[list[str]] = []

    def train(pairs: object, out: Path, options: object, report: object, scratch: Path) -> NmtResult:
        found.append([path.name for path in scratch.rglob("*.pt")])
        (scratch / "nmt-0123456789abcdef").mkdir(exist_ok=True)
        (scratch / "nmt-0123456789abcdef" / LAST).write_text("half a model")
        if len(found) == 1:
            raise InputError("the disk is full")
        out.mkdir()
        return NmtResult(str(out), 1, 1, 0, 1, 1, 0.0, 0.0, 1.0)

    monkeypatch.setattr("paranmt.models.translation.nmt_training.train_nmt", train)
    assert "the disk is full" in paranmt("nmt-train", recipe).output
    workspace = Workspace("memory://nmt-of-command")
    assert [name.rpartition("/")[2] for name in workspace.sizes(TEMPORARY)] == [LAST]
    shutil.rmtree(workspace.scratch)  # another host
    ok("nmt-train", recipe)
    assert found == [[], [LAST]]
    assert not workspace.sizes(TEMPORARY) and (tmp_path / "m").exists()


@pytest.mark.parametrize(
    ("damaged", "left", "last"),
    [
        ([], ["1", "2", "3", "_2_40", "_best", "_last"], 3),
        (["_last"], ["1", "2", "3", "_2_40", "_best", "_last"], 3),
        (["_best"], ["1", "2", "3", "_2_40", "_last"], 3),
        (["2"], ["1", "_2_40", "_best", "_last"], 1.5),
        (["_2_40", "2"], ["1", "_best", "_last"], 1),
        (["_best", "3"], ["1", "2", "_2_40", "_last"], 2),
        (["1"], ["_best"], None),
    ],
)
@pytest.mark.parametrize("gone", [False, True])
def test_a_training_goes_on_before_a_damaged_checkpoint(
    damaged: list[str], left: list[str], last: float | None, gone: bool, tmp_path: Path
) -> None:
    """Those of epochs are averaged in the end, though fairseq goes on after the last one alone."""
    made = {"1": 1, "2": 2, "3": 3, "_2_40": 1.5, "_best": 3, "_last": 3}
    for name, epoch in made.items():
        path = tmp_path / f"checkpoint{name}.pt"
        torch.save({"epoch": epoch, "model": torch.ones(500)}, path)
        if name in damaged and gone:
            path.unlink()
        elif name in damaged:
            content = bytearray(path.read_bytes())
            content[len(content) // 2] ^= 1 << 4
            path.write_bytes(content)
    if gone and damaged == ["1"]:
        left, last = ["2", "3", "_2_40", "_best", "_last"], 3  # as after three epochs of which two are kept
    _restore(tmp_path)
    found = sorted(path.stem.removeprefix("checkpoint") for path in tmp_path.iterdir())
    assert found == left
    if last is not None:
        assert torch.load(tmp_path / LAST, weights_only=True)["epoch"] == last


def test_checkpoints_are_cleared_and_nothing_else(tmp_path: Path) -> None:
    clear_checkpoints(tmp_path / "absent")
    for name in (f"nmt-{'0a' * 8}/checkpoints", f"nmt-{'1b' * 8}/checkpoints", "nmt-mine", "nmt-notes.txt"):
        (tmp_path / name).mkdir(parents=True)
    clear_checkpoints(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["nmt-mine", "nmt-notes.txt"]


def test_only_the_same_training_is_gone_on_with(tmp_path: Path) -> None:
    def identity(name: str, count: int = 60, **changes: object) -> str:
        text = prepare_text(pairs(count), tmp_path / name, vocabulary=150, dev_pairs=5, seed=1)
        return _identity(text, dataclasses.replace(OPTIONS, **changes))  # type: ignore[arg-type]

    for name in "abcd":
        (tmp_path / name).mkdir()
    same = identity("a")
    assert identity("b", threads=7) == same, "the number of threads is that of the machine"
    assert len({same, identity("c", dropout=0.3), identity("d", count=61)}) == 3


def _lives(process: psutil.Process) -> bool:
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
