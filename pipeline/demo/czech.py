"""Czech inflection, as much of it as the demo's sentences need: paradigms written out by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Gender = Literal["m", "i", "f", "n"]  # masculine animate, masculine inanimate, feminine, neuter
Case = Literal["nom", "gen", "dat", "acc", "loc", "ins", "plnom", "plgen"]
CASES: tuple[Case, ...] = ("nom", "gen", "dat", "acc", "loc", "ins", "plnom", "plgen")

# The endings of school grammar's model nouns, in the order of CASES.
_PARADIGMS: dict[str, tuple[Gender, str]] = {
    "pán": ("m", "- a ovi a ovi em i ů"),
    "muž": ("m", "- e i e i em i ů"),
    "turista": ("m", "a y ovi u ovi ou é ů"),
    "hrad": ("i", "- u u - u em y ů"),
    "stroj": ("i", "- e i - i em e ů"),
    "žena": ("f", "a y ě u ě ou y -"),
    "růže": ("f", "e e i i i í e í"),
    "ulice": ("f", "e e i i i í e -"),
    "píseň": ("f", "- ě i - i í ě í"),
    "město": ("n", "o a u o ě em a -"),
    "moře": ("n", "e e i e i em e í"),
    "kuře": ("n", "e ete eti e eti etem ata at"),
    "dítě": ("n", "ě ěte ěti ě ěti ětem i í"),
    "stavení": ("n", "í í í í í ím í í"),
}


@dataclass(frozen=True)
class Noun:
    """A noun with its written-out forms; `english` has its synonyms, in the singular."""

    lemma: str
    gender: Gender
    forms: dict[Case, str]
    english: tuple[str, ...]
    mass: bool = False  # English counts it with "some", never with "a"

    @property
    def plural_gender(self) -> Gender:
        """Gender in the plural: children are feminine there."""
        return "f" if self.lemma == "dítě" else self.gender


@dataclass(frozen=True)
class Adjective:
    """An adjective of the hard declension (mladý) or, where it ends in -í, of the soft one (moderní)."""

    lemma: str
    animate_plural: str  # nominative plural of masculine animates, where the stem's last consonant changes
    english: tuple[str, ...]


@dataclass(frozen=True)
class Verb:
    """A verb in the third person and its past participle without ending.

    english: its synonyms. clitic: "si" or "se", which takes the clause's second place. preposition:
    before the object, which is an accusative.
    """

    lemma: str
    singular: str
    plural: str
    past: str
    english: tuple[str, ...]
    clitic: str = ""
    preposition: str = ""


def noun(spec: str, english: str, mass: bool = False) -> Noun:
    """A noun from "lemma paradigm [case=form …]", where a form that the paradigm misses is given.

    `stem=` is the stem of all forms but the first, where it is not the lemma without its ending.

    >>> noun("kočka žena dat=kočce loc=kočce plgen=koček", "cat").forms["loc"]
    'kočce'
    """
    lemma, paradigm, *given = spec.split()
    gender, endings_text = _PARADIGMS[paradigm]
    endings = ["" if ending == "-" else ending for ending in endings_text.split()]
    overrides = dict(item.split("=") for item in given)
    stem = overrides.pop("stem", lemma.removesuffix(endings[0]))
    unknown = overrides.keys() - set(CASES)
    if unknown:
        raise ValueError(f"{spec!r}: no case {sorted(unknown)}; there are: {', '.join(CASES)}")
    regular = {case: stem + ending for case, ending in zip(CASES, endings, strict=True)}
    regular["nom"] = lemma
    if gender == "i":
        regular["acc"] = lemma
    forms = {case: overrides.get(case, form) for case, form in regular.items()}
    return Noun(lemma, gender, forms, tuple(english.split("/")), mass)


def agree(adjective: Adjective, gender: Gender, case: Case) -> str:
    """The adjective's form beside a noun of that gender (the plural's, for a plural case).

    >>> young = Adjective("mladý", "mladí", ("young",))
    >>> agree(young, "m", "acc"), agree(young, "f", "ins"), agree(young, "m", "plnom")
    ('mladého', 'mladou', 'mladí')
    """
    stem, soft = adjective.lemma[:-1], adjective.lemma.endswith("í")
    if case == "plnom" and gender == "m":
        return adjective.animate_plural
    if soft:
        return stem + _soft_ending(gender, case)
    return stem + _hard_ending(gender, case)


def _hard_ending(gender: Gender, case: Case) -> str:
    if case == "plnom":
        return {"i": "é", "f": "é", "n": "á"}[gender]
    if case == "plgen":
        return "ých"
    if gender == "f":
        return {"nom": "á", "acc": "ou", "ins": "ou"}.get(case, "é")
    if case == "nom" or (case == "acc" and gender != "m"):
        return "é" if gender == "n" else "ý"
    return {"gen": "ého", "acc": "ého", "dat": "ému", "loc": "ém", "ins": "ým"}[case]


def _soft_ending(gender: Gender, case: Case) -> str:
    if case == "plgen":
        return "ích"
    if gender == "f" or case in ("nom", "plnom") or (case == "acc" and gender != "m"):
        return "í"
    return {"gen": "ího", "acc": "ího", "dat": "ímu", "loc": "ím", "ins": "ím"}[case]


def phrase(head: Noun, case: Case, adjective: Adjective | None = None) -> str:
    """A noun with the adjective, if there is one, in agreement."""
    if adjective is None:
        return head.forms[case]
    gender = head.plural_gender if case.startswith("pl") else head.gender
    return f"{agree(adjective, gender, case)} {head.forms[case]}"


def counted(head: Noun, count: int, adjective: Adjective | None = None) -> str:
    """The nominative of `count` things: the plural for 2 to 4, the genitive plural from 5 on.

    >>> man = noun("muž muž", "man")
    >>> counted(man, 1), counted(man, 2), counted(man, 5)
    ('muž', 'dva muži', 'pět mužů')
    """
    if count == 1:
        return phrase(head, "nom", adjective)
    if count >= 5:
        return f"{NUMERALS[count]} {phrase(head, 'plgen', adjective)}"
    numeral = "dvě" if count == 2 and head.plural_gender in ("f", "n") else NUMERALS[count]
    return f"{numeral} {phrase(head, 'plnom', adjective)}"


NUMERALS = {1: "jeden", 2: "dva", 3: "tři", 4: "čtyři", 5: "pět", 6: "šest", 10: "deset", 20: "dvacet"}


def present(verb: Verb, count: int) -> str:
    """The third person of the present; five and more things take the singular."""
    return verb.plural if 2 <= count <= 4 else verb.singular


def participle(past: str, gender: Gender, plural: bool = False) -> str:
    """The past participle in agreement with its subject.

    >>> participle("upekl", "f"), participle("jel", "m", plural=True), participle("odešel", "f")
    ('upekla', 'jeli', 'odešla')
    """
    ending = {"m": "i", "i": "y", "f": "y", "n": "a"} if plural else {"m": "", "i": "", "f": "a", "n": "o"}
    stem = past.removesuffix("el") + "l" if past.endswith("šel") and (plural or gender in "fn") else past
    return stem + ending[gender]


def along(preposition: str, words: str) -> str:
    """A one-letter preposition, with its vowel where the next word would be hard to say after it.

    >>> along("s", "psem"), along("s", "malým psem"), along("v", "skříni")
    ('se psem', 's malým psem', 've skříni')
    """
    clusters = {
        "s": ("s", "z", "š", "ž", "ps"),
        "v": ("v", "f", "sk", "st", "dv", "tř", "čt", "žl"),
    }[preposition]
    return f"{preposition}{'e' if words.lower().startswith(clusters) else ''} {words}"


def sentence(words: Sequence[str], end: str = ".") -> str:
    """The words that are not empty as one sentence, with a capital and its final sign."""
    text = " ".join(word for word in words if word)
    return text[0].upper() + text[1:] + end
