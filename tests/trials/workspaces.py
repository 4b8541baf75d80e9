"""The small recipe that all trials begin with, and what they ask of the workspace it makes."""

import copy
import io
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import corpus
import pyarrow as pa
import pyarrow.parquet as pq
import yaml

from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.recipe.name import StageName
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import RunResult, run

Lines = list[tuple[str, str, str]]
"""Rows of a bitext: source, reference, translation."""


class Observer:
    """Keeps the messages of a run."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def stages_planned(self, expected: Mapping[StageName, float | None]) -> None: ...

    def stage_started(self, name: str, parts: int | None, done: int) -> None: ...
    def part_done(self, name: str, pairs: int) -> None: ...
    def stage_goes_on(self, name: str, share: float | None, note: str) -> None: ...

    def stage_finished(self, name: str, seconds: float, pairs: int, computed: int) -> None: ...

    def message(self, text: str) -> None:
        self.messages.append(text)


@dataclass
class Bitext:
    """One corpus of a project: what its recipe entry says, and its rows. folder: where its files lie."""

    corpus: str
    format: str
    rows: Lines
    domain: str
    licence: str = "cc0-1.0"
    folder: str = "data"
    file: str = ""

    def entry(self) -> dict[str, Any]:
        """What the recipe says of it."""
        path = f"{self.folder}/{self.file or self.corpus}"
        common = {"corpus": self.corpus, "format": self.format, "source_language": "xx"}
        common |= {"domain": self.domain, "licence": self.licence}
        if self.format == "moses":
            sides = {"source": "xx", "reference": "en", "translation": "mt"}
            return {**common, **{side: f"{path}.{ending}" for side, ending in sides.items()}}
        if self.format == "tsv":
            return {**common, "path": f"{path}.tsv", "source": 1, "reference": 2, "translation": 3}
        return {**common, "path": f"{path}.parquet", "translation": "translation"}

    def files(self) -> dict[str, bytes]:
        """Its input files, by their paths in the project's folder."""
        path = f"{self.folder}/{self.file or self.corpus}"
        if self.format == "moses":
            sides = zip(("xx", "en", "mt"), zip(*self.rows, strict=True), strict=True)
            return {f"{path}.{ending}": _text(lines) for ending, lines in sides}
        if self.format == "tsv":
            return {f"{path}.tsv": _text("\t".join(row) for row in self.rows)}
        columns = zip(("source", "reference", "translation"), zip(*self.rows, strict=True), strict=True)
        buffer = io.BytesIO()
        pq.write_table(pa.table({name: list(values) for name, values in columns}), buffer)
        return {f"{path}.parquet": buffer.getvalue()}


@dataclass
class Project:
    """A recipe and its inputs, as a user might keep them in a folder. workspace: as the recipe names it."""

    bitexts: list[Bitext]
    recipe: dict[str, Any]
    workspace: str = "work"
    written: dict[str, bytes] = field(default_factory=dict)

    def copy(self) -> "Project":
        return copy.deepcopy(self)

    def text(self) -> str:
        """The recipe file."""
        entries = [bitext.entry() for bitext in self.bitexts]
        content = {"workspace": self.workspace, "bitext": entries, **self.recipe}
        return yaml.safe_dump(content, sort_keys=False)

    def files(self) -> dict[str, bytes]:
        """The recipe and the input files, by their paths in the folder."""
        files = {path: content for bitext in self.bitexts for path, content in bitext.files().items()}
        return {**files, "recipe.yaml": self.text().encode()}

    def write(self, folder: Path) -> None:
        """Bring the folder up to date: files that did not change are not written again."""
        files = self.files()
        for path in self.written.keys() - files.keys():
            (folder / path).unlink()
        for path, content in files.items():
            if self.written.get(path) != content:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                (folder / path).write_bytes(content)
        self.written = files
        if not (folder / "sts").exists():
            corpus.write_sts(folder / "sts")
            corpus.write_sts(folder / "dev" / "STS2012-train")
            _write_examples(folder / "examples.tsv", 40)
            _write_examples(folder / "dev.tsv", 20)


