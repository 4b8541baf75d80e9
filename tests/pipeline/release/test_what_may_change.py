"""The columns and the manifest of a release are those that docs/release.md promises."""

import re
from pathlib import Path

import paranmt
from paranmt.base.dataset_columns import release_columns
from paranmt.pipeline.manifest.manifest import MANIFEST
from paranmt.pipeline.manifest.release_summary import (
    ReleaseSummary,
    ScoreSummary,
    TranslationCounts,
    type_name,
)
from paranmt.transforms.storage.content_hash import seal

DOCS = (Path(paranmt.__file__).parent / "docs/release.md").read_text("utf-8")
SECTION = DOCS.partition("## What may change")[2]


def test_columns_have_the_promised_names_and_types() -> None:
    promised = re.findall(r"^\| `(\w+)` \| (.+) \|$", SECTION, re.MULTILINE)
    columns = release_columns((), candidates=True, duplicates=True)
    types = ((column.name, type_name(column.type)) for column in columns)
    assert promised == [
        (name, "list of structs" if kind.startswith("list<") else kind) for name, kind in types
    ]


def test_the_manifest_has_the_promised_keys_and_version() -> None:
    scores = [ScoreSummary("perplexity", "", "", None, 0, 0)]
    empty = ReleaseSummary("empty", (), TranslationCounts(), (), {}, scores, "perplexity", (), {"seed": 1})
    content = seal(MANIFEST.content(empty))
    keys = SECTION.partition("The keys of `manifest.json` are ")[2].partition(".\n")[0]
    assert re.findall(r"`(\w+)`", keys) == list(content)
    assert f"`format_version`, now {content['format_version']}." in SECTION
