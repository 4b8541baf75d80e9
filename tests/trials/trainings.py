"""Trainings of sequence-to-sequence models that are killed: the next one ends in the same model."""

import hashlib
import multiprocessing.connection
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from random import Random

from kills import kill, log_of, start, wait_for
from outcomes import Broken, Steps, Verdict
from workspaces import copy_folder, not_fresh, small_project

SIZES = {"preset": "tiny", "epochs": 6, "vocabulary": 120, "batch_tokens": 300, "threads": 1, "device": "cpu"}
_TIMED = "training.json"  # it says how long the training took
_undisturbed: dict[str, "Training"] = {}
_making = threading.Lock()


@dataclass(frozen=True)
class Training:
    """What a command trains undisturbed: the hashes of the model's files, and the seconds it takes."""

    files: dict[str, str]
    seconds: float


def training_kills(seed: int, shared: Path, folder: Path, steps: Steps) -> Verdict:
    """One to three kills at random moments of a training, then the same command to the end."""
    choose = Random(seed)
    kind = ("a paraphraser's training", "`nmt-train`")[seed % 2]
    steps.kind = f"{kind} killed several times"
    with _making:
        if kind not in _undisturbed:
            _undisturbed[kind] = _train(kind, shared / f"trained-{seed % 2}", shared)
    whole, place = _undisturbed[kind], folder / "kept"
    _write(place, shared)
    command, model = _command(kind, place)
    for _ in range(choose.randint(1, 3)):
        moment = choose.uniform(0.0, whole.seconds)
        process = start(place, command)
        was_killed = not multiprocessing.connection.wait([process.sentinel], moment)
        kill(process)
        steps.append(f"{command[0]}: {'killed' if was_killed else 'ended'} after {moment:.2f} s")
        if not was_killed:
            break
        if model.exists() and (differ := _differing(_files(model), whole.files)):
            raise Broken("silent", f"after the kill there is another model: {differ}")
    if command[0] == "run" or not model.exists():
        _finish(place, command)
        steps.append(command[0])
    differ = _differing(_files(model), whole.files)
    if differ:
        raise Broken("silent", f"unlike the undisturbed training: {differ}")
    left = [path.name for path in place.glob(".*.training")]
    left += [path.name for path in (place / "work/_temporary").glob("*")]
    if left:
        raise Broken("unclear", f"left behind: {', '.join(left)}")
    if stale := not_fresh(place) if command[0] == "run" else {}:
        raise Broken("unclear", f"after the run `plan` shows {stale}")
    return "right"


def _command(kind: str, place: Path) -> tuple[list[str], Path]:
    """The command and the folder of the model that it makes."""
    if kind != "`nmt-train`":
        return ["run"], place / "work/paraphraser/small"
    values = [f"--set={name}={value}" for name, value in SIZES.items() if name not in ("preset", "epochs")]
    model = place / "model"
    return ["nmt-train", f"--output={model}", "--preset=tiny", f"--epochs={SIZES['epochs']}", *values], model


def _write(place: Path, shared: Path) -> None:
    """The finished workspace of the small recipe, and a recipe that also trains a paraphraser."""
    copy_folder(shared / "finished", place)
    project = small_project()
    entry = {"selection": "middling", "control": ["trigram_overlap"], **SIZES}
    project.recipe["paraphraser"] = {"small": entry}
    (place / "recipe.yaml").write_bytes(project.text().encode())


def _train(kind: str, place: Path, shared: Path) -> Training:
    _write(place, shared)
    command, model = _command(kind, place)
    began = time.monotonic()
    _finish(place, command)
    return Training(_files(model), time.monotonic() - began)


def _finish(place: Path, command: list[str]) -> None:
    process = start(place, command)
    wait_for(process)
    if process.exitcode:
        log = f"ended with {process.exitcode}: {log_of(place)}"
        raise Broken("traceback" if "Traceback" in log else "unclear", log)


def _files(model: Path) -> dict[str, str]:
    """The hashes of a model's files, by name."""
    return {
        path.relative_to(model).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(model.rglob("*"))
        if path.is_file() and path.name != _TIMED and not path.name.startswith("_")
    }


def _differing(found: dict[str, str], expected: dict[str, str]) -> str:
    names = sorted(found.keys() | expected.keys())
    return ", ".join(name for name in names if found.get(name) != expected.get(name))
