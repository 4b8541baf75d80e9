"""Travel: journeys, timetables, questions at the counter, and why plans changed."""

from random import Random

from .czech import participle, phrase, sentence
from .english import article, described, likely
from .english import sentence as english_sentence
from .lexicon import ADJECTIVES, FAMILY, TOWN
from .meanings import Frame, Slots

# Genitive, as after "do" and "z", and English.
_CITIES = {
    "Prahy": "Prague",
    "Brna": "Brno",
    "Vídně": "Vienna",
    "Paříže": "Paris",
    "Londýna": "London",
    "Berlína": "Berlin",
    "Říma": "Rome",
    "Ostravy": "Ostrava",
    "Plzně": "Pilsen",
    "Drážďan": "Dresden",
}
_VEHICLES = {"vlakem": ("train",), "autobusem": ("bus", "coach"), "autem": ("car",)}
_SPEAKERS = {"já": "I", "my": "we", "oni": "they"}
_TRAVELLERS = ("já", "my", "my", "oni", "bratr", "sestra", "soused", "teta")
_FUTURE = {
    "zítra": ("tomorrow",),
    "příští týden": ("next week",),
    "v pátek": ("on Friday",),
    "za dva dny": ("in two days", "two days from now"),
    "v létě": ("in the summer", "in summer"),
    "dnes večer": ("tonight", "this evening"),
}
_PAST = {
    "včera": ("yesterday",),
    "minulý týden": ("last week",),
    "minulý rok": ("last year",),
    "v pondělí": ("on Monday",),
    "před dvěma dny": ("two days ago",),
    "ráno": ("in the morning",),
}
_GO = {"já": "pojedu", "my": "pojedeme", "oni": "pojedou"}
_HOURS = {
    "v jednu hodinu": "one",
    "ve dvě hodiny": "two",
    "ve tři hodiny": "three",
    "ve čtyři hodiny": "four",
    "v pět hodin": "five",
    "v šest hodin": "six",
    "v sedm hodin": "seven",
    "v osm hodin": "eight",
    "v devět hodin": "nine",
    "v deset hodin": "ten",
}
_DAY = {"ráno": "in the morning", "odpoledne": "in the afternoon", "večer": "in the evening"}
_HOURS_OF = {
    "ráno": ("five", "six", "seven", "eight", "nine"),
    "odpoledne": ("one", "two", "three", "four", "five"),
    "večer": ("six", "seven", "eight", "nine", "ten"),
}
_PLATFORMS = {
    "z prvního nástupiště": ("from platform one", "from the first platform"),
    "z druhého nástupiště": ("from platform two", "from the second platform"),
    "ze třetího nástupiště": ("from platform three", "from the third platform"),
    "ze čtvrtého nástupiště": ("from platform four", "from the fourth platform"),
}
_LINES = {"vlak": ("train",), "autobus": ("bus", "coach"), "rychlík": ("express train", "express")}
_TICKETS = {
    "jízdenka": ("a ticket",),
    "zpáteční jízdenka": ("a return ticket", "a round trip ticket"),
    "dětská jízdenka": ("a child's ticket", "a children's ticket"),
    "letenka": ("a plane ticket", "a flight"),
    "taxi": ("a taxi", "a cab"),
    "cesta autobusem": ("the bus ride", "the journey by bus"),
}

