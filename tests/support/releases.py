"""A release of made-up pairs in which everything is true: scores, deciles, selections, card and metadata."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
from corpus import OBJECTS, OTHER, PLACES, SUBJECTS, VERBS

from paranmt.base.dataset_columns import (
    decile_name,
    release_columns,
    schema,
    score_column,
    selection_column,
)
from paranmt.base.hashing import derive_seed
from paranmt.base.keys import digest
from paranmt.filters import SCORES
from paranmt.filters.ranks.decile_ranks import exact_deciles
from paranmt.pipeline.manifest.release_summary import (
    CorpusSummary,
    ReleaseSummary,
    ScoreSummary,
    SelectionSummary,
    TranslationCounts,
    described,
)
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.release.metadata import release_texts
from paranmt.transforms.storage.release_files import release_file_name, release_table, write_release_file

PRIMARY = "paraphrase_similarity"
SHORT = "reference_length <= 10"
MADE_OF = {"primary_score": PRIMARY, "ingest": "0123456789abcdef"}
RECIPE = f"""\
bitext:
  - {{corpus: news, format: tsv, path: news.tsv, translation: 3, source_language: cs, domain: press}}
  - {{corpus: web, format: tsv, path: web.tsv, translation: 3, source_language: de, licence: mit}}
scores: {{{PRIMARY}: {{vectors: glove.txt}}, reference_length: {{}}, trigram_overlap: {{}}}}
select: {{short: {{where: {SHORT}}}}}
"""


def release_rows(rows: int, first: int = 0, made_of: Mapping[str, object] = MADE_OF) -> pa.Table:
    """Two corpora; every eleventh pair has no similarity, and every hundredth no translation.

    first: the record before the first pair's. A record has the same texts and scores in every release.
    """
    choose = Random(5)
    texts: dict[str, list[str | None]] = {"reference": [], "translation": []}
    for row in range(first + rows):
        words = [choose.choice(options) for options in (SUBJECTS, VERBS, OBJECTS, PLACES)]
        texts["reference"].append(f"{' '.join(words)} {row}.")
        changed = " ".join(OTHER.get(word, word) if choose.random() < 0.5 else word for word in words)
        texts["translation"].append(None if row % 100 == 50 else f"{changed} {row}.")
    texts = {name: column[first:] for name, column in texts.items()}
    corpora = ["news" if row < rows * 2 // 3 else "web" for row in range(rows)]
    ids = [f"{corpus}/{corpus}.tsv:{first + row + 1}" for row, corpus in enumerate(corpora)]
    pairs = pa.table({"pair_id": ids, **texts})
    missing = np.arange(first, first + rows) % 11 == 0
    similarity = np.random.default_rng(2).random(first + rows).astype(np.float32)[first:]
    values = {
        PRIMARY: pa.array(similarity, mask=missing),
        **{name: SCORES[name]().measure(pairs) for name in ("reference_length", "trigram_overlap")},
    }
    columns: dict[str, object] = {
        **{name: pairs[name] for name in pairs.column_names},
        "corpus": corpora,
        "domain": ["press" if corpus == "news" else None for corpus in corpora],
        "licence": ["mit" if corpus == "web" else None for corpus in corpora],
        "source_language": ["cs" if corpus == "news" else "de" for corpus in corpora],
        "source": [f"{text[::-1]}" for text in texts["reference"] if text is not None],
        "translation_log_prob": pa.nulls(rows, pa.float32()),
        "translation_tokens": pa.nulls(rows, pa.int32()),
        "translation_rank": pa.nulls(rows, pa.int32()),
        "translation_model_hash": pa.nulls(rows, pa.string()),
        "recipe_hash": [digest(made_of)] * rows,
        "translation_status": ["failed" if text is None else "existing" for text in texts["translation"]],
        **values,
        **{decile_name(n): exact_deciles(v, ids, derive_seed(1, "deciles")) for n, v in values.items()},
        "held_out": [False] * rows,
        "short": [int(length.as_py()) <= 10 for length in values["reference_length"]],
    }
    wanted = schema(release_columns([_column(name) for name in values], [selection_column("short", SHORT)]))
    pairs = pa.table({field.name: columns[field.name] for field in wanted})
    return pa.table([pairs[field.name].cast(field.type) for field in wanted], wanted)


def write_release(
    folder: Path,
    rows: int = 4_000,
    files: int = 2,
    first: int = 0,
    made_of: Mapping[str, object] = MADE_OF,
    table: pa.Table | None = None,
    **changes: object,
) -> Path:
    """Write the release's folder: data, card, Croissant and manifest.

    table: other pairs than `release_rows`. changes: to fields of the manifest.
    """
    table = release_rows(rows, first, made_of) if table is None else table
    (folder / "data").mkdir(parents=True)
    infos = {}
    for number in range(files):
        name = f"data/{release_file_name(number, files)}"
        first, last = number * rows // files, (number + 1) * rows // files
        part = release_table([table.slice(first, last - first)], decile_name(PRIMARY), True)
        infos[name] = write_release_file(part, folder / name, decile_name(PRIMARY), {})
    summary = replace(_summary(table, infos), made_of=made_of, **changes)  # type: ignore[arg-type]
    for name, text in release_texts(summary, {}).items():
        (folder / name).write_bytes(text)
    return folder


def _column(name: str):
    kind = SCORES[name]
    return score_column(name, kind.dtype, kind.unit, kind.__doc__ or "")


def _summary(table: pa.Table, files: dict) -> ReleaseSummary:
    names = (PRIMARY, "reference_length", "trigram_overlap")
    corpora = table["corpus"].to_pylist()
    scores = []
    for name in names:
        pairs = list(zip(table[name].to_pylist(), table[decile_name(name)].to_pylist(), strict=True))
        values = [min(value for value, decile in pairs if decile == number) for number in range(2, 11)]
        nulls = table[name].null_count
        higher = SCORES[name].higher_is_better
        scores.append(ScoreSummary(name, "Doc.", "", higher, len(table) - nulls, nulls, values))
    failed = table["translation"].null_count
    selected = sum(table["short"].to_pylist())
    return ReleaseSummary(
        name="made-up",
        corpora=[
            CorpusSummary(name, language, corpora.count(name), corpora.count(name))
            for name, language in (("news", "cs"), ("web", "de"))
        ],
        translation=TranslationCounts(existing=len(table) - failed, failed=failed),
        columns=described(
            release_columns([_column(name) for name in names], [selection_column("short", SHORT)])
        ),
        files=files,
        scores=scores,
        primary_score=PRIMARY,
        selections=[SelectionSummary("short", SHORT, selected, 0, selected)],
        recipe=Recipe.from_yaml(RECIPE).canonical(),
    )
