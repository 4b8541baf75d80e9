"""Where GPUs are, who has one, and that a recipe for a GPU never runs on a CPU."""

import contextlib
import fcntl
import os
import select
import subprocess
import sys
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import apache_beam as beam
import pytest
from apache_beam.runners.portability.fn_api_runner import FnApiRunner
from corpus import recipe_text, write_bitext
from runs import Silent, load

from paranmt.base.errors import RecipeError, RunnerError
from paranmt.base.gpu import has_gpu
from paranmt.filters.similarity import EncoderSpec, ParaphraseSimilarity
from paranmt.launch.runners.local import LocalRunner
from paranmt.launch.runners.profile import Profile
from paranmt.models.encoders.encoder_kinds import ENCODERS, folder_wants_gpu
from paranmt.models.encoders.export import export_encoder
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.vocabulary import Vocabulary
from paranmt.models.training.head_options import NliOptions
from paranmt.models.training.train_options import TrainOptions
from paranmt.pipeline.running.placement import find_gpus, requested_device
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.pipeline.stages.stage import Gpus
from paranmt.transforms.beam import gpus, probe
from paranmt.transforms.beam.gpus import claimed
from paranmt.transforms.beam.probe import WorkerFacts, probe_workers
from paranmt.transforms.beam.task_work import Task
from paranmt.transforms.model_kinds import MODEL_KINDS
from paranmt.transforms.storage.workspace import Workspace
from paranmt.transforms.trainings.training_encoders import TrainEncoder
from paranmt.transforms.trainings.training_heads import FineTuneEncoder
from paranmt.transforms.works.scoring import ScorePart


@dataclass(frozen=True)
class Elsewhere(Profile):
    """This process, taken for another machine's."""

    name = "elsewhere"
    wrong: str = ""

    def check(self, workspace: str) -> None:
        return None

    def pipeline(self, stage: str, tasks: int, seconds: float, gpu: bool = False) -> beam.Pipeline:
        if self.wrong:
            raise RuntimeError(self.wrong)
        return beam.Pipeline(runner=FnApiRunner())


HOLD = """
import sys, time
from paranmt.transforms.trainings.training_heads import FineTuneEncoder
from paranmt.transforms.beam.gpus import claimed
with claimed(sys.argv[1:]) as index:
    print(index, flush=True)
    time.sleep(300)
"""


def hold(names: tuple[str, ...]) -> "subprocess.Popen[str]":
    """A process that claims one of the names, says which, and keeps it."""
    return subprocess.Popen([sys.executable, "-c", HOLD, *names], stdout=subprocess.PIPE, text=True)


def first_line(process: "subprocess.Popen[str]") -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_each_process_gets_its_own_gpu() -> None:
    names = (f"test-{uuid.uuid4()}", f"test-{uuid.uuid4()}")
    holders = [hold(names), hold(names)]
    try:
        assert {first_line(holders[0]), first_line(holders[1])} == {"0", "1"}
        holders.append(hold(names))
        assert holders[2].stdout is not None
        ready, _, _ = select.select([holders[2].stdout], [], [], 2.0)
        assert not ready, "a third process got a GPU that is taken"
        holders[0].kill()  # whatever ends a holder gives its GPU back
        assert first_line(holders[2]) in ("0", "1")
    finally:
        for holder in holders:
            holder.kill()
            holder.communicate()


