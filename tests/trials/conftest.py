"""How many trials there are, the workspaces they begin with, and the table at the end."""

import multiprocessing.forkserver
import os
import shutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor, as_completed
from pathlib import Path

import pytest
from kills import forking
from outcomes import Outcome, Trial, markdown_table, outcome, summary
from users_files import HERE
from workspaces import CHANGED, Observer, compute, small_project

from paranmt.base.host_cache import cache_folder
from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.forecast.file import forecast
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.stages.whole import Machines

AT_ONCE = 2
_outcomes: list[Outcome] = []


@pytest.fixture(scope="session")
def seeds() -> Callable[[int], range]:
    """The seeds of a test that has so many cases in the ordinary suite.

    TRIALS_COUNT: so many times as many. TRIALS_SEED: the first one, and without TRIALS_COUNT the only one.
    """
    first, times = os.environ.get("TRIALS_SEED"), os.environ.get("TRIALS_COUNT")

    def some(count: int) -> range:
        begin = int(first or 0)
        return range(begin, begin + (1 if first and not times else count * int(times or 1)))

    return some


@pytest.fixture(scope="session")
def environment_of_trials(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """A cache of their own, and the process that others are forked from, on its way."""
    with pytest.MonkeyPatch.context() as patch:
        cache = tmp_path_factory.mktemp("cache")
        kernels = cache_folder("kernels")
        kernels.mkdir(parents=True, exist_ok=True)
        (cache / "kernels").symlink_to(kernels)  # most of them are compiled already
        patch.setenv("PARANMT_CACHE", str(cache))
        multiprocessing.forkserver.ensure_running()
        yield


@pytest.fixture(scope="session")
def pool(environment_of_trials: None) -> Iterator[ProcessPoolExecutor]:
    with ProcessPoolExecutor(AT_ONCE, mp_context=forking, initializer=_mute) as executor:
        yield executor


@pytest.fixture(scope="session")
def finished(pool: ProcessPoolExecutor, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Finished folders to copy: of the small recipe, of another, of one whose workspace is its own folder."""
    shared = tmp_path_factory.mktemp("finished")
    made = [
        pool.submit(_finish, shared / "finished", "work"),
        pool.submit(_finish, shared / "changed", "work", *CHANGED),
        pool.submit(_finish, shared / HERE, "."),
    ]
    for future in made:
        future.result()
    return shared


@pytest.fixture
def tried(
    request: pytest.FixtureRequest, seeds: Callable[[int], range], finished: Path, tmp_path: Path
) -> Callable[[Trial, int], None]:
    """Tries seeds of a trial, some at once, and fails with all that failed."""

    def run(trial: Trial, count: int) -> None:
        is_long = "TRIALS_COUNT" in os.environ
        reporter = request.config.pluginmanager.getplugin("terminalreporter")
        capture = request.config.pluginmanager.getplugin("capturemanager")
        own = "kills" in trial.__name__  # its commands are processes of their own
        executor = ThreadPoolExecutor(AT_ONCE) if own else request.getfixturevalue("pool")
        futures = [
            executor.submit(_try, trial, seed, finished, tmp_path / str(seed)) for seed in seeds(count)
        ]
        outcomes = []
        for future in as_completed(futures):
            outcomes.append(future.result())
            if is_long and outcomes[-1].failed:
                with capture.global_and_fixture_disabled():
                    reporter.write_line(f"\n{outcomes[-1].told()}")
        _outcomes.extend(sorted(outcomes, key=lambda each: (each.trial, each.kind)))
        failures = [each.told() for each in outcomes if each.failed]
        if failures:
            pytest.fail("\n".join([summary(outcomes), *failures]), pytrace=False)

    return run


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if "TRIALS_COUNT" in os.environ and _outcomes:
        terminalreporter.write_line(markdown_table(_outcomes))
        terminalreporter.write_line(f"trials: {summary(_outcomes)}")


def _mute() -> None:
    """Beam prints the traceback of every error that a trial causes; a failing trial says what it needs."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _finish(folder: Path, workspace: str, *overrides: str) -> None:
    folder.mkdir(parents=True)
    project = small_project()
    project.workspace = workspace
    project.write(folder)
    compute(folder, *overrides, observer=_Keeper(folder / workspace))
    for name in _OF_A_RUN:  # as a run that was killed leaves them
        (folder / workspace / f"{name}.kept").rename(folder / workspace / name)
    if folder.name == "finished":
        plan = make_plan(Recipe.load(folder / "recipe.yaml"))
        forecast(plan, LocalRunner(workers=1), Machines(workers=1), 100, Observer())


_OF_A_RUN = ("_run.json", "_lock.json")


class _Keeper(Observer):
    """Keeps what a run has in its workspace only while it lasts."""

    def __init__(self, workspace: Path) -> None:
        super().__init__()
        self._workspace = workspace

    def stage_started(self, name: str, parts: int | None, done: int) -> None:
        for file in _OF_A_RUN:
            shutil.copyfile(self._workspace / file, self._workspace / f"{file}.kept")


def _try(trial: Trial, seed: int, shared: Path, folder: Path) -> Outcome:
    folder.mkdir()
    result = outcome(trial, seed, shared, folder)
    if not result.failed:
        shutil.rmtree(folder)
    return result
