"""Scripts: whether a sentence is written in the expected one."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from .score import Score, Side
from .text_columns import Texts, blocks, with_nulls


def character_set_share(texts: Texts, script: str = "Latin") -> pa.FloatArray:
    """Share of each sentence's letters that are of a script of Unicode, in [0, 1]; float32.

    Digits, punctuation and spaces do not count. 1 where there are no letters, null gives null.

    >>> character_set_share(pa.array(["Zápotocký, 1950", "abж", ""])).to_pylist()
    [1.0, 0.6666666865348816, 1.0]
    """
    from ..tokens.columns import count_letters  # imports numba, which planning does not need

    shares = np.ones(len(texts))
    for rows in blocks(len(texts)):
        letters, of_script = count_letters(texts[rows], script)
        np.divide(of_script, letters, out=shares[rows], where=letters > 0)
    return with_nulls(shares, pa.float32(), texts)


@dataclass(frozen=True)
class CharacterSetShare(Score):
    """Share of the letters of the translation (or the reference or source) that are of one script, by default
    Latin, from 0 (none) to 1 (all). A low value means another language, or damaged text. 1 where there are no
    letters, so for the empty sentence too. Not from a paper.
    """

    score: Literal["character_set_share"] = "character_set_share"
    script: str = "Latin"
    """The script's name in Unicode, such as Latin, Cyrillic, Greek, Han or Arabic."""
    side: Side | Literal["source"] = "translation"
    """The side that is measured: `translation`, `reference` or `source`."""

    version = 1
    dtype = pa.float32()
    unit = "share, 0 to 1"
    higher_is_better = True

    def __post_init__(self) -> None:
        if self.script != "Latin" and not _is_script(self.script):
            raise ValueError(f"expected the name of a script in Unicode, such as Latin, got {self.script!r}")

    @property
    def reads(self) -> tuple[str, ...]:
        """The side that is measured."""
        return (self.side,)

    def measure(self, pairs: pa.Table, model: object | None = None) -> pa.Array:
        """See `character_set_share`."""
        return character_set_share(pairs[self.side], self.script)


def _is_script(name: str) -> bool:
    import pyarrow.compute as pc  # takes a tenth of a second, and the default script needs no check

    try:
        pc.match_substring_regex(pa.array(["a"]), rf"\p{{{name}}}")
    except pa.ArrowInvalid:
        return False
    return name.replace("_", "").isalpha()