AS_USER = """
import fcntl, os, sys
from paranmt.transforms.trainings.training_heads import FineTuneEncoder
from paranmt.transforms.beam.gpus import claimed
os.seteuid(int(sys.argv[1]))
os.umask(int(sys.argv[2], 8))
with claimed(sys.argv[3:]) as index:
    print(index, flush=True)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become other users")
@pytest.mark.parametrize("umask", ["077", "022", "000"])
def test_users_share_the_gpus(umask: str, tmp_path: Path) -> None:
    """Each makes some of the files, and locks those that the others made."""
    tmp_path.chmod(0o1777)
    for parent in [tmp_path, *tmp_path.parents][:3]:
        parent.chmod(parent.stat().st_mode | 0o055)
    for user, names in ((4001, ["a"]), (4002, ["a", "b"]), (4003, ["b"]), (0, ["a", "b"])):
        done = subprocess.run(
            [sys.executable, "-c", AS_USER, str(user), umask, *names],
            env={**os.environ, "TMPDIR": str(tmp_path)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert (done.stdout, done.returncode) == ("0\n", 0), done.stderr
    modes = {path.name: oct(path.stat().st_mode)[-4:] for path in tmp_path.rglob("*")}
    assert modes == {"paranmt-gpus": "1777", "a": "0666", "b": "0666"}


@pytest.fixture
def locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the GPUs' locks, not made yet."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path / "paranmt-gpus"


def test_a_gpus_lock_cannot_be_a_link(locks: Path, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("")
    locks.mkdir()
    (locks / "gpu").symlink_to(tmp_path / "precious")
    with pytest.raises(RunnerError, match="the locks of this machine's GPUs"), claimed(["gpu"]):
        pass
    (locks / "gpu").unlink()
    locks.rmdir()
    (tmp_path / "elsewhere").mkdir()
    locks.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunnerError, match="Not a directory"), claimed(["gpu"]):
        pass
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_gpus_lock_must_be_a_plain_file(locks: Path) -> None:
    locks.mkdir()
    os.mkfifo(locks / "gpu")
    with pytest.raises(RunnerError, match="not a plain file"), claimed(["gpu"]):
        pass


def test_a_process_keeps_its_gpu() -> None:
    names = (f"test-{uuid.uuid4()}", f"test-{uuid.uuid4()}")
    with claimed(names) as first, claimed(names) as second:
        assert {first, second} == {0, 1}
    with claimed(names) as again:
        assert again == second


def test_no_gpu_is_an_error() -> None:
    with pytest.raises(RunnerError, match="torch finds none in process"), claimed(()):
        pass


def test_the_facts_about_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = Workspace(str(tmp_path))
    (worker,) = probe_workers(Elsewhere(), workspace, gpu=False)  # type: ignore[arg-type]
    assert worker == probe.facts()
    assert not list(tmp_path.glob("_temporary/*"))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            "ModuleNotFoundError: No module named 'paranmt.transforms'",
            "do not have paranmt, or have another version",
        ),
        (
            "Traceback:\n  at x\nValueError: no such pool\n",
            "a first small job failed on --runner elsewhere: Val",
        ),
    ],
)
def test_workers_that_cannot_work(tmp_path: Path, wrong: str, message: str) -> None:
    with pytest.raises(RunnerError, match=message):
        probe_workers(Elsewhere(wrong=wrong), Workspace(str(tmp_path)), gpu=False)  # type: ignore[arg-type]


def test_workers_that_do_not_see_the_workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    original = Workspace.open

    def blind(self: Workspace, name: str) -> object:
        return original(self, name + "-as-another-machine-has-it")

    monkeypatch.setattr(Workspace, "open", blind)
    with pytest.raises(RunnerError, match="cannot read and write the workspace"):
        probe_workers(Elsewhere(), Workspace(str(tmp_path)), gpu=False)  # type: ignore[arg-type]


def test_workers_of_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = probe.facts()
    old = WorkerFacts("far", 1, 4, (), here.python, "0.0.1")
    with pytest.raises(RunnerError, match="the worker on far has paranmt 0.0.1 with Python"):
        probe._require_same_versions([here, old])
    probe._require_same_versions([here])


MODEL = "translate: {{model: {model}, device: {device}}}\n"


def recipe_with_model(folder: Path, device: str) -> str:
    from nmt_models import write_model

    model = write_model(folder / "model", updates=1)
    paths = write_bitext(folder / "new", "new", 30)
    files = f"source: {paths['xx']}, reference: {paths['en']}"
    entry = f"  - {{corpus: new, format: moses, {files}, source_language: xx}}"
    text = recipe_text(folder, {"first": 30}, extra=MODEL.format(model=model, device=device))
    return text.replace("ingest:", entry + "\ningest:", 1)


class Driver:
    """NVIDIA's driver library, as far as it is asked for GPUs; status: what each of its functions returns."""

    def __init__(self, status: int, gpus: int) -> None:
        self._status, self._gpus = status, gpus

    def cuInit(self, flags: int) -> int:  # noqa: N802
        return self._status

    def cuDeviceGetCount(self, count: Any) -> int:  # noqa: N802
        count._obj.value = self._gpus
        return self._status


