"""The formats of files of pairs by name. A new one is a module in this folder and a word here."""

from .lexical import LEXICAL
from .nli_pairs import NLI
from .pair_format import PairFormat
from .parquet_pairs import PARQUET
from .ppdb import PPDB
from .tsv_pairs import TSV

FORMATS: dict[str, PairFormat] = {
    "ppdb": PPDB,
    "lexical": LEXICAL,
    "tsv": TSV,
    "nli": NLI,
    "parquet": PARQUET,
}
