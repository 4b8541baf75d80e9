"""Reads files of pairs to train encoders on: one module for each format.

To add a format, write a module with a `PairFormat`, add a word to `FORMATS`.
Reading a recipe imports these modules, so they import what is heavy inside the functions that need it.
"""

import hashlib
import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, replace
from functools import cached_property

from ...base.errors import InputError, RecipeError
from ...base.host_cache import cache_folder
from ...base.streams import LineReader, open_raw, reading
from ...tokens.definition import EncoderTokens
from ..bitexts.cleaning import clean_texts
from ..storage.file_hashes import HashCache, as_planned
from .formats import FORMATS
from .pair_file_options import PairFileOptions
from .pair_format import Pair, PairBlock, PairFormat
from .sample import TokenSample, token_total

__all__ = ["FORMATS", "PairFileOptions", "PairFiles", "TokenSample", "token_total"]

logger = logging.getLogger(__name__)

_OF_ALL = frozenset(("path", "format", "sample_tokens", "sample_seed"))
_PARQUET_START = b"PAR1"


@dataclass(frozen=True)
class PairFiles:
    """Batches of (first sides, second sides) of files of pairs, in their order. Can be iterated again.

    Texts are in NFC, and control characters in them are spaces, as after `ingest`. Pairs with an empty side
    stay: training counts and drops them. InputError for a file without a record. planned: the `hash_paths`
    that the files must have, if one is known; InputError if they have another or change while they are read.
    counts: of the last iteration, how many records were left out, by reason, with the place of the first.
    """

    options: PairFileOptions
    planned: str | None = None
    counts: PairBlock = field(default_factory=PairBlock, compare=False)

    @cached_property
    def key(self) -> str:
        """Changes if the options or the content of the files change; the files' names do not matter."""
        cache = HashCache(cache_folder("hashes.json"))
        digests = [cache.file_hash(path).digest for path in self.options.paths]
        content = repr(("pair-files-1", digests, replace(self.options, path="files")))
        return hashlib.sha256(content.encode()).hexdigest()[:16]

    def __iter__(self) -> Iterator[tuple[list[str], list[str]]]:
        self.counts.left_out.clear()
        self.counts.places.clear()
        with as_planned(self.options.paths, self.planned):
            for path in self.options.paths:
                is_empty = True
                for block in self._format(path).read(path, self.options):
                    is_empty = is_empty and not (block.pairs or block.left_out)
                    if pairs := self._wanted(path, block):
                        sides = [pair.first for pair in pairs], [pair.second for pair in pairs]
                        yield clean_texts(sides[0]).texts, clean_texts(sides[1]).texts
                if is_empty:
                    raise InputError(
                        f"{path}: expected pairs, but it has none: fetch it again or leave it out"
                    )

    def _wanted(self, path: str, block: PairBlock) -> list[Pair]:
        """The pairs of a block with a score within the bounds; the other records are counted."""
        options, pairs = self.options, block.pairs
        for reason, count in block.left_out.items():
            self.counts.leave_out(reason, block.places[reason], count)
        if options.is_bounded:
            pairs = [pair for pair in pairs if pair.score is not None and options.wants(pair.score)]
            if dropped := len(block.pairs) - len(pairs):
                self.counts.leave_out("a score outside the bounds", path, dropped)
        return pairs

    def sampled(self, tokens: EncoderTokens) -> "PairFiles | TokenSample":
        """The sample that the options ask for, or all pairs. tokens: what is counted for its size."""
        if self.options.sample_tokens is None:
            return self
        return TokenSample(self, self.options.sample_tokens, self.options.sample_seed, tokens)

    @property
    def left_out(self) -> Counter[str]:
        """How many records had no pair, by reason and the place of the first."""
        return Counter(
            {f"{reason} ({self.counts.places[reason]})": n for reason, n in self.counts.left_out.items()}
        )

    def log_left_out(self) -> None:
        """Log how many records had no pair, by reason."""
        for reason, count in self.left_out.items():
            logger.info("left out %s records: %s", f"{count:,}", reason)

    def _format(self, path: str) -> PairFormat:
        name = self.options.format if self.options.format != "auto" else sniffed(path)
        known = FORMATS[name].takes | _OF_ALL
        for option in fields(self.options):
            if option.name not in known and getattr(self.options, option.name) != option.default:
                raise RecipeError(f"{path}: files of the format {name} have no {option.name}: leave it out")
        return FORMATS[name]


def sniffed(path: str) -> str:
    """The format of a file, by its first bytes or its first line that is not blank."""
    with open_raw(path) as raw, reading(path):
        if raw.read(len(_PARQUET_START)) == _PARQUET_START:
            return "parquet"
    with LineReader(path, 1 << 20) as reader:
        while lines := reader.read(1):
            line = lines[0]
            if line.lstrip().startswith(b"{"):
                return "nli"
            if b"|||" in line:
                return "ppdb"
            if b"\t" in line:
                return "tsv"
            if line.strip():
                break
    raise InputError(
        f"{path}: expected pairs, but its first line has neither tabs nor |||, and is not JSON; if each line "
        "has a word and its synonyms, set the format to lexical"
    )
