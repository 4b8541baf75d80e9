"""PPDB: phrases and their paraphrases, in fields between `|||`."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .pair_format import Pair, PairBlock, PairFormat, Unusable, number_of, read_lines

if TYPE_CHECKING:
    from .pair_file_options import PairFileOptions

_BRACKETS = {"-lrb-": "(", "-rrb-": ")", "-lsb-": "[", "-rsb-": "]", "-lcb-": "{", "-rcb-": "}"}
_SCORE = "PPDB2.0Score"
_CATEGORY = re.compile(r"\[\S+\]")
_GAP_END = re.compile(r",\d+\]")
_BRACKET = re.compile(r"(?<!\S)-[lr][rsc]b-(?!\S)", re.IGNORECASE)


def read_ppdb(path: str, options: "PairFileOptions") -> Iterator[PairBlock]:
    """The pairs of a file of PPDB 1.0 or 2.0, lexical, phrasal or syntactic; patterns with gaps are left out.

    A line is `[X] ||| phrase ||| paraphrase ||| name=number … ||| …`; or, as in files made from PPDB, only
    `phrase ||| paraphrase`, with or without `||| number`.
    """
    feature = str(options.score or _SCORE)

    def pairs_of(line: str) -> list[Pair]:
        fields = [field.strip() for field in line.split("|||")]
        if len(fields) >= 4 and _CATEGORY.fullmatch(fields[0]):
            first, second, features = fields[1:4]
            score = _feature(features, feature) if options.is_bounded else None
        elif len(fields) in (2, 3):
            first, second = fields[:2]
            score = None
            if options.is_bounded:
                score = number_of(fields[2] if len(fields) == 3 else "", "the third field, the pair's score")
        else:
            raise Unusable("expected `[X] ||| phrase ||| paraphrase ||| features`, or a pair and its score")
        if _has_gap(first) or _has_gap(second):
            raise Unusable("a pattern with gaps such as [NP,1]", is_malformed=False)
        return [Pair(with_brackets(first), with_brackets(second), score)]

    return read_lines(path, pairs_of)


def with_brackets(text: str) -> str:
    """A text with brackets for the words by which the Penn Treebank's tokenizer replaces them (`-lrb-`)."""
    return _BRACKET.sub(lambda match: _BRACKETS[match[0].lower()], text)


def _feature(features: str, name: str) -> float:
    for feature in features.split():
        key, _, value = feature.rpartition("=")
        if key == name:
            return number_of(value, name)
    raise Unusable(f"expected the feature {name} (set `score` to another one)")


def _has_gap(phrase: str) -> bool:
    """Whether a syntactic pattern leaves something open, such as [NP,1].

    One search a word: a regular expression for all of it would begin anew at each bracket.
    """
    starts = ((word, word.find("[")) for word in phrase.split())
    return any(start >= 0 and _GAP_END.search(word, start + 2) for word, start in starts)


PPDB = PairFormat(read_ppdb, frozenset(("score", "minimum_score", "maximum_score")))
