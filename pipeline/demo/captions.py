"""Captions: what pictures show, in the present. Many renderings: synonyms, passives, word order."""

from random import Random

from .czech import Adjective, Noun, Verb, along, counted, phrase, present, sentence
from .english import NUMERALS as ENGLISH_NUMERALS
from .english import conjugate, described, indefinite, likely
from .english import sentence as english_sentence
from .lexicon import ADJECTIVES, ANIMALS, CLOTHES, HANDLING, PEOPLE, STANDING, THINGS
from .meanings import Frame, Slots, weighted

PLACES = {
    "v parku": ("in the park", "in a park"),
    "na pláži": ("on the beach", "at the beach"),
    "na ulici": ("in the street", "on the street"),
    "před domem": ("in front of the house", "in front of a house"),
    "u řeky": ("by the river", "next to the river"),
    "na náměstí": ("in the square", "on the square"),
    "v lese": ("in the forest", "in the woods"),
    "na zahradě": ("in the garden", "in the yard"),
    "pod stromem": ("under a tree", "beneath a tree"),
    "vedle kostela": ("next to the church", "beside the church"),
    "za plotem": ("behind the fence", "behind a fence"),
    "na hřišti": ("on the playground", "at the playground"),
    "blízko nádraží": ("near the station", "close to the station"),
    "v pokoji": ("in the room", "in a room"),
}

_HANDLED = {
    "opravovat": ("kolo", "auto", "plot", "lavička", "deštník", "loď", "most", "letadlo"),
    "číst": ("kniha", "dopis", "mapa"),
    "držet": ("deštník", "míč", "kytara", "kniha", "mapa", "košík", "květina", "klíč", "klobouk"),
    "nést": ("košík", "kufr", "krabice", "batoh", "deštník", "lavička", "obraz", "kytara"),
    "malovat": ("plot", "obraz", "dům", "loď", "lavička", "most", "kostel", "okno"),
    "kupovat": ("kniha", "květina", "klobouk", "mapa", "kolo", "obraz", "batoh", "deštník"),
    "fotit": ("most", "kostel", "pták", "dům", "loď", "letadlo", "kočka", "květina", "auto"),
    "mýt": ("auto", "okno", "pes", "kolo", "loď", "lavička"),
    "hledat": ("klíč", "kufr", "pes", "kočka", "mapa", "klobouk", "batoh", "deštník", "míč"),
    "pozorovat": ("pták", "loď", "letadlo", "pes", "králík", "kočka", "obraz"),
    "hrát": ("kytara", "klavír", "trubka"),
}
_OBJECTS = THINGS | ANIMALS
_OBJECT_NAMES = tuple(sorted({name for names in _HANDLED.values() for name in names}))
_PERSON_ADJECTIVES = weighted(
    ("", 3), ("mladý", 2), ("starý", 2), ("vysoký", 1), ("veselý", 1), ("unavený", 1)
)
_ANIMAL_ADJECTIVES = weighted(("", 2), ("malý", 2), ("velký", 2), ("černý", 2), ("bílý", 2), ("hnědý", 2))
_THING_ADJECTIVES = weighted(
    ("", 4), ("starý", 2), ("nový", 2), ("velký", 2), ("malý", 2), ("krásný", 1), ("červený", 1), ("modrý", 1)
)
_COLOURS = ("červený", "modrý", "zelený", "žlutý", "černý", "bílý")
_COUNTS = weighted(("1", 4), ("2", 3), ("3", 1), ("5", 1))
_BEINGS = PEOPLE | ANIMALS
_FOR_ANIMALS = ("stát", "sedět", "běžet", "spát", "skákat", "odpočívat", "hrát", "čekat")


def _fits_being(slots: Slots) -> bool:
    animal = slots["subject"] in ANIMALS
    adjectives = _ANIMAL_ADJECTIVES if animal else _PERSON_ADJECTIVES
    return (
        slots["adjective"] in adjectives
        and (not animal or slots["action"] in _FOR_ANIMALS)
        and _fits_person(slots)
    )


def _fits_person(slots: Slots) -> bool:
    return slots["subject"] != "dítě" or slots["adjective"] not in ("mladý", "starý")


def _fits_object(slots: Slots) -> bool:
    instrument = slots["action"] == "hrát" and slots["object_adjective"] != ""
    sized = slots["object"] in ("most", "kostel", "dům") and slots["object_adjective"] == "malý"
    right_object = slots["object"] in _HANDLED[slots["action"]]
    return right_object and _fits_person(slots) and not (instrument or sized)


def _czech_object(verb: Verb, head: Noun, adjective: Adjective | None) -> str:
    return f"{verb.preposition} {phrase(head, 'acc', adjective)}".strip()


def _being_czech(slots: Slots) -> str:
    subject, count, verb = _BEINGS[slots["subject"]], int(slots["count"]), STANDING[slots["action"]]
    adjective = ADJECTIVES.get(slots["adjective"])
    return sentence([counted(subject, count, adjective), verb.clitic, present(verb, count), slots["place"]])


