"""Small recipes, run in this process."""

from collections.abc import Mapping
from pathlib import Path

from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.recipe.name import StageName
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.run import RunResult, run


class Silent:
    """An observer that keeps what it is told."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.parts: list[str] = []
        self.computed: dict[str, int] = {}

    def stages_planned(self, expected: Mapping[StageName, float | None]) -> None: ...

    def stage_started(self, name: str, parts: int | None, done: int) -> None: ...

    def part_done(self, name: str, pairs: int) -> None:
        self.parts.append(name)

    def stage_goes_on(self, name: str, share: float | None, note: str) -> None: ...

    def stage_finished(self, name: str, seconds: float, pairs: int, computed: int) -> None:
        self.computed[name] = computed

    def message(self, text: str) -> None:
        self.messages.append(text)


def load(folder: Path, text: str, *overrides: str) -> Recipe:
    (folder / "recipe.yaml").write_text(text)
    return Recipe.load(folder / "recipe.yaml", overrides)


def go(recipe: Recipe, **options: str) -> RunResult:
    return run(recipe, LocalRunner(), Silent(), **options)  # type: ignore[arg-type]
