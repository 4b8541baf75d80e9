"""English inflection and the small choices by which two renderings of one meaning differ."""

from dataclasses import dataclass
from random import Random

from .czech import Adjective, Noun

NUMERALS = {1: "one", 2: "two", 3: "three", 4: "four", 5: "five", 6: "six", 10: "ten", 20: "twenty"}

_PLURALS = {"man": "men", "woman": "women", "child": "children", "lady": "ladies", "spoonful": "spoonfuls"}


@dataclass(frozen=True)
class EnglishVerb:
    """The forms of a verb; `particle` stands after it ("looking for")."""

    base: str
    third: str
    past: str
    participle: str
    ing: str
    particle: str = ""

    def with_particle(self, form: str) -> str:
        """The form, and the particle after it."""
        return f"{form} {self.particle}" if self.particle else form


def conjugate(spec: str) -> EnglishVerb:
    """A verb's forms from "base [past [participle]] [+particle]": regular where they are not given.

    >>> conjugate("bake").ing, conjugate("carry").past, conjugate("sit sat").ing, conjugate("look +for").third
    ('baking', 'carried', 'sitting', 'looks')
    """
    words = spec.split()
    particle = words.pop()[1:] if words[-1].startswith("+") else ""
    base = words[0]
    past = words[1] if len(words) > 1 else _regular_past(base)
    done = words[2] if len(words) > 2 else past
    return EnglishVerb(base, _third(base), past, done, _ing(base), particle)


def plural(word: str) -> str:
    """The plural of a noun.

    >>> plural("box"), plural("lady"), plural("boy"), plural("child")
    ('boxes', 'ladies', 'boys', 'children')
    """
    return _PLURALS.get(word) or _third(word)


def article(words: str) -> str:
    """The words with "a" or "an" before them.

    >>> article("old dog"), article("dog")
    ('an old dog', 'a dog')
    """
    return f"an {words}" if words[0] in "aeiou" else f"a {words}"


def described(noun: Noun, adjective: Adjective | None, choose: Random, count: int = 1) -> str:
    """Adjective and noun without article, one synonym each, in the plural where `count` is not one."""
    head = choose.choice(noun.english)
    words = head if count == 1 else plural(head)
    return f"{choose.choice(adjective.english)} {words}" if adjective else words


def indefinite(noun: Noun, adjective: Adjective | None, choose: Random, count: int = 1) -> str:
    """ "a young man", "two young men", "some fresh bread"."""
    words = described(noun, adjective, choose, count)
    if count > 1:
        return f"{NUMERALS[count]} {words}"
    if noun.mass:
        return choose.choice((words, words, f"some {words}", f"the {words}"))
    return article(words)


def sentence(text: str, end: str = ".") -> str:
    """One sentence with a capital, single spaces and its final sign."""
    words = " ".join(text.split()).replace(" ,", ",")
    return words[0].upper() + words[1:] + end


def likely(choose: Random, chance: float) -> bool:
    """True with that probability."""
    return choose.random() < chance


def _doubles(base: str) -> bool:
    """Whether the last consonant doubles: sit, run, stop, slice not."""
    vowels = "aeiou"
    return (
        len(base) in (3, 4)
        and base[-1] not in vowels + "wxy"
        and base[-2] in vowels
        and base[-3] not in vowels
        and base not in ("open", "visit")
    )


def _third(base: str) -> str:
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "o")) else "s")


def _regular_past(base: str) -> str:
    if base.endswith("e"):
        return base + "d"
    if base.endswith("y") and base[-2] not in "aeiou":
        return base[:-1] + "ied"
    return base + base[-1] * _doubles(base) + "ed"


def _ing(base: str) -> str:
    if base.endswith("e") and not base.endswith("ee"):
        return base[:-1] + "ing"
    return base + base[-1] * _doubles(base) + "ing"
