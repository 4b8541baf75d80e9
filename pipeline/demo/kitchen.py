"""The kitchen: who made what, in the past; who gave what to whom; and what a cookbook orders."""

from random import Random

from .czech import NUMERALS, Adjective, Noun, participle, phrase, sentence
from .english import NUMERALS as ENGLISH_NUMERALS
from .english import article, conjugate, described, indefinite, likely, plural
from .english import sentence as english_sentence
from .lexicon import ADJECTIVES, FAMILY, FOOD
from .meanings import Frame, Slots, weighted

# When, as it stands at the head of a Czech sentence.
TIMES = {
    "včera": ("yesterday",),
    "dnes ráno": ("this morning",),
    "v neděli": ("on Sunday",),
    "v sobotu večer": ("on Saturday evening", "on Saturday night"),
    "minulý týden": ("last week",),
    "před hodinou": ("an hour ago", "one hour ago"),
    "po obědě": ("after lunch",),
    "v poledne": ("at noon", "at midday"),
    "na Vánoce": ("at Christmas", "for Christmas"),
}

# Past participle, English, and what one does it to.
_MADE = {
    "upéct": ("upekl", "bake", ("koláč", "dort", "chléb", "ryba", "maso")),
    "uvařit": ("uvařil", "cook", ("polévka", "rýže", "omáčka", "maso", "ryba")),
    "připravit": ("připravil", "prepare/make made", ("salát", "omáčka", "čaj", "káva", "polévka")),
    "koupit": (
        "koupil",
        "buy bought",
        ("chléb", "mléko", "sýr", "ryba", "dort", "víno", "máslo", "cibule", "maso"),
    ),
    "sníst": ("snědl", "eat ate eaten", ("koláč", "polévka", "ryba", "sýr", "jablko", "salát", "dort")),
    "vypít": ("vypil", "drink drank drunk", ("čaj", "mléko", "víno", "káva")),
    "nakrájet": ("nakrájel", "slice/cut cut", ("chléb", "sýr", "cibule", "jablko", "maso")),
    "ochutnat": ("ochutnal", "taste/try", ("koláč", "polévka", "omáčka", "sýr", "víno", "salát")),
}

# Past participle, English, and whether English says "to" or "for".
_GIVEN = {
    "dát": ("dal", "give gave given", "to"),
    "podat": ("podal", "hand/pass", "to"),
    "přinést": ("přinesl", "bring brought", "to"),
    "koupit": ("koupil", "buy bought", "for"),
    "poslat": ("poslal", "send sent", "to"),
}
_GIFTS = (
    "koláč",
    "dort",
    "chléb",
    "ryba",
    "polévka",
    "salát",
    "sýr",
    "jablko",
    "čaj",
    "káva",
    "víno",
    "máslo",
)

_ADJECTIVES = weighted(("", 3), ("čerstvý", 2), ("teplý", 1), ("studený", 1), ("výborný", 2), ("velký", 1))
_NEVER = {
    "čerstvý": ("čaj", "káva", "víno", "rýže"),
    "teplý": ("víno", "sýr", "máslo", "cibule", "jablko"),
    "studený": ("cibule", "jablko", "dort"),
    "velký": tuple(name for name, food in FOOD.items() if food.mass),
}