def _being_english(slots: Slots, choose: Random) -> str:
    subject, count = _BEINGS[slots["subject"]], int(slots["count"])
    who = indefinite(subject, ADJECTIVES.get(slots["adjective"]), choose, count)
    verb = conjugate(choose.choice(STANDING[slots["action"]].english))
    place = choose.choice(PLACES[slots["place"]]) if slots["place"] else ""
    are = "is" if count == 1 else "are"
    simple = verb.third if count == 1 else verb.base
    ways = [f"{who} {are} {verb.ing} {place}"] * 3
    ways += [f"{who} {simple} {place}", f"there {are} {who} {verb.ing} {place}"]
    if place:
        ways += [f"{place}, {who} {are} {verb.ing}", f"{place} there {are} {who} {verb.ing}"]
    return english_sentence(choose.choice(ways))


def _deed_czech(slots: Slots) -> str:
    verb = HANDLING[slots["action"]]
    return sentence(
        [
            phrase(PEOPLE[slots["subject"]], "nom", ADJECTIVES.get(slots["adjective"])),
            verb.singular,
            _czech_object(verb, _OBJECTS[slots["object"]], ADJECTIVES.get(slots["object_adjective"])),
            slots["place"],
        ]
    )


def _english_object(slots: Slots, choose: Random) -> str:
    if slots["action"] == "hrát":
        return "the " + described(_OBJECTS[slots["object"]], None, choose)
    return indefinite(_OBJECTS[slots["object"]], ADJECTIVES.get(slots["object_adjective"]), choose)


def _deed_english(slots: Slots, choose: Random) -> str:
    who = indefinite(PEOPLE[slots["subject"]], ADJECTIVES.get(slots["adjective"]), choose)
    what = _english_object(slots, choose)
    verb = conjugate(choose.choice(HANDLING[slots["action"]].english))
    place = choose.choice(PLACES[slots["place"]]) if slots["place"] else ""
    ing = verb.with_particle(verb.ing)
    ways = [f"{who} is {ing} {what} {place}"] * 3
    ways += [
        f"{who} {verb.with_particle(verb.third)} {what} {place}",
        f"there is {who} {ing} {what} {place}",
        f"{what} is being {verb.with_particle(verb.participle)} by {who} {place}",
    ]
    if place:
        ways += [f"{place}, {who} is {ing} {what}"]
    return english_sentence(choose.choice(ways))


def _clothed_czech(slots: Slots) -> str:
    clothing = phrase(CLOTHES[slots["garment"]], "loc", ADJECTIVES[slots["colour"]])
    who = phrase(PEOPLE[slots["subject"]], "nom", ADJECTIVES.get(slots["adjective"]))
    verb = STANDING[slots["action"]]
    return sentence([who, along("v", clothing), verb.clitic, verb.singular, slots["place"]])


def _clothed_english(slots: Slots, choose: Random) -> str:
    who = indefinite(PEOPLE[slots["subject"]], ADJECTIVES.get(slots["adjective"]), choose)
    clothing = indefinite(CLOTHES[slots["garment"]], ADJECTIVES[slots["colour"]], choose)
    verb = conjugate(choose.choice(STANDING[slots["action"]].english))
    place = choose.choice(PLACES[slots["place"]])
    dressed = choose.choice(("in", "in", "wearing", "who wears"))
    ways = [
        f"{who} {dressed} {clothing} is {verb.ing} {place}",
        f"{who} {dressed} {clothing} {verb.third} {place}",
        f"{place}, {who} {dressed} {clothing} is {verb.ing}",
        f"{who} is {verb.ing} {place} in {clothing}",
    ]
    return english_sentence(choose.choice(ways))


def _company_czech(slots: Slots) -> str:
    who = phrase(PEOPLE[slots["subject"]], "nom", ADJECTIVES.get(slots["adjective"]))
    friend = phrase(ANIMALS[slots["animal"]], "ins", ADJECTIVES.get(slots["animal_adjective"]))
    verb = STANDING[slots["action"]]
    return sentence([who, verb.clitic, verb.singular, slots["place"], along("s", friend)])


def _company_english(slots: Slots, choose: Random) -> str:
    who = indefinite(PEOPLE[slots["subject"]], ADJECTIVES.get(slots["adjective"]), choose)
    friend = indefinite(ANIMALS[slots["animal"]], ADJECTIVES.get(slots["animal_adjective"]), choose)
    verb = conjugate(choose.choice(STANDING[slots["action"]].english))
    place = choose.choice(PLACES[slots["place"]])
    ways = [
        f"{who} is {verb.ing} with {friend} {place}",
        f"{who} is {verb.ing} {place} with {friend}",
        f"{who} with {friend} is {verb.ing} {place}",
        f"{who} {verb.third} {place} with {friend}",
        f"{who} and {friend} are {verb.ing} {place}",
    ]
    return english_sentence(choose.choice(ways))


