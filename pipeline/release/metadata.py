"""The metadata of a release for machines: `croissant.json` and `manifest.json`."""

from collections.abc import Mapping
from dataclasses import replace

from ...base.dataset_columns import PAIR_ID
from ..manifest.manifest import MANIFEST
from ..manifest.release_summary import ColumnSummary, OtherFile, ReleaseSummary, other_file
from ..manifest.typed_json import to_json
from .card import DATA_FILES, PARANMT, citation, dataset_card

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

_DATA_TYPES = {
    "bool": "sc:Boolean",
    "int8": "sc:Integer",
    "int32": "sc:Integer",
    "float32": "sc:Float",
    "string": "sc:Text",
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
    authors = [{"@type": "sc:Person", "name": name} for name in release.authors]
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": release.name,
        "description": (f"{release.description} " if release.description else "")
        + f"{release.pairs:,} pairs of English sentences with the same meaning: human "
        f"references and machine translations of their sources, with scores, deciles and selections.",
        "citeAs": f"{citation(release)}\n\n{PARANMT}",
        **({"creator": authors} if authors else {}),
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
                "field": [_field(column) for column in release.columns if column.type in _DATA_TYPES],
            }
        ],
    }


def _field(column: ColumnSummary) -> dict[str, object]:
    unit = f" Unit: {column.unit}." if column.unit else ""
    return {
        "@type": "cr:Field",
        "@id": f"{_PAIRS}/{column.name}",
        "name": column.name,
        "description": column.meaning + unit,
        "dataType": _DATA_TYPES[column.type],
        "source": {"fileSet": {"@id": _FILES}, "extract": {"column": column.name}},
    }


def release_texts(release: ReleaseSummary, others: Mapping[str, OtherFile]) -> dict[str, bytes]:
    """The card, the Croissant metadata and, last, `manifest.json`, by their names in the release's folder.

    others: the certificates with their lists of matches, by name. The manifest has the checksums of all other
    files, and a hash of itself.
    """
    texts = {"README.md": dataset_card(release).encode(), "croissant.json": to_json(croissant(release))}
    described = {name: other_file(text) for name, text in texts.items()}
    release = replace(release, other_files={**others, **described})
    return {**texts, "manifest.json": MANIFEST.text(release)}