_UNITS = {
    "lžíce": (("lžíci", "lžíce", "lžic"), "f", ("spoonful", "spoon")),
    "hrnek": (("hrnek", "hrnky", "hrnků"), "i", ("cup",)),
    "sklenice": (("sklenici", "sklenice", "sklenic"), "f", ("glass",)),
}
_INGREDIENTS = {
    "cukru": "sugar",
    "mouky": "flour",
    "mléka": "milk",
    "oleje": "oil",
    "soli": "salt",
    "vody": "water",
    "medu": "honey",
    "rýže": "rice",
    "vína": "wine",
}
_STEPS = {
    "míchejte": ("stir", "mix"),
    "vařte": ("cook", "boil"),
    "pečte": ("bake",),
    "smažte": ("fry",),
}
_MINUTES = {
    "dvě minuty": ("two minutes",),
    "pět minut": ("five minutes",),
    "deset minut": ("ten minutes",),
    "dvacet minut": ("twenty minutes",),
    "půl hodiny": ("half an hour", "thirty minutes"),
    "hodinu": ("an hour", "one hour"),
}
_STORES = {
    "v lednici": ("in the fridge", "in the refrigerator"),
    "na stole": ("on the table",),
    "ve skříni": ("in the cupboard",),
    "v obchodě": ("in the shop", "in the store"),
    "v misce": ("in the bowl",),
    "v košíku": ("in the basket",),
}


def _fits_food(slots: Slots) -> bool:
    return slots["object"] not in _NEVER.get(slots["adjective"], ())


def _fits_making(slots: Slots) -> bool:
    return slots["object"] in _MADE[slots["action"]][2] and _fits_food(slots)


def _fits_giving(slots: Slots) -> bool:
    return slots["subject"] != slots["recipient"] and _fits_food(slots)


def _made_czech(slots: Slots) -> str:
    subject = FAMILY[slots["subject"]]
    verb = participle(_MADE[slots["action"]][0], subject.gender)
    what = phrase(FOOD[slots["object"]], "acc", ADJECTIVES.get(slots["adjective"]))
    return sentence([slots["time"], subject.lemma, verb, what])


def _made_english(slots: Slots, choose: Random) -> str:
    who = choose.choice(FAMILY[slots["subject"]].english)
    verb = conjugate(choose.choice(_MADE[slots["action"]][1].split("/")))
    what = _food(FOOD[slots["object"]], ADJECTIVES.get(slots["adjective"]), choose)
    ways = [f"{who} {verb.past} {what}"] * 3 + [f"{what} was {verb.participle} by {who}"]
    return english_sentence(_timed(choose.choice(ways), slots["time"], choose))


def _food(food: Noun, adjective: Adjective | None, choose: Random) -> str:
    if likely(choose, 0.25):
        return "the " + described(food, adjective, choose)
    return indefinite(food, adjective, choose)


def _timed(clause: str, time: str, choose: Random) -> str:
    """The clause with its time at the end, or sometimes at the head."""
    if not time:
        return clause
    when = choose.choice(TIMES[time])
    return f"{when}, {clause}" if likely(choose, 0.25) else f"{clause} {when}"


def _gave_czech(slots: Slots) -> str:
    subject = FAMILY[slots["subject"]]
    verb = participle(_GIVEN[slots["action"]][0], subject.gender)
    what = phrase(FOOD[slots["object"]], "acc", ADJECTIVES.get(slots["adjective"]))
    return sentence([slots["time"], subject.lemma, verb, FAMILY[slots["recipient"]].forms["dat"], what])


def _gave_english(slots: Slots, choose: Random) -> str:
    """With the dative alternation: "gave the waiter some bread", "gave some bread to the waiter"."""
    _, verbs, preposition = _GIVEN[slots["action"]]
    who = choose.choice(FAMILY[slots["subject"]].english)
    whom = choose.choice(FAMILY[slots["recipient"]].english)
    verb = conjugate(choose.choice(verbs.split("/")))
    what = _food(FOOD[slots["object"]], ADJECTIVES.get(slots["adjective"]), choose)
    ways = [
        f"{who} {verb.past} {whom} {what}",
        f"{who} {verb.past} {what} {preposition} {whom}",
        f"{what} was {verb.participle} {preposition} {whom} by {who}",
    ]
    if preposition == "to":
        ways.append(f"{whom} was {verb.participle} {what} by {who}")
    return english_sentence(_timed(choose.choice(ways), slots["time"], choose))


