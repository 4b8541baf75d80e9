"""Damaged translation models, and kills while translation models and paraphrasers are trained."""

import shutil
import signal
import time
from pathlib import Path
from random import Random
from typing import Any

from damage import WAYS
from kills import Moment, check_end, start, wait_for
from outcomes import Broken, Steps, Verdict
from workspaces import Bitext, Project, copy_folder, differences, files_of, made_up_rows

from paranmt.base.checksums import CHECKSUMS
from paranmt.base.errors import UserError
from paranmt.base.file_locks import locked
from paranmt.models.translation.engines import load, resolve
from paranmt.models.translation.nmt_options import NmtOptions
from paranmt.models.translation.nmt_training import REPORT, train_nmt
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate

SMALL: dict[str, Any] = {
    **{"preset": "tiny", "epochs": 3, "vocabulary": 150, "batch_tokens": 256, "dev_pairs": 12},
    **{"warmup_updates": 4, "threads": 1, "device": "cpu", "average_last": 2},
}
READ_BY = {
    "model": ("torch", "fairseq", "ctranslate2"),
    "model/ctranslate2": ("ctranslate2",),
    "others": ("torch", "fairseq", "ctranslate2"),
}
"""The folders of a model, with the engines that read them; `others` is as fairseq would write it."""

TRAININGS = {
    "nmt-train": ("model", ["nmt-train", *(f"--set={name}={value}" for name, value in SMALL.items())]),
    "run": ("work/paraphraser/tiny", ["run", "--until=paraphraser/tiny"]),
}
"""What trains a model, where it is in the end, and the command."""


def damaged_models(seed: int, shared: Path, folder: Path, steps: Steps) -> Verdict:
    """One damaged file: an error names it, or the translations are the same."""
    choose = Random(seed)
    name, engine = choose.choice([(name, each) for name, engines in READ_BY.items() for each in engines])
    whole = _trained(shared)
    copy_folder(whole, folder / "kept")
    model = folder / "kept" / name
    files = sorted(path.name for path in model.iterdir() if path.is_file())
    file = model / ("model.pt" if name == "others" else choose.choice(files))
    way = WAYS[seed % len(WAYS)]
    steps.kind = f"a file of a translation model ({'of fairseq' if name == 'others' else 'ours'})"
    steps.append(f"{name}/{file.name}: {way}; translate with {engine}")
    wanted, content = _translations(model, engine, folder / "first"), file.read_bytes()
    damaged = bytearray(content)
    damaged[choose.randrange(len(damaged))] ^= 1 << choose.randrange(8)
    file.write_bytes(
        {"halved": content[: len(content) // 2], "emptied": b"", "one bit flipped": damaged}.get(way, b"")
    )
    if way == "deleted":
        file.unlink()
    try:
        if _translations(model, engine, folder / "second") != wanted:
            raise Broken("silent", f"other translations with {file.name} {way}")
        return "not needed"
    except UserError as error:
        steps.append(str(error))
        if "\n" in str(error) or not (file.name in str(error) or str(model) in str(error)):
            raise Broken("unclear", f"the error does not name the file: {error}") from error
    file.write_bytes(content)
    if _translations(model, engine, folder / "second") != wanted:
        raise Broken("silent", f"other translations after {file.name} was put back")
    return "named"


def kills_of_training(seed: int, shared: Path, folder: Path, steps: Steps) -> Verdict:
    """Several kills of a training, and damage to its checkpoints; then it goes on to the same model."""
    choose = Random(seed)
    what = list(TRAININGS)[seed % len(TRAININGS)]
    output, command = TRAININGS[what]
    steps.kind = f"`{what}` killed while it trains a model"
    wanted, seconds = _undisturbed(what, shared)
    place = folder / "kept"
    _project(place)
    ended = False
    for _ in range(choose.randint(1, 3)):
        moment = Moment(place, choose.choice((1, choose.randint(1, 60))), choose.uniform(0, seconds))
        process = start(place, command, moment)
        wait_for(process)
        if process.exitcode != -signal.SIGKILL:
            check_end(process, place)
            steps.append(f"{what}: ended before change {moment.number} and {moment.delay:.1f} s")
            ended = True
            break
        steps.append(f"{what}: killed {moment.delay:.1f} s after change {moment.number}")
        if what == "nmt-train" and (place / output).exists():  # it was about to end
            break
        checkpoints = sorted(place.rglob("checkpoint*.pt"))
        if checkpoints and choose.random() < 0.5:
            hurt = choose.choice(checkpoints)
            damaged = bytearray(hurt.read_bytes())
            damaged[choose.randrange(len(damaged))] ^= 1 << choose.randrange(8)
            hurt.write_bytes(damaged)
            steps.append(f"a bit of {hurt.name} flipped")
    if what == "run" or not (place / output).exists():
        process = start(place, command)
        wait_for(process)
        steps.append(what)
        check_end(process, place)
        ended = True
    differ = differences(wanted, _model(place / output))
    if differ:
        raise Broken("silent", f"unlike the undisturbed training: {'; '.join(differ)}")
    left = [path for pattern in (".model.training", "work/_temporary/*") for path in place.glob(pattern)]
    if left and ended:
        raise Broken("unclear", f"left behind: {', '.join(path.name for path in left)}")
    return "right"


def _trained(shared: Path) -> Path:
    """A folder with the folders of READ_BY, made once."""
    folder = shared / "trained-model"
    with locked(shared / "trained-model.lock", wait=True):
        if not folder.exists():
            building = shared / "training-model"
            shutil.rmtree(building, ignore_errors=True)
            rows = [(source, reference) for source, reference, _ in made_up_rows(300, seed=5)]
            options = NmtOptions(**{**SMALL, "epochs": 1}, source_language="xx")
            train_nmt(rows, building / "model", options)
            ours = shutil.ignore_patterns(CHECKSUMS, REPORT, "ctranslate2")
            shutil.copytree(building / "model", building / "others", ignore=ours)
            building.rename(folder)
    return folder


def _translations(model: Path, engine: str, cache: Path) -> list[list[Candidate]]:
    options = resolve(TranslateOptions(model=str(model), engine=engine, beam=3, max_length=20, device="cpu"))
    sources = [source for source, _, _ in made_up_rows(5, seed=6)]
    return load(options, cache, threads=1).translate(sources, 3)


def _undisturbed(what: str, shared: Path) -> tuple[dict[str, bytes], float]:
    """The files of the model that nobody disturbed, and the seconds that it took."""
    folder, (output, command) = shared / f"undisturbed-{what}", TRAININGS[what]
    with locked(shared / f"undisturbed-{what}.lock", wait=True):
        if not (folder / "seconds").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _project(folder)
            began = time.monotonic()
            process = start(folder, command)
            wait_for(process)
            check_end(process, folder)
            (folder / "seconds").write_text(str(time.monotonic() - began))
    return _model(folder / output), float((folder / "seconds").read_text())


def _model(folder: Path) -> dict[str, bytes]:
    return {name: content for name, content in files_of(folder).items() if not name.endswith(REPORT)}


def _project(folder: Path) -> None:
    """A recipe that trains a paraphraser, and whose bitext a translation model can be trained on."""
    recipe = {
        "translate": {"model": "model"},
        "scores": {"trigram_overlap": {}},
        "select": {"all": {"where": "true"}},
        "paraphraser": {"tiny": {"selection": "all", "control": ["trigram_overlap"], **SMALL}},
    }
    folder.mkdir(parents=True)
    Project([Bitext("first", "tsv", made_up_rows(300, seed=5), "d0")], recipe).write(folder)