# Past participle, clitic, rest of the clause, English in the past.
_OUTCOMES = {
    "nestihnout vlak": (
        "nestihl",
        "",
        "vlak",
        ("missed the train", "didn't catch the train", "were late for the train"),
    ),
    "zůstat v hotelu": (
        "zůstal",
        "",
        "v hotelu",
        ("stayed at the hotel", "stayed in the hotel", "remained at the hotel"),
    ),
    "přijet pozdě": ("přijel", "", "pozdě", ("arrived late", "came late", "didn't arrive on time")),
    "vrátit se domů": ("vrátil", "se", "domů", ("returned home", "went back home", "came back home")),
    "vzít si taxi": ("vzal", "si", "taxi", ("took a taxi", "took a cab")),
    "jít do muzea": ("šel", "", "do muzea", ("went to the museum", "visited the museum")),
    "koupit si deštník": ("koupil", "si", "nový deštník", ("bought a new umbrella", "got a new umbrella")),
    "odejít brzy": ("odešel", "", "brzy", ("left early", "went away early")),
    "čekat na nádraží": ("čekal", "", "na nádraží", ("waited at the station", "were waiting at the station")),
}
_REASONS = {
    "pršelo": ("because it was raining", "because of the rain"),
    "sněžilo": ("because it was snowing", "because of the snow"),
    "byla velká zima": ("because it was very cold", "because of the cold"),
    "restaurace byla zavřená": ("because the restaurant was closed", "because the restaurant was shut"),
    "vlak měl zpoždění": ("because the train was delayed", "because the train was late"),
    "na silnici byla nehoda": (
        "because there was an accident on the road",
        "because of an accident on the road",
    ),
    "most byl zavřený": ("because the bridge was closed", "because the bridge was shut"),
    "nikdo neznal cestu": ("because nobody knew the way", "because no one knew the way"),
    "bylo krásné počasí": ("because the weather was beautiful", "because of the lovely weather"),
    "celý den foukal vítr": ("because it was windy all day", "because the wind blew all day"),
}
_TO_CHOOSE = ("restaurace", "hotel", "obchod", "kavárna", "divadlo", "muzeum")
_BEST = ("nejbližší", "nejlevnější", "nejlepší")
_DESCRIBED = ("", "levný", "dobrý", "klidný", "malý", "nový")


def _who(traveller: str, choose: Random) -> str:
    if traveller in _SPEAKERS:
        return _SPEAKERS[traveller]
    return choose.choice(FAMILY[traveller].english)


def _past_of(traveller: str, past: str, clitic: str = "") -> tuple[str, str]:
    """What stands in the second place (auxiliary, clitic, subject), and the participle."""
    if traveller in FAMILY:
        subject = FAMILY[traveller]
        return f"{clitic} {subject.lemma}".strip(), participle(past, subject.gender)
    auxiliary = {"já": "jsem", "my": "jsme", "oni": ""}[traveller]
    return f"{auxiliary} {clitic}".strip(), participle(past, "m", plural=traveller != "já")


def _journey_czech(slots: Slots) -> str:
    way = [slots["vehicle"], "do", slots["city"]]
    no = "ne" if slots["polarity"] == "no" else ""
    traveller, time = slots["who"], slots["time"]
    if time in _PAST:
        second, verb = _past_of(traveller, "jel")
        return sentence([time, second, no + verb, *way])
    subject = FAMILY[traveller].lemma if traveller in FAMILY else ""
    return sentence([time, subject, no + _GO.get(traveller, "pojede"), *way])


def _journey_english(slots: Slots, choose: Random) -> str:
    who, time = _who(slots["who"], choose), slots["time"]
    vehicle, city = choose.choice(_VEHICLES[slots["vehicle"]]), _CITIES[slots["city"]]
    go = choose.choice((("go", "went", "going"), ("travel", "travelled", "travelling")))
    drive = slots["vehicle"] == "autem"
    ride = ("drive", "drove", "driving") if drive else ("take", "took", "taking")
    by, ridden = f"to {city} by {vehicle}", f"to {city}" if drive else f"the {vehicle} to {city}"
    forms, way = (go, by) if likely(choose, 0.6) else (ride, ridden)
    if time in _PAST:
        when = choose.choice(_PAST[time])
        clauses = [f"{who} {forms[1]} {way}"]
        if slots["polarity"] == "no":
            clauses = [f"{who} didn't {forms[0]} {way}", f"{who} did not {forms[0]} {way}"]
    else:
        when = choose.choice(_FUTURE[time])
        clauses = _future_clauses(who, forms, way, slots["polarity"] == "no")
    clause = choose.choice(clauses)
    return english_sentence(f"{when}, {clause}" if likely(choose, 0.3) else f"{clause} {when}")