def _meanwhile_czech(slots: Slots) -> str:
    """Two clauses; the animals of the second one stand in the plural."""
    verb, others = HANDLING[slots["action"]], ANIMALS[slots["others"]]
    count, play = int(slots["count"]), STANDING[slots["their_action"]]
    they = counted(others, count, ADJECTIVES.get(slots["their_adjective"]))
    first = [
        phrase(PEOPLE[slots["subject"]], "nom", ADJECTIVES.get(slots["adjective"])),
        verb.singular,
        _czech_object(verb, _OBJECTS[slots["object"]], ADJECTIVES.get(slots["object_adjective"])),
    ]
    if slots["link"] == "and":
        return sentence([*first, "a", they, play.clitic, present(play, count), slots["place"]])
    # "zatímco" is the clause's first place, so the clitic follows it at once.
    return sentence([" ".join(first) + ", zatímco", play.clitic, they, present(play, count), slots["place"]])


def _meanwhile_english(slots: Slots, choose: Random) -> str:
    who = indefinite(PEOPLE[slots["subject"]], ADJECTIVES.get(slots["adjective"]), choose)
    what = _english_object(slots, choose)
    deed = conjugate(choose.choice(HANDLING[slots["action"]].english))
    count, others = int(slots["count"]), ANIMALS[slots["others"]]
    they = described(others, ADJECTIVES.get(slots["their_adjective"]), choose, count)
    they = f"{ENGLISH_NUMERALS[count]} {they}"
    play = conjugate(choose.choice(STANDING[slots["their_action"]].english))
    place = choose.choice(PLACES[slots["place"]])
    ing = deed.with_particle(deed.ing)
    if slots["link"] == "and":
        ways = [
            f"{who} is {ing} {what} and {they} are {play.ing} {place}",
            f"{who} {deed.with_particle(deed.third)} {what} and {they} {play.base} {place}",
            f"{they} are {play.ing} {place} and {who} is {ing} {what}",
        ]
        return english_sentence(choose.choice(ways))
    meanwhile = choose.choice(("while", "while", "as"))
    ways = [
        f"{who} is {ing} {what} {meanwhile} {they} are {play.ing} {place}",
        f"{meanwhile} {they} are {play.ing} {place}, {who} is {ing} {what}",
        f"{who} {deed.with_particle(deed.third)} {what} {meanwhile} {they} {play.base} {place}",
    ]
    if likely(choose, 0.2):
        return english_sentence(
            f"{they} {play.base} {place} {meanwhile} {who} {deed.with_particle(deed.third)} {what}"
        )
    return english_sentence(choose.choice(ways))


def _fits_meanwhile(slots: Slots) -> bool:
    return slots["their_action"] in _FOR_ANIMALS and slots["object"] not in ANIMALS and _fits_object(slots)


_PEOPLE = tuple(PEOPLE)
_SOMEWHERE = tuple(PLACES)
_MAYBE_SOMEWHERE = ("", "", "", *PLACES)
_DEED = {
    "subject": _PEOPLE,
    "adjective": _PERSON_ADJECTIVES,
    "action": tuple(HANDLING),
    "object": _OBJECT_NAMES,
    "object_adjective": _THING_ADJECTIVES,
}

FRAMES = (
    Frame(
        "being",
        "captions",
        {
            "subject": (*PEOPLE, *ANIMALS, *ANIMALS),
            "count": _COUNTS,
            "adjective": (*_PERSON_ADJECTIVES, *_ANIMAL_ADJECTIVES),
            "action": tuple(STANDING),
            "place": _MAYBE_SOMEWHERE,
        },
        ("subject", "action"),
        _being_czech,
        _being_english,
        _fits_being,
    ),
    Frame(
        "deed",
        "captions",
        {**_DEED, "place": _MAYBE_SOMEWHERE},
        ("subject", "action", "object"),
        _deed_czech,
        _deed_english,
        _fits_object,
    ),
    Frame(
        "clothed",
        "captions",
        {
            "subject": _PEOPLE,
            "adjective": _PERSON_ADJECTIVES,
            "colour": _COLOURS,
            "garment": tuple(CLOTHES),
            "action": ("stát", "sedět", "běžet", "tančit", "čekat", "zpívat", "odpočívat", "procházet"),
            "place": _SOMEWHERE,
        },
        ("subject", "action"),
        _clothed_czech,
        _clothed_english,
        _fits_person,
    ),
    Frame(
        "company",
        "captions",
        {
            "subject": _PEOPLE,
            "adjective": _PERSON_ADJECTIVES,
            "animal": ("pes", "kočka", "králík"),
            "animal_adjective": _ANIMAL_ADJECTIVES,
            "action": ("stát", "sedět", "běžet", "čekat", "odpočívat", "hrát", "procházet"),
            "place": _SOMEWHERE,
        },
        ("subject", "animal", "action"),
        _company_czech,
        _company_english,
        _fits_person,
    ),
    Frame(
        "meanwhile",
        "captions",
        {
            **_DEED,
            "link": ("and", "while"),
            "others": tuple(ANIMALS),
            "their_adjective": _ANIMAL_ADJECTIVES,
            "count": ("2", "3", "5"),
            "their_action": _FOR_ANIMALS,
            "place": _SOMEWHERE,
        },
        ("subject", "action", "object", "others", "their_action"),
        _meanwhile_czech,
        _meanwhile_english,
        _fits_meanwhile,
    ),
)
