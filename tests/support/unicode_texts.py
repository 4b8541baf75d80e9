"""Texts with characters from all of Unicode."""

import random
import unicodedata

from paranmt.models.encoders.vocabulary import words
from paranmt.tokens.definition import EncoderTokens


def unicode_texts() -> list[str]:
    """Texts of all assigned characters, and of those in which cases and cuts are special."""
    draw = random.Random(1)
    assigned = [
        chr(code)
        for code in range(0x110000)
        if not 0xD800 <= code < 0xE000 and (code < 0x40000 or 0xE0000 <= code < 0xE1000)
    ]
    draw.shuffle(assigned)
    texts = ["".join(assigned[start : start + 40]) for start in range(0, len(assigned), 40)]
    special = "ΣσςİıIi\u0307ʰ\u0301_'.:·-Ⓐa1 \u00ad\u2028\x1c\x85\u3000\u200bΑ\u0130\u1100\u1161\ufdd0"
    texts += ["".join(draw.choices(special, k=12)) for _ in range(3_000)]
    return [*texts, "", " \n", "ΟΔΥΣΣΕΥΣ", "ΣΑΣ ΣΑʰΣʰ ΑΣ_ ΑΣ'Α", "İSTANBUL i̇stanbul", "cafe\u0301 CAFÉ 가각"]


def half_of_the_units(texts: list[str], tokens: EncoderTokens) -> list[str]:
    """Without those of characters that Python does not know, which other programs may lower-case."""
    units = sorted({unit for text in texts for unit in words(text, tokens)})
    return [unit for unit in units[::2] if all(unicodedata.category(character) != "Cn" for character in unit)]