def _future_clauses(who: str, forms: tuple[str, str, str], way: str, negated: bool) -> list[str]:
    be = {"I": "am", "we": "are", "they": "are"}.get(who, "is")
    short = {"I": "I'll", "we": "we'll", "they": "they'll"}.get(who, f"{who} will")
    if negated:
        return [
            f"{who} will not {forms[0]} {way}",
            f"{who} won't {forms[0]} {way}",
            f"{who} {be} not {forms[2]} {way}",
        ]
    return [
        f"{who} will {forms[0]} {way}",
        f"{short} {forms[0]} {way}",
        f"{who} {be} {forms[2]} {way}",
        f"{who} {be} going to {forms[0]} {way}",
    ]


def _line_czech(slots: Slots) -> str:
    route = "do" if slots["direction"] == "leaves" else "z"
    verb = "odjíždí" if slots["direction"] == "leaves" else "přijíždí"
    return sentence(
        [slots["line"], route, slots["city"], verb, slots["hour"], slots["day"], slots["platform"]]
    )


def _line_english(slots: Slots, choose: Random) -> str:
    leaves = slots["direction"] == "leaves"
    line, city = choose.choice(_LINES[slots["line"]]), _CITIES[slots["city"]]
    verb = choose.choice(("leaves", "departs", "goes")) if leaves else choose.choice(("arrives", "comes in"))
    hour, day = _HOURS[slots["hour"]], _DAY[slots["day"]]
    clock = choose.choice((f"at {hour}", f"at {hour}", f"at {hour} o'clock"))
    when = f"{clock} {day}"
    platform = choose.choice(_PLATFORMS[slots["platform"]]) if slots["platform"] else ""
    what = f"the {line} {'to' if leaves else 'from'} {city}"
    ways = [
        f"{what} {verb} {when} {platform}",
        f"{what} {verb} {platform} {when}",
        f"{when}, {what} {verb} {platform}",
    ]
    return english_sentence(choose.choice(ways))


def _fits_line(slots: Slots) -> bool:
    leaves = slots["direction"] == "leaves"
    return _HOURS[slots["hour"]] in _HOURS_OF[slots["day"]] and (leaves or not slots["platform"])


def _price_czech(slots: Slots) -> str:
    return sentence(["kolik stojí", slots["ticket"], "z", slots["start"], "do", slots["city"]], "?")


def _price_english(slots: Slots, choose: Random) -> str:
    way = f"from {_CITIES[slots['start']]} to {_CITIES[slots['city']]}"
    ticket = choose.choice(_TICKETS[slots["ticket"]])
    ways = [
        f"how much is {ticket} {way}",
        f"how much does {ticket} {way} cost",
        f"what does {ticket} {way} cost",
        f"what is the price of {ticket} {way}",
    ]
    return english_sentence(choose.choice(ways), "?")


def _where_czech(slots: Slots) -> str:
    place, near = TOWN[slots["place"]], TOWN[slots["near"]].forms["gen"]
    adjective = ADJECTIVES[slots["adjective"]]
    if slots["question"] == "where":
        return sentence(["kde je", phrase(place, "nom", adjective), "blízko", near], "?")
    if slots["question"] == "how":
        return sentence(["jak se dostanu od", near, "k", phrase(place, "dat", adjective)], "?")
    return sentence(["můžete mi ukázat", phrase(place, "acc", adjective), "blízko", near], "?")


def _where_english(slots: Slots, choose: Random) -> str:
    place = "the " + described(TOWN[slots["place"]], ADJECTIVES[slots["adjective"]], choose)
    landmark = "the " + described(TOWN[slots["near"]], None, choose)
    close = choose.choice(("near", "close to"))
    ways = {
        "where": (
            f"where is {place} {close} {landmark}",
            f"where's {place} {close} {landmark}",
            f"where can I find {place} {close} {landmark}",
        ),
        "how": (
            f"how do I get to {place} from {landmark}",
            f"how do I get from {landmark} to {place}",
            f"how can I get from {landmark} to {place}",
            f"what is the way from {landmark} to {place}",
        ),
        "show": (
            f"can you show me {place} {close} {landmark}",
            f"could you show me {place} {close} {landmark}",
        ),
    }[slots["question"]]
    return english_sentence(choose.choice(ways), "?")


def _fits_where(slots: Slots) -> bool:
    to_choose = slots["adjective"] == "nejbližší" or slots["place"] in _TO_CHOOSE
    return slots["place"] != slots["near"] and to_choose