def _order_czech(slots: Slots) -> str:
    forms, gender, _ = _UNITS[slots["unit"]]
    count = int(slots["count"])
    numeral = "dvě" if count == 2 and gender == "f" else NUMERALS[count]
    amount = forms[0] if count == 1 else f"{numeral} {forms[1] if count < 5 else forms[2]}"
    return sentence(["přidejte", amount, slots["ingredient"], "a", slots["step"], slots["minutes"]])


def _order_english(slots: Slots, choose: Random) -> str:
    count = int(slots["count"])
    unit = choose.choice(_UNITS[slots["unit"]][2])
    amount = article(unit) if count == 1 else f"{ENGLISH_NUMERALS[count]} {plural(unit)}"
    what = f"{amount} of {_INGREDIENTS[slots['ingredient']]}"
    add = choose.choice(("add", "add", "put in"))
    step = choose.choice(_STEPS[slots["step"]])
    minutes = choose.choice(_MINUTES[slots["minutes"]])
    ways = [
        f"{add} {what} and {step} for {minutes}",
        f"{add} {what} and {step} for {minutes}",
        f"{add} {what}, then {step} for {minutes}",
        f"after adding {what}, {step} for {minutes}",
        f"{step} for {minutes} after adding {what}",
    ]
    return english_sentence(choose.choice(ways))


def _store_czech(slots: Slots) -> str:
    food, adjective = FOOD[slots["object"]], ADJECTIVES.get(slots["adjective"])
    if slots["there"] == "yes":
        return sentence([slots["where"], "je", phrase(food, "nom", adjective)])
    return sentence([slots["where"], "není", _NO[food.gender], phrase(food, "nom", adjective)])


_NO = {"i": "žádný", "f": "žádná", "n": "žádné"}


def _store_english(slots: Slots, choose: Random) -> str:
    food, where = FOOD[slots["object"]], choose.choice(_STORES[slots["where"]])
    adjective = ADJECTIVES.get(slots["adjective"])
    bare = described(food, adjective, choose)
    if slots["there"] == "yes":
        what = indefinite(food, adjective, choose).removeprefix("the ")
        ways = [f"there is {what} {where}", f"there's {what} {where}", f"{where} there is {what}"]
        return english_sentence(choose.choice(ways))
    any_of_it = f"any {bare}" if food.mass else article(bare)
    ways = [
        f"there is no {bare} {where}",
        f"there's no {bare} {where}",
        f"there isn't {any_of_it} {where}",
        f"{where} there is no {bare}",
    ]
    return english_sentence(choose.choice(ways))


_WHAT = {"object": tuple(FOOD), "adjective": _ADJECTIVES}
_WHEN = ("", "", *TIMES)

FRAMES = (
    Frame(
        "made",
        "kitchen",
        {"subject": tuple(FAMILY), "action": tuple(_MADE), **_WHAT, "time": _WHEN},
        ("subject", "action", "object"),
        _made_czech,
        _made_english,
        _fits_making,
    ),
    Frame(
        "gave",
        "kitchen",
        {
            "subject": tuple(FAMILY),
            "action": tuple(_GIVEN),
            "recipient": tuple(FAMILY),
            "object": _GIFTS,
            "adjective": _ADJECTIVES,
            "time": _WHEN,
        },
        ("subject", "action", "recipient", "object"),
        _gave_czech,
        _gave_english,
        _fits_giving,
    ),
    Frame(
        "order",
        "kitchen",
        {
            "count": ("1", "2", "3", "5"),
            "unit": tuple(_UNITS),
            "ingredient": tuple(_INGREDIENTS),
            "step": tuple(_STEPS),
            "minutes": tuple(_MINUTES),
        },
        ("ingredient", "step"),
        _order_czech,
        _order_english,
    ),
    Frame(
        "store",
        "kitchen",
        {"where": tuple(_STORES), "there": ("yes", "no"), **_WHAT},
        ("there", "object"),
        _store_czech,
        _store_english,
        _fits_food,
    ),
)
