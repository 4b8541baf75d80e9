"""The programs that measure translation engines, on a model small enough to run in a test."""

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from paranmt.models.encoders.encoder_kinds import LstmOptions
from paranmt.models.translation import engines as translators
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate

Program = Callable[[str], ModuleType]
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Program:
    if not BENCHMARKS.is_dir():
        pytest.skip("needs the checkout's benchmarks, which no wheel has")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


def test_a_random_model_ends_when_its_sources_say(program: Program, tmp_path: Path) -> None:
    scheduled = program("scheduled")
    folder = scheduled.write_scheduled(tmp_path / "m", "tiny", 3000)
    texts = [
        " ".join(f"w{4 + length + 520 * (place % 5)}" for place in range(12)) for length in (5, 10, 20, 40)
    ]
    options = TranslateOptions(model=str(folder), engine="torch", beam=12, max_length=300, device="cpu")
    found = translators.load(translators.resolve(options), tmp_path / "cache").translate(texts, 12)
    for ranked, wanted in zip(found, (5, 10, 20, 40), strict=True):
        assert abs(np.median([one.n_tokens for one in ranked]) - wanted) < 8
    lengths = [ranked[0].n_tokens for ranked in found]
    assert lengths == sorted(lengths)


def test_lengths_are_those_of_paranmt(program: Program) -> None:
    scheduled = program("scheduled")
    tokens = np.array([len(text.split()) for text in scheduled.sentences(20_000, 3000)])
    # 13.3 words of 1.3 subwords, less what the cut at 200 words takes, over a mean ratio of about 1.
    assert 15 < tokens.mean() < 22
    assert 8 < np.median(tokens) < 13
    assert scheduled.sentences(50, 3000) == scheduled.sentences(50, 3000)


def test_searches_take_as_long_as_recorded(program: Program) -> None:
    """The steps that a source asks for, read from its first word, over its tokens with the end symbol."""
    scheduled = program("scheduled")
    texts = [text.split() for text in scheduled.sentences(20_000, 3000)]
    tokens = np.array([len(words) + 1 for words in texts])
    # The end symbol asks for nothing, so the words ask for more.
    asked = np.array([(int(words[0][1:]) - 4) % 520 for words in texts]) * (tokens - 1) / tokens
    ratios = (asked / tokens)[(tokens > 10) & (tokens < 40)]
    found = np.quantile(ratios, (0.05, 0.25, 0.5, 0.9, 0.99, 0.999))
    assert found == pytest.approx([0.52, 0.79, 0.95, 1.30, 1.79, 4.67], rel=0.1)


def test_comparing_lists_by_hand(program: Program) -> None:
    parity = program("parity")

    def candidate(text: str, log_prob: float) -> Candidate:
        return Candidate(text, log_prob, 2, (log_prob / 2, log_prob / 2))

    a, b, c = candidate("a", -1.0), candidate("b", -2.0), candidate("c", -2.000004)
    assert parity.compare([[a, b]], [[a, b]], 1.0).holds
    tied = parity.compare([[a, b, c]], [[a, c, b]], 1.0)
    assert (tied.identical, tied.orders, tied.sets, tied.tops) == (0, 0, 0, 0)
    assert parity.compare([[a, b]], [[a, c]], 1.0).sets == 0  # the last place is tied
    other = parity.compare([[a, b]], [[b, a]], 1.0)
    assert (other.orders, other.tops, other.sets) == (1, 1, 0)
    assert parity.compare([[a, b]], [[candidate("d", -1.5), b]], 1.0).sets == 1
    assert parity.compare([[a]], [[a, b]], 1.0).sets == 1
    assert parity.compare([[a]], [[candidate("a", -1.001)]], 1.0).token == pytest.approx(0.0005)
    assert not parity.compare([[a]], [[candidate("a", -1.001)]], 1.0).holds


def test_a_small_run(program: Program, tmp_path: Path) -> None:
    report = tmp_path / "rows.jsonl"
    engines = ["fairseq", "torch", "bare:int8", "ctranslate2:int8"]
    command = ["tiny", "--engines", ",".join(engines), "--beams", "2", "--seconds", "0.4", "--rounds", "2"]
    own = ["--pool", "300", "--threads", "1", "--cache", str(tmp_path), "--json", str(report)]
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "translate.py"), *command, *own],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in report.read_text().splitlines()]
    assert [row["engine"] for row in rows] == engines
    assert rows[1]["same_lists"] == 1.0
    assert all(row["sentences_per_second"] > 0 for row in rows)


def test_a_profile(program: Program) -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "profile_engine.py"), "tiny", "--sentences", "24", "--beam", "2"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "24 sentences in" in done.stdout and "aten::" in done.stdout


