"""What machines read of a release: `croissant.json` and `manifest.json`."""

import math
from dataclasses import asdict

import pyarrow as pa

from ..columns import PAIR_ID, Column
from .card import CITATION, DATA_FILES
from .release_info import ReleaseInfo, type_name

# Croissant 1.0, "The Croissant Namespaces": the context that every description starts with.
_CONTEXT: dict[str, object] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}

_PARQUET = "application/x-parquet"
_FILES = "parquet-files"
_PAIRS = "pairs"


def croissant(info: ReleaseInfo) -> dict[str, object]:
    """Croissant 1.0 metadata (JSON-LD) of a release, for a file in the release's folder.

    Each file with its checksum, and one record set whose fields are the columns. Nested columns
    (`candidates`) are left out: a field extracts one value from one column.
    """
    licences = info.licences or ["not stated"]
    languages = dict.fromkeys(["en", *(corpus.source_language for corpus in info.corpora)])
    return {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": info.name,
        "description": f"{info.pairs:,} pairs of English sentences with the same meaning: human references "
        f"and machine translations of their sources, with scores, deciles and selections.",
        "citeAs": CITATION,
        "inLanguage": list(languages),
        "keywords": ["paraphrase", "back-translation", "sentence embeddings"],
        "license": licences[0] if len(licences) == 1 else licences,
        **({"url": info.url} if info.url else {}),
        **({"datePublished": info.date_published} if info.date_published else {}),
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
                for path, file in info.files.items()
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
                "description": "One record a pair.",
                "key": {"@id": f"{_PAIRS}/{PAIR_ID.name}"},
                "field": [_field(column) for column in info.columns if not pa.types.is_nested(column.type)],
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


def release_manifest(info: ReleaseInfo) -> dict[str, object]:
    """`manifest.json`: what the release holds, what it was made from, and how to check it arrived whole."""
    return {
        "format": "paranmt release",
        "format_version": 1,
        "name": info.name,
        "pairs": info.pairs,
        **({"url": info.url} if info.url else {}),
        **({"date_published": info.date_published} if info.date_published else {}),
        "files": [{"path": path, **asdict(file)} for path, file in info.files.items()],
        "columns": [
            {
                "name": column.name,
                "type": type_name(column.type),
                "unit": column.unit,
                "meaning": column.meaning,
            }
            for column in info.columns
        ],
        "primary_score": info.primary_score,
        "scores": [{**asdict(score), "cuts": [_json(cut) for cut in score.cuts]} for score in info.scores],
        "corpora": [{**asdict(corpus), "rejects": dict(corpus.rejects)} for corpus in info.corpora],
        "licences": info.licences,
        "translation": asdict(info.translation),
        "selections": [asdict(selection) for selection in info.selections],
        "recipe": dict(info.recipe),
        "models": [asdict(model) for model in info.models],
        "packages": dict(info.packages),
        "computed_with": {
            stage: [{"versions": dict(each.versions), "parts": each.parts} for each in facts]
            for stage, facts in info.computed_with.items()
        },
    }


def _json(value: float) -> float | str:
    """JSON has no infinities: they are the strings "inf" and "-inf"."""
    return str(value) if math.isinf(value) else value