@pytest.mark.parametrize("driver", [None, Driver(100, 1), Driver(0, 0)], ids=["missing", "fails", "no GPU"])
def test_torch_is_not_asked_where_the_driver_shows_no_gpu(
    driver: Driver | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def library(name: str) -> Driver:
        if driver is None:
            raise OSError(f"{name}: cannot open shared object file")
        return driver

    monkeypatch.setattr("ctypes.CDLL", library)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert not has_gpu()
    assert gpus.gpu_names() == ()


@pytest.mark.parametrize("confirmed", [True, False])
def test_torch_confirms_what_the_driver_shows(confirmed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ctypes.CDLL", lambda name: Driver(0, 2))
    monkeypatch.setattr("torch.cuda.is_available", lambda: confirmed)
    assert has_gpu() is confirmed


def crew(*gpu_counts: int) -> tuple[WorkerFacts, ...]:
    here = probe.facts()
    return tuple(
        WorkerFacts(f"h{number}", number, 8, tuple(f"g{n}" for n in range(count)), here.python, here.paranmt)
        for number, count in enumerate(gpu_counts)
    )


def test_where_gpus_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace, messages = Workspace(str(tmp_path / "work")), []
    auto = load(tmp_path, recipe_with_model(tmp_path, "auto"))
    assert requested_device(auto) == "auto"
    pools = {False: crew(0, 0), True: crew(2, 1)}
    monkeypatch.setattr("paranmt.pipeline.running.placement.gpu_names", lambda: ())
    monkeypatch.setattr(
        "paranmt.pipeline.running.placement.probe_workers", lambda runner, workspace, gpu: pools[gpu]
    )
    assert find_gpus(auto, LocalRunner(), workspace, messages.append) == Gpus(False, False)
    assert find_gpus(auto, Elsewhere(), workspace, messages.append) == Gpus(False, True)  # type: ignore[arg-type]
    assert messages == ["workers: 2 processes on 2 machines (16 processors, 3 GPUs) answered"]
    pools[True] = crew(2, 0)
    assert find_gpus(auto, Elsewhere(), workspace, messages.append) == Gpus(False, False)  # type: ignore[arg-type]
    wanting = load(tmp_path, recipe_with_model(tmp_path, "cuda"))
    with pytest.raises(RunnerError, match="asks for device: cuda, but torch finds no GPU on h1; run the GPU"):
        find_gpus(wanting, Elsewhere(), workspace, messages.append)  # type: ignore[arg-type]
    # What needs no GPU can be computed where there is none, also of a recipe that was translated on one.
    pools[False] = crew(0)
    believed = find_gpus(wanting, Elsewhere(), workspace, messages.append, needed=False)  # type: ignore[arg-type]
    assert believed == Gpus(False, True)
    assert find_gpus(wanting, LocalRunner(), workspace, messages.append, needed=False) == Gpus(False, True)


@pytest.mark.parametrize(("kind", "device"), [("avg", "cpu"), ("lstm", "cuda")])
def test_encoders_score_and_evaluate_on_a_gpu_if_they_gain_from_it(
    tmp_path: Path, kind: str, device: str
) -> None:
    encoder = f"{{type: {kind}, dimension: 4}}"
    recipe = load(
        tmp_path,
        recipe_text(tmp_path, {"first": 10}),
        f"scores={{paraphrase_similarity: {{encoder: {encoder}}}}}",
        "select={all: {}}",
        f"train={{it: {{selection: all, encoder: {encoder}}}}}",
        f"evaluate={{sts: {{encoder: it, data: {tmp_path / 'sts'}}}}}",
        "duplicates=null",
    )
    assert requested_device(recipe) == ("auto" if device == "cuda" else "cpu")
    for gpu, expected in ((True, device), (False, "cpu")):
        plan = make_plan(recipe, Gpus(gpu, gpu))
        for name in ("score/paraphrase_similarity", "evaluate/sts"):
            stage = plan.stage(name)
            assert stage.work.device == expected  # type: ignore[union-attr]
            assert stage.ingredients.get("device", "cpu") == expected
        assert plan.stage("score/paraphrase_similarity").gpu == (expected == "cuda")


def test_an_encoder_is_trained_where_the_gpu_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = load(
        tmp_path,
        recipe_text(tmp_path, {"first": 10}),
        "select={all: {}}",
        "train={here: {selection: all}, there: {selection: all, run_on: workers}}",
        "evaluate={}",
        "duplicates=null",
    )
    assert requested_device(recipe) == "auto"
    for driver, workers in ((False, True), (True, False)):
        plan = make_plan(recipe, Gpus(driver, workers))
        for name, is_there in (("here", driver), ("there", workers)):
            stage = plan.stage(f"train/{name}")
            # A worker without a GPU must not train under the key of a GPU, so the work names the device.
            device = "cuda" if is_there else "cpu"
            assert isinstance(stage.work, TrainEncoder)
            assert stage.ingredients["device"] == stage.work.options.device == device
            assert (stage.on_workers, stage.gpu) == (name == "there", name == "there" and workers)


@pytest.mark.parametrize(
    ("work", "trains"),
    [
        (TrainEncoder("train/it", (), "all", TrainOptions(device="cuda")), "trainer.train_encoder"),
        (
            FineTuneEncoder("train/it", NliOptions(examples="it", dev="it", device="cuda"), (("it", ""),)),
            "fine_tuning.fine_tune",
        ),
    ],
)
def test_a_training_on_a_gpu_has_it_for_itself(
    work: TrainEncoder | FineTuneEncoder, trains: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, task = Workspace(str(tmp_path)), Task("", "key", ())
    monkeypatch.setattr(gpus, "gpu_names", lambda: ())
    monkeypatch.setattr("paranmt.models.training.train_options.has_gpu", lambda: True)
    with pytest.raises(RunnerError, match="the work needs a GPU"):
        work.make(workspace, task, tmp_path, tmp_path)

    def train(*_: object, **__: object) -> None:
        file = os.open(tmp_path / "paranmt-gpus/the-gpu", os.O_RDONLY)
        with pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.close(file)
        raise KeyboardInterrupt

    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr(gpus, "gpu_names", lambda: ("the-gpu",))
    monkeypatch.setattr("torch.cuda.device", lambda index: contextlib.nullcontext())
    monkeypatch.setattr(
        "paranmt.transforms.trainings.training_heads.as_planned", lambda *_: contextlib.nullcontext()
    )
    monkeypatch.setattr(f"paranmt.models.training.{trains}", train)
    with pytest.raises(KeyboardInterrupt):
        work.make(workspace, task, tmp_path, tmp_path)


def test_a_given_encoder_goes_to_a_gpu_if_it_gains_from_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for kind in ("avg", "lstm"):
        encoder = ENCODERS[kind](dimension=2).build({"words": 2}, "words")  # type: ignore[call-arg]
        SentenceEncoder(encoder, Vocabulary(["w"])).save(tmp_path / kind)
        export_encoder(SentenceEncoder.load(tmp_path / kind), tmp_path / f"exported {kind}", "float16")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/modules.json").write_text("[]")
    kinds = ("avg", "lstm", "exported avg", "exported lstm", "theirs", "absent")
    wants = [folder_wants_gpu(str(tmp_path / kind)) for kind in kinds]
    assert wants == [False, True, False, True, True, False]
    moved: list[str] = []
    monkeypatch.setattr(SentenceEncoder, "to", lambda encoder, device: moved.append(device))
    score = ParaphraseSimilarity(encoder=EncoderSpec(path=str(tmp_path / "lstm")))
    for device, gpu in (("cpu", -1), ("cuda", 0)):
        ScorePart("score/s", "s", score, device=device)._load(None, gpu)
        assert moved == ([] if device == "cpu" else ["cuda"])
    assert MODEL_KINDS["encoder"].wants_gpu(score)
    assert not MODEL_KINDS["encoder"].wants_gpu(ParaphraseSimilarity(vectors="v.txt"))


def test_a_recipe_for_a_gpu_never_runs_on_a_cpu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paranmt.pipeline.running.placement.gpu_names", lambda: ())
    monkeypatch.setattr(gpus, "gpu_names", lambda: ())
    recipe = load(tmp_path, recipe_with_model(tmp_path, "cuda"))
    plan = make_plan(recipe)  # what would be done elsewhere can be looked at here
    assert plan.stage("translate").gpu
    with pytest.raises(RecipeError, match="torch finds no GPU on the machine that translates"):
        run(recipe, LocalRunner(), Silent())
    assert run(recipe, LocalRunner(), Silent(), last="ingest").computed == ("ingest",)
    # A worker that was never asked, as it joined later, refuses too.
    with pytest.raises(RunnerError, match="the work needs a GPU"), gpus.one_gpu():
        pass
    monkeypatch.setattr(
        "paranmt.pipeline.running.placement.probe_workers", lambda runner, workspace, gpu: crew(1)
    )
    with pytest.raises(RunnerError, match="the work needs a GPU"):
        run(recipe, Elsewhere(), Silent())  # type: ignore[arg-type]
    assert not list((tmp_path / "work").glob("translate/new/*.parquet"))