def _advice_czech(slots: Slots) -> str:
    place = phrase(TOWN[slots["place"]], "acc", ADJECTIVES.get(slots["adjective"]))
    near = TOWN[slots["near"]].forms["gen"]
    opening = {"ask": "můžete mi doporučit", "want": "hledáme", "book": "našli jsme"}[slots["kind"]]
    return sentence([opening, place, "blízko", near], "?" if slots["kind"] == "ask" else ".")


def _advice_english(slots: Slots, choose: Random) -> str:
    place = article(described(TOWN[slots["place"]], ADJECTIVES.get(slots["adjective"]), choose))
    landmark = "the " + described(TOWN[slots["near"]], None, choose)
    where = f"{choose.choice(('near', 'close to'))} {landmark}"
    ways = {
        "ask": (
            f"can you recommend {place} {where}",
            f"could you recommend {place} {where} to me",
            f"could you suggest {place} {where}",
        ),
        "want": (f"we are looking for {place} {where}", f"we're looking for {place} {where}"),
        "book": (
            f"we found {place} {where}",
            f"we have found {place} {where}",
            f"we've found {place} {where}",
        ),
    }[slots["kind"]]
    return english_sentence(choose.choice(ways), "?" if slots["kind"] == "ask" else ".")


def _cause_czech(slots: Slots) -> str:
    past, clitic, rest, _ = _OUTCOMES[slots["outcome"]]
    second, verb = _past_of(slots["who"], past, clitic)
    main = " ".join(word for word in (slots["time"], second, verb, rest) if word)
    return sentence([f"{main}, protože", slots["reason"]])


def _cause_english(slots: Slots, choose: Random) -> str:
    who = _who(slots["who"], choose)
    outcome = choose.choice(_OUTCOMES[slots["outcome"]][3])
    if who not in ("we", "they"):
        outcome = outcome.replace("were ", "was ")
    when = choose.choice(_PAST[slots["time"]])
    why = choose.choice(_REASONS[slots["reason"]])
    ways = [
        f"{who} {outcome} {when} {why}",
        f"{when}, {who} {outcome} {why}",
        f"{why}, {who} {outcome} {when}",
    ]
    return english_sentence(choose.choice(ways))


FRAMES = (
    Frame(
        "journey",
        "travel",
        {
            "who": _TRAVELLERS,
            "polarity": ("yes", "yes", "yes", "no"),
            "vehicle": tuple(_VEHICLES),
            "city": tuple(_CITIES),
            "time": (*_FUTURE, *_PAST),
        },
        ("who", "polarity", "city"),
        _journey_czech,
        _journey_english,
    ),
    Frame(
        "line",
        "travel",
        {
            "line": tuple(_LINES),
            "direction": ("leaves", "arrives"),
            "city": tuple(_CITIES),
            "hour": tuple(_HOURS),
            "day": tuple(_DAY),
            "platform": ("", *_PLATFORMS),
        },
        ("line", "direction", "city"),
        _line_czech,
        _line_english,
        _fits_line,
    ),
    Frame(
        "price",
        "travel",
        {"ticket": tuple(_TICKETS), "start": tuple(_CITIES), "city": tuple(_CITIES)},
        ("ticket", "city"),
        _price_czech,
        _price_english,
        lambda slots: slots["start"] != slots["city"],
    ),
    Frame(
        "where",
        "travel",
        {
            "question": ("where", "how", "show"),
            "adjective": _BEST,
            "place": tuple(TOWN),
            "near": tuple(TOWN),
        },
        ("question", "place"),
        _where_czech,
        _where_english,
        _fits_where,
    ),
    Frame(
        "advice",
        "travel",
        {
            "kind": ("ask", "want", "book"),
            "adjective": _DESCRIBED,
            "place": _TO_CHOOSE,
            "near": tuple(TOWN),
        },
        ("kind", "place"),
        _advice_czech,
        _advice_english,
        lambda slots: slots["place"] != slots["near"],
    ),
    Frame(
        "cause",
        "travel",
        {"who": _TRAVELLERS, "time": tuple(_PAST), "outcome": tuple(_OUTCOMES), "reason": tuple(_REASONS)},
        ("who", "outcome", "reason"),
        _cause_czech,
        _cause_english,
    ),
)