def small_project() -> Project:
    """Three corpora of three formats in seven parts, with rejects, and every kind of stage."""
    first = made_up_rows(110, seed=1)
    first[10] = (first[10][0], "", first[10][2])
    first[95] = ("x" * 500, *first[95][1:])
    bitexts = [
        Bitext("first", "moses", first, "d0"),
        Bitext("second", "tsv", made_up_rows(60, seed=2), "d1", "cc-by-4.0"),
        Bitext("third", "parquet", made_up_rows(45, seed=3), "d2"),
    ]
    encoder = {"type": "avg", "dimension": 16}
    trained = {"encoder": {"type": "avg", "dimension": 4}, "epochs": 1, "device": "cpu"}
    recipe: dict[str, Any] = {
        "seed": 1,
        "ingest": {"part_rows": 40, "max_characters": 400},
        "scores": {
            "perplexity": {"lm": {"train_on": 20}},
            "trigram_overlap": {},
            "paraphrase_similarity": {"encoder": {**encoder, "train_on": 150, "epochs": 1}},
            "contamination": {"sets": [{"name": "sts", "path": "sts"}]},
        },
        "duplicates": {},
        "tune": {
            "found": {
                **{"data": "dev", "scores": ["trigram_overlap"], "pairs": 10},
                **{"seeds": 1, "fresh_seeds": 2, "batch": 10, "encoder": {"dimension": 4}, "epochs": 1},
            }
        },
        "select": {
            "middling": {"where": "paraphrase_similarity_decile between 2 and 9", "sample": 110},
            "short": {"where": "trigram_overlap <= 0.7 and perplexity < 100000 and domain <> 'd9'"},
        },
        "release": {"rows_per_file": 90},
        "train": {
            "avg": {"selection": "middling", "encoder": encoder, "epochs": 1, "mega_batch": 2, "batch": 20},
            "head": {"objective": "nli", "examples": "examples.tsv", "dev": "dev.tsv", **trained},
        },
        "evaluate": {"sts": {"encoder": "avg", "data": "sts"}},
    }
    return Project(bitexts, recipe)


def _write_examples(file: Path, count: int) -> None:
    """Pairs of sentences with labels of inference, a line each."""
    labels = ("entailment", "neutral", "contradiction")
    rows = made_up_rows(count, seed=count)
    lines = [f"{reference}\t{translation}" for _, reference, translation in rows]
    file.write_bytes(_text(f"{line}\t{labels[n % 3]}" for n, line in enumerate(lines)))


def made_up_rows(count: int, seed: int) -> Lines:
    """Rows made of a few words, with translations that differ from the references."""
    choose = Random(seed)
    rows: Lines = []
    for _ in range(count):
        words = [
            choose.choice(options)
            for options in (corpus.SUBJECTS, corpus.VERBS, corpus.OBJECTS, corpus.PLACES)
        ]
        changed = [corpus.OTHER.get(word, word) if choose.random() < 0.6 else word for word in words]
        if choose.random() < 0.3:
            changed = [changed[3], *changed[:3]]
        reference = " ".join(words)
        rows.append((reference[::-1], f"{reference.capitalize()}.", f"{' '.join(changed).capitalize()}."))
    return rows


def compute(folder: Path, *overrides: str, observer: Observer | None = None, **options: str) -> RunResult:
    """`paranmt run` of the folder's recipe, in this process."""
    recipe = Recipe.load(folder / "recipe.yaml", overrides)
    return run(recipe, LocalRunner(workers=1), observer or Observer(), **options)  # type: ignore[arg-type]


def not_fresh(folder: Path, *overrides: str) -> dict[str, str]:
    """The stages that `plan` finds to be anything but fresh, with their states."""
    plan = make_plan(Recipe.load(folder / "recipe.yaml", overrides))
    return {condition.name: condition.state for condition in plan.conditions if condition.state != "fresh"}


CHANGED = ("select.short.where=trigram_overlap <= 0.6", "select.middling.sample=90")
"""Another recipe than the small one, whose release is made from every dataset anew."""


def copy_folder(origin: Path, folder: Path) -> None:
    """A copy with the same modification times and the same hard links."""
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["cp", "-a", str(origin), str(folder)], check=True)


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file below a folder, by its path there."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def published(folder: Path, project: Project) -> dict[str, bytes]:
    """What the project's recipe publishes that follows from recipe and inputs alone; no times, no report."""
    work = folder / project.workspace
    trained = [f"train/{name}" for name in project.recipe.get("train", {})]
    evaluated = [f"evaluate/{name}" for name in project.recipe.get("evaluate", {})]
    tuned = [f"tune/{name}" for name in project.recipe.get("tune", {})]
    return {
        f"{place}/{name}": content
        for place in ("release", *trained, *evaluated, *tuned)
        for name, content in files_of(work / place).items()
        if name != "training.json"  # it holds times
        and re.search(r"\.changed-\d+$", name) is None  # what a published file held before it was damaged
    }


def differences(wanted: dict[str, bytes], there: dict[str, bytes]) -> list[str]:
    """How two sets of files differ, a line each; empty where they do not."""
    return [
        f"{name} is {'missing' if name not in there else 'too many' if name not in wanted else 'different'}"
        for name in sorted(wanted.keys() | there.keys())
        if wanted.get(name) != there.get(name)
    ]


def finished_files(workspace: Path) -> dict[str, bytes]:
    """Files that never change once they are there: parts, models, and what else has its key in its name."""
    files = files_of(workspace)
    return {
        name: content
        for name, content in files.items()
        if name.startswith("_built/")
        and name.count("/") > 2
        and "/_manifests/" not in name
        and not name.endswith(("/_manifest.json", "/_published.json", "/run.json"))
        or name.endswith(".parquet")
        and not name.startswith(("release/", "_temporary/"))
    }


def _text(lines: Any) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()
