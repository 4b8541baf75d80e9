"""What the sentences of the demo are about: its grammar has few words, so that a table of them suffices."""

import re
from collections import Counter

# Words of a line mean the same. Words that are not here are not compared: articles, prepositions, auxiliary
# verbs, and verbs that have too many forms.
_CONCEPTS = """
man men guy guys
woman women lady ladies
child children kid kids
boy boys lad lads
doctor doctors physician physicians
rabbit rabbits bunny bunnies
bike bicycle
airplane plane flight
backpack rucksack
coat overcoat
forest woods
garden yard
shop store
pharmacy drugstore
mother mum
father dad
grandmother grandma
grandfather grandpa
cake pie
fridge refrigerator
bus coach
taxi cab
spoon spoons spoonful spoonfuls
evening night tonight
midday noon
big large
little small
happy cheerful
cheap inexpensive
calm quiet
delicious excellent
beautiful lovely
closed shut
nearest closest
stir mix
jump jumps jumping leap leaps leaping
rest rests resting relax relaxes relaxing
walk walks walking stroll strolls strolling
fixes fixing fixed mends mending mended repairs repairing repaired
watches watching watched observes observing observed
washes washing washed cleans cleaning cleaned
looks looking looked searches searching searched
recommend suggest
tasted tried
eaten ate
baked bake
made prepared
sliced cut
given gave
passed handed
one first
two second
three third
four fourth
"""
_ALONE = """
apple aunt ball bank basket beach bench berlin black blue boat book box bread bridge brno brother brown butter
cap car cheapest cheese chef christmas church coffee cold cupboard dresden eight express fence fish five flour
flower fresh friday fry green guitar hat honey hospital hotel house jacket key letter london lunch map meat
milk monday morning museum new nine oil old onion ostrava paris park piano picture pilsen platform playground
post prague red restaurant rice river road rome room salad salt saturday sauce seven shirt sister six soup
square station street sugar suitcase summer sunday table tall tea ten theatre tired tomorrow tree trumpet
twenty umbrella uncle vienna waiter warm week white wine yellow yesterday young
"""
_PLURALS = "bird cat cup dancer dog girl glass photographer singer student tourist worker"
_FORMS = "carry dance hold paint photograph read run sing sit sleep stand wait"

_CONCEPT = {word: line.split()[0] for line in _CONCEPTS.strip().splitlines() for word in line.split()}
_CONCEPT |= {word: word for word in _ALONE.split()}
_CONCEPT |= {form: word for word in _PLURALS.split() for form in (word, f"{word}s", f"{word}es")}
_CONCEPT |= {
    form: word
    for word in _FORMS.split()
    for form in (word, f"{word}s", f"{word}ing", f"{word.removesuffix('e')}ing", f"{word}ed")
}
_CONCEPT |= {"carries": "carry", "running": "run", "sitting": "sit", "café": "café", "picture": "picture"}
_CONCEPT |= {"not": "not", "no": "not", "nobody": "not", "neighbour": "neighbour"}

_PEOPLE = (
    "mother mum father dad grandmother grandma grandfather grandpa aunt uncle brother sister neighbour "
    "waiter chef"
).split()

# What is said in one word or in several; the order counts.
_PHRASES = {
    r"lady next door": "neighbour",
    r"thirty minutes": "half an hour",
    r"(railway|train) station": "station",
    r"coffee shop": "café",
    r"(an?|one) hour": "hour",
    r"(the|a) cook\b": "chef",
    r"(buys?|buying|painting|new|old|small|little|big|large|\ba) painting": r"\1 picture",
    r"by car": "",
    r"first platform": "platform one",
    r"(is|are|was|were|do|does|did|wo|has|have|could|ca)n't": "not",
    r"missed": "not catch",
    r"(come|came|arrived?) late": "not on time",
}


def content(sentence: str) -> Counter[str]:
    """The things, qualities, numbers and actions that a sentence names, each as often as it does."""
    text = sentence.lower().replace("cannot", "can not")
    for phrase, other in _PHRASES.items():
        text = re.sub(phrase, other, text)
    words = re.findall(r"[a-zé]+", text)
    named = Counter(_CONCEPT[word] for word in words if word in _CONCEPT)
    return named + Counter({f"done by {_doer(text)}": 1})


def _doer(text: str) -> str | None:
    """Who does what is done, of the people who do things for others: after "by", or else named first."""
    people = "|".join(_PEOPLE)
    found = re.search(rf"\bby (?:\w+ )?({people})\b", text) or re.search(rf"\b({people})\b", text)
    return None if found is None else _CONCEPT[found[1]]
