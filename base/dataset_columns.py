"""The columns of every dataset: name, type, unit, meaning. The dataset card is written from them.

A score's column is made from the score's class (`score_column`), so this module knows no score. All other
columns are listed here. Every dataset before the release has `PAIR_ID` and columns of its own;
`release_columns` puts together the columns of the release, in order.
"""

import inspect
import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

DECILE_SUFFIX = "_decile"

_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}")


@dataclass(frozen=True)
class DatasetColumn:
    """One column. `unit` may be empty; `meaning` is its description in the dataset card."""

    name: str
    type: pa.DataType
    unit: str
    meaning: str

    def field(self, metadata: Mapping[str, str] | None = None) -> pa.Field:
        """The Arrow field. Its metadata are unit, meaning and `metadata`, for example the tokenisation."""
        entries = {"unit": self.unit, "meaning": self.meaning, **(metadata or {})}
        return pa.field(
            self.name, self.type, metadata={key: value for key, value in entries.items() if value}
        )


CANDIDATE_TYPE = pa.struct([("text", pa.string()), ("log_prob", pa.float32()), ("n_tokens", pa.int32())])

PAIR_ID = DatasetColumn(
    "pair_id",
    pa.string(),
    "",
    "The way back to the input: <corpus>/<file name>:<record>, records counted from 1, with #2, #3, … behind "
    "it in further pairs of a record of which several translations are kept.",
)
CORPUS = DatasetColumn(
    "corpus", pa.string(), "", "The input corpus the pair comes from, as the recipe names it."
)
DOMAIN = DatasetColumn(
    "domain", pa.string(), "", "The corpus's domain, as the recipe states it; null if the recipe states none."
)
LICENCE = DatasetColumn(
    "licence",
    pa.string(),
    "",
    "The corpus's licence, as the recipe states it; null if the recipe states none.",
)
SOURCE_LANGUAGE = DatasetColumn(
    "source_language", pa.string(), "", "The language of the source sentence; null where there is none."
)

SOURCE = DatasetColumn(
    "source", pa.string(), "", "The sentence in the foreign language; null for pairs that came without one."
)
REFERENCE = DatasetColumn(
    "reference", pa.string(), "", "The English sentence of the bitext, written by people."
)
TRANSLATION = DatasetColumn(
    "translation", pa.string(), "", "The English translation of the source; null if it failed."
)

TRANSLATION_LOG_PROB = DatasetColumn(
    "translation_log_prob",
    pa.float32(),
    "nats",
    "Log-probability of the translation under the translation model, summed over its tokens, "
    "not normalised by length; null for existing translations that no model scored.",
)
TRANSLATION_TOKENS = DatasetColumn(
    "translation_tokens",
    pa.int32(),
    "tokens",
    "The number of the translation model's tokens in the translation, including the end symbol; null where "
    "translation_log_prob is null.",
)
TRANSLATION_STATUS = DatasetColumn(
    "translation_status",
    pa.string(),
    "",
    "'translated' by the model, 'existing' in the input, 'failed', 'not_wanted' (the pair does not meet the "
    "condition of translate), or 'out_of_bounds' (no candidate meets the condition of choose); with the last "
    "three, the translation is null.",
)
TRANSLATION_RANK = DatasetColumn(
    "translation_rank",
    pa.int32(),
    "",
    "The place of the translation in the translation model's n-best list, 1 for the best; null for existing "
    "translations and where there is no translation.",
)
TRANSLATION_MODEL_HASH = DatasetColumn(
    "translation_model_hash",
    pa.string(),
    "",
    "The hash of the translation model's files, as in manifest.json; null for existing translations.",
)
CANDIDATES = DatasetColumn(
    "candidates",
    pa.list_(CANDIDATE_TYPE),
    "",
    "The model's n-best list, best first, including the translation itself: text, log_prob (as in "
    "translation_log_prob) and n_tokens.",
)
RECIPE_HASH = DatasetColumn(
    "recipe_hash",
    pa.string(),
    "",
    "The hash of the recipe, inputs and models that the pair was made from, the same for all pairs of a run; "
    "manifest.json lists what it stands for.",
)
HELD_OUT = DatasetColumn(
    "held_out",
    pa.bool_(),
    "",
    "Whether this pair was held out to train the model of a score, such as perplexity; if so, that score is "
    "null.",
)
DUPLICATE_OF = DatasetColumn(
    "duplicate_of",
    pa.string(),
    "",
    "The pair_id of the pair that is kept of all pairs with the same text; null for that pair itself and for "
    "pairs without duplicates.",
)
DUPLICATES = DatasetColumn(
    "duplicates",
    pa.int32(),
    "pairs",
    "How many pairs have the same text, this pair included; 1 if it has no duplicates.",
)

