"""Files that a user puts into a workspace, and published files that a user edits: none is lost."""

from pathlib import Path
from random import Random

from outcomes import Broken, Steps, Verdict
from workspaces import (
    CHANGED,
    compute,
    copy_folder,
    differences,
    files_of,
    finished_files,
    published,
    small_project,
)

from paranmt.base.errors import UserError
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.clean import clean

STEPS = 4
HERE = "here/kept"
"""The finished folder that is its own workspace: a release is named after the workspace's folder."""
# Where people put files of their own.
PLACES = (
    "LICENSE",
    "_notes.txt",
    "release/LICENSE",
    "release/.git/HEAD",
    "release/.git/objects/3f/9c1d2e",
    "release/explore.ipynb",
    "release/README.md~",
    "release/data/mine.parquet",
    "train/NOTES.md",
    "train/avg/NOTES.md",
    "train/avg/old/model.safetensors",
    "evaluate/sts/scores.csv",
    "report/figure.svg",
    "ingest/notes.txt",
    "ingest/first/backup.parquet",
    "translate/mine.json",
    "score/perplexity/plot.png",
    "score/perplexity/first/backup.parquet",
    "deciles/notes.txt",
    "select/short/mine.sql",
    "_built/notes.txt",
    "_built/release/mine.parquet",
    "_built/train/avg/notes.txt",
    "mine/score/perplexity/_manifest.json",
    "data-of-mine/train.en",
)
# Names that a later recipe wants to publish, taken by the user before.
TAKEN = ("train/other/config.json", "release/data/train-00000-of-00005.parquet")
EDITED = (
    "release/README.md",
    "release/manifest.json",
    "release/croissant.json",
    "release/data/train-00000-of-00003.parquet",
    "release/data/train-00002-of-00003.parquet",
    "train/avg/config.json",
    "train/avg/vocabulary.txt",
    "evaluate/sts/results.json",
    "report/index.html",
)
RECIPES: dict[str, tuple[str, ...]] = {
    "run": (),
    "run another selection": CHANGED,
    "run with smaller files": ("release.rows_per_file=45",),
    "run without evaluation": ("evaluate={}",),
    "run with another encoder": (
        "train.other={selection: short, epochs: 1, batch: 20, encoder: {type: avg, dimension: 8}}",
    ),
}


def users_files(seed: int, shared: Path, folder: Path, steps: Steps) -> Verdict:
    """Runs and cleanings around a user's files and edits; every second time in the recipe's own folder."""
    choose = Random(seed)
    place = folder / "kept"
    here = seed % 2 == 0
    steps.kind = "a user's files and edits" + (", `workspace: .`" if here else "")
    copy_folder(shared / (HERE if here else "finished"), place)
    project = small_project()
    workspace = place if here else place / "work"
    built = finished_files(workspace)
    inputs = {
        name: content for name, content in files_of(place).items() if name.startswith(("data/", "sts/"))
    }
    user = _User(workspace, choose, steps)
    for _ in range(STEPS):
        what = choose.choice((*RECIPES, "clean", "clean --older"))
        try:
            if what.startswith("clean"):
                clean(Recipe.load(place / "recipe.yaml"), older=what.endswith("older"))
            else:
                compute(place, *RECIPES[what])
            steps.append(what)
        except UserError as error:
            # A place that is taken may be refused, and nothing else.
            if not any(name in str(error) for name in (*user.files, *user.edits)):
                raise
            steps.append(f"{what}: {error}")
        user.check()
        for name, content in finished_files(workspace).items():
            if name in built and name not in user.files and content != built[name]:
                raise Broken("lost", f"{name}, which a published file came from, is changed")
        now = files_of(place)
        if any(now.get(name) != content for name, content in inputs.items()):
            raise Broken("lost", "an input file is gone or changed")
    compute(place)
    steps.append("run")
    user.check()
    project.workspace = "." if here else "work"
    wanted = published(shared / (HERE if here else "finished"), project)
    of_user = {*user.files, *user.edits}
    there = {
        name: content
        for name, content in published(place, project).items()
        if name not in of_user and content not in user.edits.values()
    }
    differ = differences({name: wanted[name] for name in wanted if name not in of_user}, there)
    if differ:
        raise Broken("silent", f"what the user did not touch differs: {'; '.join(differ)}")
    return "right"


class _User:
    """What a user put into a workspace and changed there: name → content."""

    def __init__(self, workspace: Path, choose: Random, steps: Steps) -> None:
        self._workspace = workspace
        names = [*choose.sample(PLACES, 12), *(choose.sample(TAKEN, 1) if choose.random() < 0.3 else [])]
        self.files = {name: choose.randbytes(50) for name in names}
        for name, content in self.files.items():
            path = workspace / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        self.edits: dict[str, bytes] = {}
        for name in choose.sample(EDITED, choose.randint(0, 3)):
            with open(workspace / name, "ab") as file:  # as an editor that keeps hard links
                file.write(b"\nA line of my own.\n")
            self.edits[name] = (workspace / name).read_bytes()
        steps.append(f"put files: {', '.join(self.files)}")
        steps.append(f"append a line to: {', '.join(self.edits) or 'nothing'}")

    def check(self) -> None:
        """Broken where a file is gone, or where the text of an edited one is nowhere in the workspace."""
        there = files_of(self._workspace)
        everywhere = set(there.values())
        for name, content in self.files.items():
            is_kept = content in everywhere if name in TAKEN else there.get(name) == content
            if not is_kept:
                raise Broken("lost", f"the user's {name} is {'changed' if name in there else 'gone'}")
        for name, content in self.edits.items():
            if content not in everywhere:
                raise Broken("lost", f"the edited {name} is nowhere any more")
