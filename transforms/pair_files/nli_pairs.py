"""SNLI and MultiNLI as JSON lines: a premise and the sentence that it entails, as a pair."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...base.documents import parse_json
from .pair_format import Pair, PairBlock, PairFormat, Unusable, read_lines

if TYPE_CHECKING:
    from .pair_file_options import PairFileOptions

_ENTAILMENT = ("entailment", 0)  # 0 in the copies of the Hugging Face hub
_LABELS = ("gold_label", "label")


def read_nli(path: str, options: "PairFileOptions") -> Iterator[PairBlock]:
    """The pairs of which the first sentence entails the second; the label `-` means that people disagreed."""
    names = options.columns or ("sentence1", "sentence2")

    def pairs_of(line: str) -> list[Pair]:
        try:
            values = parse_json(line)
        except (ValueError, RecursionError):
            raise Unusable("expected a JSON object on each line") from None
        if not isinstance(values, dict):
            values = {}
        label = next((values[name] for name in _LABELS if name in values), None)
        if label is None:
            raise Unusable(f"expected a JSON object with the key {' or '.join(_LABELS)}")
        if not all(isinstance(values.get(name), str) for name in names):
            raise Unusable(f"expected sentences as {names[0]} and {names[1]} (set `columns` to other keys)")
        if label not in _ENTAILMENT or isinstance(label, bool):
            raise Unusable("not an entailment", is_malformed=False)
        return [Pair(values[names[0]], values[names[1]])]

    return read_lines(path, pairs_of)


NLI = PairFormat(read_nli, frozenset(("columns",)))