@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_the_gpu_script_passes_valid_options(
    device: str, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = _gpu_script(tmp_path, 'printf "%s\\n" "$*"', DEVICE=device).stdout.splitlines()
    commands = [line.split() for line in lines if line.startswith(str(BENCHMARKS))]
    assert len(commands) == 8
    assert sum(line.startswith("-m pytest") for line in lines) == 1
    for path, *arguments in commands:
        assert Path(path).is_file()
        monkeypatch.setattr(sys, "argv", ["program", *arguments])
        assert program(Path(path).stem)._arguments().device == device


def test_no_line_of_the_gpu_script_stops_the_others(program: Program, tmp_path: Path) -> None:
    """Lines that fail, and lines for which no time is left."""
    failing = _gpu_script(tmp_path, "exit 3")
    assert failing.returncode == 1
    assert failing.stdout.count("FAILED or does not hold") == 9
    hanging = _gpu_script(tmp_path, "exec sleep 60", SECONDS_ALLOWED="7")
    assert hanging.returncode == 1
    assert hanging.stdout.count("CUT after") == 1
    assert hanging.stdout.count("NOT MEASURED") == 8


def test_the_gpu_script_fits_into_ten_minutes(program: Program) -> None:
    text = (BENCHMARKS / "gpu.sh").read_text()
    expected = [int(line.split()[1]) for line in text.splitlines() if line.startswith("measure ")]
    assert len(expected) == 9
    assert sum(expected) <= 590


def _gpu_script(folder: Path, body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script with an interpreter that does only what `body` says."""
    interpreter = folder / "interpreter"
    interpreter.write_text(f"#!/bin/sh\n{body}\n")
    interpreter.chmod(0o755)
    script = ["sh", str(BENCHMARKS / "gpu.sh"), "M", "S", "R", str(folder)]
    environment = {"PYTHON": str(interpreter), **environment}
    return subprocess.run(script, env=environment, capture_output=True, text=True, timeout=60)


def test_sizes_of_steps(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sentence is in as many steps as it needs, and in a few more until the host sees that it ends."""
    buckets = program("buckets")
    monkeypatch.setattr(buckets, "PART", 500)
    _, wanted = program("scheduled").lengths(np.random.default_rng(1), 500)
    budget = buckets.Budget(1_000, 4_096)
    exact = list(buckets.steps(1, buckets.EXACT, budget))
    padded = list(buckets.steps(1, buckets.Buckets(4, 32, 96), budget))
    assert all(size[0] == count for size, count in exact)
    made = sum(count for _, count in exact) + 500  # the first steps are made apart
    assert wanted.sum() <= made <= 1.15 * wanted.sum()
    assert all(width % 32 == read % 96 == room % 96 == 0 for (_, width, read, room), _ in padded)
    assert sum(size[0] for size, _ in padded) <= 1.02 * sum(count for _, count in padded)


def test_an_ensemble_is_compared(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scheduled, parity = program("scheduled"), program("parity")
    folders = [scheduled.write_scheduled(tmp_path / str(seed), "tiny", 3000, seed) for seed in (1, 2)]
    options = TranslateOptions(
        model=str(folders[0]), beam=3, max_length=60, device="cpu", precision="float32"
    )
    assert parity._ensemble(options, str(folders[1]), scheduled.sentences(6, 3000))
    assert "ensemble with" in capsys.readouterr().out


def test_the_speed_of_scores(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = program("scores")
    query = tmp_path / "query"
    query.write_text("#!/bin/sh\nexec cat\n")
    query.chmod(0o755)
    (tmp_path / "references").write_text("A dog runs home.\nIt rained.\nTwo cats sat there.\n")
    (tmp_path / "translations").write_text("A dog ran home.\nThere was rain.\nTwo cats sat.\n")
    sides = [str(tmp_path / name) for name in ("references", "translations")]
    sizes = ["--rows", "20", "--parts", "2", "--rounds", "1", "--dimension", "4", "--query", str(query)]
    monkeypatch.setattr(sys, "argv", ["scores.py", *sides, *sizes])
    scores.main()
    printed = capsys.readouterr().out
    for name in (
        *scores.STRINGS,
        "perplexity",
        "paraphrase_similarity",
        scores.TOGETHER,
        scores.FINDALL,
        scores.QUERY,
    ):
        assert f"| {name} | " in printed
    assert "| perplexity over KenLM's query | " in printed


def test_duplicates_of_few_pairs(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for similarity in (None, 0.8):
        program("duplicates").measure(tmp_path / str(similarity), 700, 300, 2, similarity, against=50)
        assert "\nduplicates " in capsys.readouterr().out


def test_gradients_of_lstms(program: Program) -> None:
    """The first of one word is the last; torch's start forgets the first of twenty, whatever the size."""
    ratios, options = program("lstm_gradients").ratios, LstmOptions(dimension=5, size=30)
    assert ratios(options, words=1, sentences=3, scale=0.1, seed=1) == pytest.approx(np.ones(3))
    forgotten = ratios(replace(options, peepholes=False), words=20, sentences=9, scale=0.1, seed=1)
    assert 1e-6 < np.median(forgotten) < 1e-3


def test_tables_of_classifiers(program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, lines = np.random.default_rng(1), {"references": "quite", "one": "very", "two": "quite"}
    for name, marker in lines.items():
        texts = (f"{marker} &quot;w{number}&quot; w{number // 2}" for number in words.integers(0, 40, 400))
        (tmp_path / f"{name}.en").write_text("\n".join(texts) + "\n")
    files = [str(tmp_path / f"{name}.en") for name in lines]
    options = ["--dimension", "16", "--seeds", "2"]
    program("classifier").main([*files, *options, "--epochs", "60", "--types", "avg"])
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    accuracies = {row[1]: [float(cell) for cell in row[2:]] for row in rows[2:4]}
    assert accuracies.keys() == {"one", "two"}
    for system, (valid, test, _, *of_sides) in accuracies.items():
        assert (min(valid, test, *of_sides) > 90) == (system == "one")
    correlations = [row for row in rows if row[0] == "avg" and row[2] in ("translations", "both sides")]
    # All sentences have the same length, and no trigram twice.
    assert [(row[1], row[4], row[6]) for row in correlations] == [
        (system, "0.0", "0.0") for system in ("one", "one", "two", "two")
    ]
    program("classifier").main([*files[:2], *options, "--epochs", "1"])
    (gaps,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("| one |"))
    assert gaps.count(",") == 1, "LSTM less AVG, for two seeds"
    program("classifier").main([*files[:2], *options, "--speed"])
    assert len(capsys.readouterr().out.splitlines()) == 4
