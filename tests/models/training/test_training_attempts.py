"""Several attempts at one training, and what is damaged between them: all end in the same bytes."""

import json
import logging
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import safetensors

from paranmt.base.errors import WorkspaceError
from paranmt.base.processes import owner, process_name
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.training.checkpoint import load_checkpoint
from paranmt.models.training.pair_training import TrainProgress
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TrainOptions
from paranmt.models.training.trainer import TrainResult, train_encoder
from paranmt.transforms.beam.task_work import Task
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.trainings.training_encoders import TrainEncoder

_OPTIONS = TrainOptions(
    encoder=AveragingOptions(dimension=4, word_dropout=0.2), epochs=3, batch=4, mega_batch=3, device="cpu"
)
_PAIRS = PairList(
    [f"the thing{i % 10} stood there {i}" for i in range(24)],
    [f"There was a object{i % 10} , {i % 7}" for i in range(24)],
)


@dataclass(frozen=True)
class _Halted:
    """The pairs in batches; `halt` is called in the middle of reading them."""

    halt: Callable[[], None]

    key = _PAIRS.key

    def __iter__(self) -> Iterator[tuple[Sequence[str], Sequence[str]]]:
        yield _PAIRS.references[:10], _PAIRS.translations[:10]
        self.halt()
        yield _PAIRS.references[10:], _PAIRS.translations[10:]


