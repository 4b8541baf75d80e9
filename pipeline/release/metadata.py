"""The metadata of a release for machines: `croissant.json` and `manifest.json`."""

import json
import math
from collections.abc import Mapping
from dataclasses import asdict

import pyarrow as pa

from ...base.columns import PAIR_ID, Column
from ...transforms.storage.content_hash import seal
from .card import CITATION, DATA_FILES, dataset_card
from .release_summary import FORMAT, FORMAT_VERSION, OtherFile, ReleaseSummary, other_file, type_name

# The context that every description starts with: Croissant 1.0, "The Croissant Namespaces".
_TERMS = (
    "citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes "
    "isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace "
    "samplingRate separator source subField transform"
).split()
_CONTEXT: dict[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{term: f"cr:{term}" for term in _TERMS},
}

_PARQUET = "application/x-parquet"
_FILES = "parquet-files"
_PAIRS = "pairs"


def croissant(release: ReleaseSummary) -> dict[str, object]:
    """Croissant 1.0 metadata (JSON-LD) of a release, for a file in the release's folder.

    It lists each file with its checksum, and one record set whose fields are the columns. Nested columns
    (`candidates`) are left out, because a field extracts one value from one column.
    """
    licences = release.licences or ["not stated"]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": release.name,
        "description": f"{release.pairs:,} pairs of English sentences with the same meaning: human "
        f"references and machine translations of their sources, with scores, deciles and selections.",
        "citeAs": CITATION,
        "inLanguage": release.languages,
        "keywords": ["paraphrase", "back-translation", "sentence embeddings"],
        "license": licences[0] if len(licences) == 1 else licences,
        **({"url": release.url} if release.url else {}),
        **({"datePublished": release.date_published} if release.date_published else {}),
        "distribution": [
            *(
                {
                    "@type": "cr:FileObject",
                    "@id": path,
                    "name": path.rpartition("/")[2],
                    "contentUrl": path,
                    "contentSize": f"{file.bytes} B",
                    "encodingFormat": _PARQUET,
                    "sha256": file.sha256,
                }
                for path, file in release.files.items()
            ),
            {
                "@type": "cr:FileSet",
                "@id": _FILES,
                "name": _FILES,
                "description": "All pairs, in order.",
                "encodingFormat": _PARQUET,
                "includes": DATA_FILES,
            },
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": _PAIRS,
                "name": _PAIRS,
                "description": "One record per pair.",
                "key": {"@id": f"{_PAIRS}/{PAIR_ID.name}"},
                "field": [
                    _field(column) for column in release.columns if not pa.types.is_nested(column.type)
                ],
            }
        ],
    }


def _field(column: Column) -> dict[str, object]:
    unit = f" Unit: {column.unit}." if column.unit else ""
    return {
        "@type": "cr:Field",
        "@id": f"{_PAIRS}/{column.name}",
        "name": column.name,
        "description": column.meaning + unit,
        "dataType": _data_type(column.type),
        "source": {"fileSet": {"@id": _FILES}, "extract": {"column": column.name}},
    }


def _data_type(type_: pa.DataType) -> str:
    if pa.types.is_boolean(type_):
        return "sc:Boolean"
    if pa.types.is_integer(type_):
        return "sc:Integer"
    if pa.types.is_floating(type_):
        return "sc:Float"
    if pa.types.is_string(type_):
        return "sc:Text"
    raise TypeError(f"no Croissant data type for {type_}")


def release_texts(release: ReleaseSummary, others: Mapping[str, OtherFile]) -> dict[str, bytes]:
    """The card, the Croissant metadata and, last, `manifest.json`, by their names in the release's folder.

    others: the certificates with their lists of matches, by name. The manifest has the checksums of all other
    files, and a hash of itself.
    """
    texts = {"README.md": dataset_card(release).encode(), "croissant.json": to_json(croissant(release))}
    described = {name: other_file(text) for name, text in texts.items()}
    manifest = release_manifest(release, {**others, **described})
    # JSON has no other keys than strings, whose order decides the hash.
    return {**texts, "manifest.json": to_json(seal(json.loads(json.dumps(manifest))))}


def to_json(content: Mapping[str, object]) -> bytes:
    """A JSON object as a release has it."""
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def release_manifest(
    release: ReleaseSummary, others: Mapping[str, OtherFile] | None = None
) -> dict[str, object]:
    """`manifest.json`: what the release contains, what it was made from, and the checksums of its files.

    others: all files but those with pairs and the manifest itself.
    """
    return {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "name": release.name,
        "pairs": release.pairs,
        **({"url": release.url} if release.url else {}),
        **({"date_published": release.date_published} if release.date_published else {}),
        "files": [{"path": path, **asdict(file)} for path, file in release.files.items()],
        "other_files": [{"path": path, **asdict(file)} for path, file in (others or {}).items()],
        "columns": [
            {
                "name": column.name,
                "type": type_name(column.type),
                "unit": column.unit,
                "meaning": column.meaning,
            }
            for column in release.columns
        ],
        "primary_score": release.primary_score,
        "scores": [{**asdict(score), "cuts": [_json(cut) for cut in score.cuts]} for score in release.scores],
        "corpora": [{**asdict(corpus), "rejects": dict(corpus.rejects)} for corpus in release.corpora],
        "licences": release.licences,
        "translation": asdict(release.translation),
        "selections": [asdict(selection) for selection in release.selections],
        "recipe": dict(release.recipe),
        "recipe_hash": release.recipe_hash,
        "made_of": dict(release.made_of),
        **({"cut_from": [asdict(cut) for cut in release.cut_from]} if release.cut_from else {}),
        "models": [asdict(model) for model in release.models],
        "contamination": [asdict(comparison) for comparison in release.contamination],
        "packages": dict(release.packages),
        "computed_with": {
            stage: [{"versions": dict(count.versions), "parts": count.parts} for count in counts]
            for stage, counts in release.computed_with.items()
        },
    }


def _json(value: float) -> float | str:
    """A number for JSON, which has no infinities: they become the strings "inf" and "-inf"."""
    return str(value) if math.isinf(value) else value