PROVENANCE = (PAIR_ID, CORPUS, DOMAIN, LICENCE, SOURCE_LANGUAGE)
RELEASE_TEXT = (SOURCE, REFERENCE, TRANSLATION)
INGEST = (PAIR_ID, SOURCE, REFERENCE, TRANSLATION)
TRANSLATION_FACTS = (TRANSLATION_LOG_PROB, TRANSLATION_TOKENS, TRANSLATION_STATUS)
DUPLICATE_FACTS = (DUPLICATE_OF, DUPLICATES)


def score_column(name: str, type: pa.DataType, unit: str, doc: str) -> DatasetColumn:
    r"""The column of a score called `name` in the recipe; its meaning is the first paragraph of `doc`.

    >>> score_column("perplexity", pa.float32(), "", "One\n    line.\n\n    lm: a parameter.").meaning
    'One line.'
    """
    first = inspect.cleandoc(doc).split("\n\n")[0]
    return DatasetColumn(name, type, unit, " ".join(first.split()))


def decile_name(score: str) -> str:
    """The name of a score's decile column."""
    return score + DECILE_SUFFIX


def decile_column(score: str) -> DatasetColumn:
    """The column of a score's decile."""
    return DatasetColumn(
        decile_name(score),
        pa.int8(),
        "",
        f"The tenth of the corpus that {score} falls in, 1 (the lowest) to 10; equal values are ordered by a "
        "seeded hash of pair_id; null where the score is null.",
    )


def selection_column(name: str, where: str) -> DatasetColumn:
    """The column of a selection called `name` with the expression `where`."""
    return DatasetColumn(name, pa.bool_(), "", f"Whether the pair is selected: {' '.join(where.split())}")


def release_columns(
    scores: Sequence[DatasetColumn],
    selections: Sequence[DatasetColumn] = (),
    *,
    without_deciles: Container[str] = (),
    candidates: bool = False,
    duplicates: bool = False,
) -> tuple[DatasetColumn, ...]:
    """The release's columns in order: provenance, texts, scores and deciles, duplicates, selections.

    without_deciles: the names of scores that have none. candidates: whether the n-best lists are kept.
    duplicates: whether duplicates were looked for.
    """
    measured: list[DatasetColumn] = []
    for score in scores:
        measured += [score] if score.name in without_deciles else [score, decile_column(score.name)]
    facts = (*TRANSLATION_FACTS, TRANSLATION_RANK, TRANSLATION_MODEL_HASH)
    kept = (CANDIDATES,) if candidates else ()
    marked = (HELD_OUT, RECIPE_HASH, *(DUPLICATE_FACTS if duplicates else ()))
    return (*PROVENANCE, *RELEASE_TEXT, *facts, *kept, *measured, *marked, *selections)


def schema(columns: Iterable[DatasetColumn]) -> pa.Schema:
    """The Arrow schema of a dataset with these columns."""
    return pa.schema([column.field() for column in columns])


def name_problem(name: str) -> str | None:
    """Why `name` cannot be the name of a folder in the workspace, or None if it can.

    >>> name_problem("..")
    "'..' is not a name: expected at most 64 lowercase letters, digits and _, beginning with a letter"
    """
    if _NAME.fullmatch(name):
        return None
    expected = "at most 64 lowercase letters, digits and _, beginning with a letter"
    return f"{name[:80]!r} is not a name: expected {expected}"


def column_problem(name: str, taken: Container[str] = (), is_score: bool = True) -> str | None:
    """Why `name` cannot be the name of a score or of a selection, or None if it can.

    taken: the recipe's other scores and selections. Names in a release are permanent, so only plain names
    are allowed, which need no quotes in SQL or in a file name.

    >>> column_problem("source")
    "'source' is a column of every release"
    >>> column_problem("trigram_overlap")
    """
    from sqlglot.dialects.duckdb import DuckDB  # takes a tenth of a second; few need it

    problem = name_problem(name)
    if problem is not None:
        return problem
    if is_score and name in DuckDB.Generator.RESERVED_KEYWORDS:
        return f"{name!r} is a word of SQL, so every query would have to quote it"
    if name.endswith(DECILE_SUFFIX):
        return f"{name!r} ends with {DECILE_SUFFIX!r}, which is reserved for the deciles of scores"
    every = release_columns((), candidates=True, duplicates=True)
    if name in {column.name for column in every}:
        return f"{name!r} is a column of every release"
    if name in taken:
        return f"{name!r} is the name of two columns"
    return None