def _bytes(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished training: `out` and `scratch`."""
    folder = tmp_path_factory.mktemp("undisturbed")
    train_encoder(_PAIRS, _OPTIONS, folder / "out", folder / "scratch")
    return folder


@pytest.fixture
def expected(undisturbed: Path) -> dict[str, bytes]:
    return _bytes(undisturbed / "out")


class _Attempts:
    """Attempts that share one scratch folder."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.scratch = folder, folder / "scratch"

    def train(
        self, name: str, halt: Callable[[], None] = lambda: None, halt_at: int | None = None
    ) -> TrainResult:
        """halt: called while pairs are read, or at mega-batch `halt_at`, from 1."""
        aside = self.folder / f"{name}-aside"
        aside.mkdir()
        done = 0

        def progress(state: TrainProgress) -> None:
            nonlocal done
            done += state.epoch > 0
            if state.epoch and done == halt_at:
                halt()

        stream = _Halted(halt) if halt_at is None else _PAIRS
        return train_encoder(stream, _OPTIONS, self.folder / name, self.scratch, progress, aside)

    def finish(self, name: str) -> None:
        """A whole attempt that removes the scratch folder at its end."""
        self.train(name)
        shutil.rmtree(self.scratch)


@pytest.fixture
def attempts(tmp_path: Path) -> _Attempts:
    return _Attempts(tmp_path)


@pytest.mark.parametrize("removed", [False, True], ids=["scratch kept", "scratch removed"])
@pytest.mark.parametrize("halt_at", [None, 1, 3, 6], ids=lambda at: "reading" if at is None else str(at))
def test_a_suspended_attempt_wakes_after_its_successor_has_finished(
    attempts: _Attempts, expected: dict[str, bytes], halt_at: int | None, removed: bool
) -> None:
    succeed = attempts.finish if removed else attempts.train

    def halt() -> None:
        succeed("successor")

    attempts.train("woken", halt, halt_at)
    assert _bytes(attempts.folder / "successor") == expected
    assert _bytes(attempts.folder / "woken") == expected


def test_a_suspended_attempt_wakes_while_its_successor_reads(
    attempts: _Attempts, expected: dict[str, bytes]
) -> None:
    reads, goes_on = threading.Event(), threading.Event()

    def halt_successor() -> None:
        reads.set()
        assert goes_on.wait(60)

    successor = threading.Thread(target=attempts.train, args=("successor", halt_successor))

    def halt() -> None:
        successor.start()
        assert reads.wait(60)

    attempts.train("woken", halt)
    goes_on.set()
    successor.join(60)
    assert _bytes(attempts.folder / "woken") == expected
    assert _bytes(attempts.folder / "successor") == expected


def test_a_later_attempt_neither_reads_nor_trains_again(attempts: _Attempts) -> None:
    attempts.train("first")
    result = attempts.train("second", halt=lambda: pytest.fail("the pairs were read again"))
    assert result.resumed_from_epoch == 3


def test_an_attempt_whose_own_folder_was_swept_away(attempts: _Attempts, expected: dict[str, bytes]) -> None:
    def sweep() -> None:
        shutil.rmtree(attempts.folder / "swept-aside")

    with pytest.raises(WorkspaceError, match="was removed while pairs were being read into it"):
        attempts.train("swept", sweep)

    # Once the pairs are read, it goes on.
    attempts.train("swept", sweep, halt_at=3)
    assert _bytes(attempts.folder / "swept") == expected


def _cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _flipped(content: bytes) -> bytes:
    middle = len(content) * 2 // 3
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


_SCRATCH = [
    "tokens/words.ids",
    "tokens/words.starts",
    "tokens/words.vocabulary",
    "tokens/finished.json",
    "tokens/paranmt-checksums.json",
    "checkpoint.safetensors",
]


@pytest.mark.parametrize(
    "damage", [_cut, _flipped, lambda _: b"", None], ids=["cut", "flipped", "empty", "gone"]
)
@pytest.mark.parametrize("name", _SCRATCH)
def test_damage_is_noticed_and_repaired(
    undisturbed: Path,
    expected: dict[str, bytes],
    name: str,
    damage: Callable[[bytes], bytes] | None,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    scratch = tmp_path / "scratch"
    shutil.copytree(undisturbed / "scratch", scratch)
    assert sorted(str(path.relative_to(scratch)) for path in scratch.rglob("*") if path.is_file()) == sorted(
        _SCRATCH
    )
    content = (scratch / name).read_bytes()
    (scratch / name).unlink()
    if damage is not None:
        (scratch / name).write_bytes(damage(content))
    with caplog.at_level(logging.WARNING, logger="paranmt"):
        result = train_encoder(_PAIRS, _OPTIONS, tmp_path / "out", scratch)
    assert _bytes(tmp_path / "out") == expected
    of_checkpoint = name == "checkpoint.safetensors"
    assert result.resumed_from_epoch == (0 if of_checkpoint else 3)
    assert (result.pairs, result.too_long, result.empty) == (24, 0, 0)
    deleted_checkpoint = of_checkpoint and damage is None
    assert ["damaged" in record.getMessage() for record in caplog.records] == (
        [] if deleted_checkpoint else [True]
    )
    # It is whole again.
    caplog.clear()
    assert train_encoder(_PAIRS, _OPTIONS, tmp_path / "again", scratch).resumed_from_epoch == 3
    assert not caplog.records


def test_a_flipped_bit_of_any_byte_of_a_checkpoint_is_noticed(undisturbed: Path, tmp_path: Path) -> None:
    content = (undisturbed / "scratch/checkpoint.safetensors").read_bytes()
    path = tmp_path / "checkpoint.safetensors"
    path.write_bytes(content)
    length = 8 + int.from_bytes(content[:8], "little")
    with safetensors.safe_open(path, "pt") as file:
        identity = json.loads(file.metadata()["state"])["identity"]
    whole = load_checkpoint(path, identity)
    assert whole is not None and whole[1].epoch == 3
    for position in [*range(length), *range(length, len(content), 97)]:
        flipped = bytearray(content)
        flipped[position] ^= 1 << position % 8
        path.write_bytes(flipped)
        assert load_checkpoint(path, identity) is None, position


def test_the_folder_of_an_attempt_is_named_after_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asides: list[Path] = []

    def train(*args: object, aside: Path, **options: object) -> TrainResult:
        asides.append(aside)
        return TrainResult(1, 0, 0, 1, 0.0, (), 0, 0.0)

    monkeypatch.setattr("paranmt.models.training.trainer.train_encoder", train)
    workspace = Workspace(str(tmp_path))
    (tmp_path / "out").mkdir()
    work = TrainEncoder("train/avg", (), "all", _OPTIONS)
    work.make(workspace, Task("", "0", ()), tmp_path / "out", tmp_path / "scratch")
    (aside,) = asides
    assert (aside.parent, owner(aside.name)) == (workspace.scratch, process_name())
    assert not aside.exists()
