"""The `against` stage: hashes of texts that exist already, with which pairs are compared."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ...base.keys import digest
from ...transforms.beam.task_work import Task
from ...transforms.beam.timing import WORK
from ...transforms.storage.dataset import Entry
from ..recipe.name import StageName
from ..recipe.recipe import Recipe
from .samples import Measurement
from .stage import Planning, Stage
from .stage_kind import StageKind
from .whole import Whole

if TYPE_CHECKING:
    from ...transforms.works.existing_texts import HashExisting


class AgainstStage(StageKind["HashExisting"]):
    """Hashes the texts of releases and other files."""

    seconds_a_pair = 2e-6

    def labels(self, recipe: Recipe) -> Iterable[str]:
        return ("",) if recipe.duplicates is not None and recipe.duplicates.against else ()

    def plan(self, name: StageName, planning: Planning) -> Stage:
        from ...transforms.works.existing_texts import Chunk, HashExisting, count_chunks

        options = planning.recipe.duplicates
        assert options is not None
        chunks: list[Chunk] = []
        tasks = []
        for path, content in planning.hashes(options.against).items():
            count = count_chunks(path, options.similarity)
            for number in range(count):
                key = digest(name, self.version, options.of, options.similarity, content, number, count)
                tasks.append(Task(f"{len(chunks):05d}", key, ()))
                chunks.append(Chunk(path, content, number, count))
        work = HashExisting(name, options.of, options.similarity, tuple(chunks))
        ingredients: dict[str, object] = {
            "of": options.of,
            "similarity": options.similarity,
            "chunks": len(chunks),
        }
        key = digest(name, [task.key for task in tasks])
        return Stage(self, name, (), key, ingredients, tuple(tasks), work, planning.stage("ingest").rows)

    def tasks(self, whole: Whole) -> int:
        return 1

    def sample(self, stage: Stage, entry: Entry, size: int, all_pairs: int) -> Measurement | None:
        return Measurement(all_pairs, entry.seconds[WORK], size)  # as long for any number of pairs


def paths_of(stage: "Stage[HashExisting]") -> list[int]:
    """For each task, the number of its path."""
    paths = list(dict.fromkeys(chunk.path for chunk in stage.work.chunks))
    return [paths.index(chunk.path) for chunk in stage.work.chunks]
