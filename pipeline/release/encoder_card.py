"""The card of an encoder that a run trained: its figures, its data, their licences and the certificate."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ...base.documents import read_json
from ...base.errors import InputError
from ...models.evaluation.table import Table
from ...transforms.works.evaluating import RESULTS
from ..manifest.release_parquet import read_manifest
from ..manifest.release_summary import ReleaseSummary
from .card import as_yaml, hub_licence, templates
from .certificate import FOLDER

_CONFIG = "config.json"


@dataclass(frozen=True)
class EncoderRun:
    """A finished run that trained an encoder. name: of its entry of `train`; workspace: the run's."""

    name: str
    release: ReleaseSummary
    workspace: Path

    @cached_property
    def results(self) -> dict[str, Table]:
        """The results of each entry of `evaluate` that evaluated the encoder."""
        entries: Mapping[str, Any] = self._of_recipe("evaluate")
        files = {
            name: self.workspace / "evaluate" / name / RESULTS
            for name, entry in entries.items()
            if entry.get("encoder") == self.name
        }
        return {name: Table.from_json(read_json(file)) for name, file in files.items() if file.is_file()}

    @property
    def training(self) -> Mapping[str, Any]:
        """The encoder's entry of `train`."""
        entry: Mapping[str, Any] = self._of_recipe("train")[self.name]
        return entry

    def certificates(self) -> dict[str, bytes]:
        """The certificates of the release, by their path in its folder."""
        names = [f"{FOLDER}/{comparison.score}.json" for comparison in self.release.contamination]
        return {name: (self.workspace / "release" / name).read_bytes() for name in names}

    def _of_recipe(self, section: str) -> Mapping[str, Any]:
        found = self.release.recipe.get(section)
        return found if isinstance(found, Mapping) else {}


def encoder_run(workspace: Path, encoder: Path) -> EncoderRun:
    """The run in a workspace that trained the encoder in a folder, which may be a copy.

    InputError if the workspace has no release, or if none of its encoders is this one.
    """
    release = read_manifest(str(workspace / "release"))
    if release is None:
        raise InputError(f"{workspace}: expected a workspace with a release, and there is none")
    config = _content(encoder / _CONFIG)
    trainings = release.recipe.get("train")
    names = list(trainings) if isinstance(trainings, Mapping) else []
    for name in names:
        if config is not None and _content(workspace / "train" / name / _CONFIG) == config:
            return EncoderRun(name, release, workspace)
    raise InputError(
        f"{encoder} is no encoder that the run in {workspace} trained; those are {', '.join(names) or 'none'}"
    )


def encoder_card(run: EncoderRun, dimension: int, precision: str, figures: Mapping[str, str]) -> str:
    """The README.md of an exported encoder, with the header that the Hugging Face hub reads.

    figures: the results of each evaluation, as Markdown.
    """
    selection = run.training.get("selection")
    chosen = [summary.where for summary in run.release.selections if summary.name == selection]
    header = {
        "library_name": "sentence-transformers",
        "pipeline_tag": "sentence-similarity",
        "language": run.release.languages,
        **hub_licence(run.release),
        "tags": ["sentence-embeddings", "paraphrase"],
    }
    return templates.get_template("encoder_card.md.jinja").render(
        header=as_yaml(header),
        name=run.name,
        dimension=dimension,
        precision=precision,
        figures=figures,
        release=run.release,
        selection=selection or "none",
        chosen=chosen,
    )


def _content(file: Path) -> bytes | None:
    return file.read_bytes() if file.is_file() else None
