"""The demo's bitext: its grammar, and the files it makes."""

import gzip
import hashlib
import re
from pathlib import Path
from random import Random

import pytest

from paranmt.models.sts_data import read_sts
from paranmt.pipeline.demo import DemoFiles, demo_recipe, write_demo
from paranmt.pipeline.demo.czech import Adjective, agree, along, counted, noun, participle, phrase
from paranmt.pipeline.demo.drawing import DOMAINS, GRADES, draw_meanings, graded_pair, two_renderings, use_of
from paranmt.pipeline.demo.english import article, conjugate, plural
from paranmt.pipeline.demo.lexicon import FAMILY, FOOD, PEOPLE
from paranmt.pipeline.demo.meanings import Meaning
from paranmt.pipeline.recipe import Recipe
from paranmt.tokens import normalise, tokenize
from paranmt.transforms.inputs import input_files
from paranmt.transforms.readers import read_records

YOUNG = Adjective("mladý", "mladí", ("young",))
NEAREST = Adjective("nejbližší", "nejbližší", ("nearest",))


# Czech that a reader of Czech has checked for agreement, case and word order, under what it means.
SENTENCES = """\
captions.being(subject=pes, count=1, action=spát)
    Pes spí.
captions.being(subject=muž, count=2, adjective=vysoký, action=stát, place=v parku)
    Dva vysocí muži stojí v parku.
captions.being(subject=dítě, count=5, adjective=veselý, action=hrát, place=u řeky)
    Pět veselých dětí si hraje u řeky.
captions.being(subject=dítě, count=2, adjective=malý, action=skákat)
    Dvě malé děti skáčou.
captions.deed(subject=žena, adjective=starý, action=pozorovat, object=pták)
    Stará žena pozoruje ptáka.
captions.deed(subject=turista, action=nést, object=krabice, object_adjective=modrý)
    Turista nese modrou krabici.
captions.deed(subject=dívka, action=hrát, object=trubka, place=na ulici)
    Dívka hraje na trubku na ulici.
captions.clothed(subject=chlapec, colour=žlutý, garment=tričko, action=procházet, place=na pláži)
    Chlapec ve žlutém tričku se prochází na pláži.
captions.company(subject=lékař, animal=pes, action=běžet, place=v lese)
    Lékař běží v lese se psem.
captions.meanwhile(subject=student, action=číst, object=kniha, link=while, others=kočka,
their_adjective=bílý, count=3, their_action=hrát, place=na zahradě)
    Student čte knihu, zatímco si tři bílé kočky hrají na zahradě.
kitchen.made(subject=babička, action=upéct, object=koláč, adjective=teplý, time=včera)
    Včera babička upekla teplý koláč.
kitchen.gave(subject=otec, action=přinést, recipient=sestra, object=polévka)
    Otec přinesl sestře polévku.
kitchen.order(count=2, unit=lžíce, ingredient=cukru, step=míchejte, minutes=pět minut)
    Přidejte dvě lžíce cukru a míchejte pět minut.
kitchen.order(count=5, unit=hrnek, ingredient=mouky, step=pečte, minutes=půl hodiny)
    Přidejte pět hrnků mouky a pečte půl hodiny.
kitchen.store(where=ve skříni, there=no, object=cibule, adjective=čerstvý)
    Ve skříni není žádná čerstvá cibule.
travel.journey(who=my, polarity=no, vehicle=vlakem, city=Vídně, time=zítra)
    Zítra nepojedeme vlakem do Vídně.
travel.journey(who=sestra, polarity=yes, vehicle=autem, city=Prahy, time=včera)
    Včera sestra jela autem do Prahy.
travel.line(line=vlak, direction=leaves, city=Brna, hour=v osm hodin, day=ráno,
platform=ze třetího nástupiště)
    Vlak do Brna odjíždí v osm hodin ráno ze třetího nástupiště.
travel.where(question=how, adjective=nejbližší, place=lékárna, near=hotel)
    Jak se dostanu od hotelu k nejbližší lékárně?
travel.advice(kind=ask, adjective=levný, place=restaurace, near=nádraží)
    Můžete mi doporučit levnou restauraci blízko nádraží?
travel.cause(who=my, time=včera, outcome=vrátit se domů, reason=pršelo)
    Včera jsme se vrátili domů, protože pršelo.
travel.cause(who=teta, time=ráno, outcome=jít do muzea, reason=sněžilo)
    Ráno teta šla do muzea, protože sněžilo.
travel.cause(who=já, time=včera, outcome=vzít si taxi, reason=pršelo)
    Včera jsem si vzal taxi, protože pršelo.
"""


def meaning(text: str) -> Meaning:
    """A meaning from its id: domain.frame(slot=value, …)."""
    domain, name, filled = re.fullmatch(r"(\w+)\.(\w+)\((.*)\)", text).groups()  # type: ignore[union-attr]
    slots = dict(item.split("=") for item in filled.split(", "))
    frame = next(frame for frame in DOMAINS[domain] if frame.name == name)
    assert slots.keys() <= frame.slots.keys()
    return Meaning(frame, tuple(slots.get(slot, "") for slot in frame.slots))


def checked_sentences() -> list[tuple[str, str]]:
    found = re.findall(r"(\w+\.\w+\([^)]*\))\n    (.*)\n", SENTENCES)
    return [(" ".join(said.split()), czech) for said, czech in found]


@pytest.mark.parametrize(("said", "czech"), checked_sentences())
def test_czech_agrees(said: str, czech: str) -> None:
    assert meaning(said).id == said
    assert meaning(said).czech() == czech


def test_all_checked_sentences_are_found() -> None:
    assert len(checked_sentences()) == SENTENCES.count("\n    ") >= 20


def test_paradigms() -> None:
    assert [phrase(PEOPLE["dívka"], case, YOUNG) for case in ("nom", "gen", "dat", "acc", "loc", "ins")] == [
        "mladá dívka",
        "mladé dívky",
        "mladé dívce",
        "mladou dívku",
        "mladé dívce",
        "mladou dívkou",
    ]
    assert phrase(FAMILY["otec"], "dat", YOUNG) == "mladému otci"
    assert phrase(FOOD["chléb"], "acc", YOUNG) == "mladý chléb"
    assert counted(PEOPLE["turista"], 2, YOUNG) == "dva mladí turisté"
    assert counted(PEOPLE["žena"], 5, YOUNG) == "pět mladých žen"
    assert agree(NEAREST, "i", "dat") == "nejbližšímu"
    assert agree(NEAREST, "f", "dat") == "nejbližší"
    assert participle("šel", "m", plural=True) == "šli"
    assert along("v", "vysoké trávě") == "ve vysoké trávě"


def test_a_noun_with_an_unknown_case_is_refused() -> None:
    with pytest.raises(ValueError, match="no case"):
        noun("žena žena lok=ženě", "woman")


@pytest.mark.parametrize(
    ("spec", "past", "participle", "ing"),
    [
        ("bake", "baked", "baked", "baking"),
        ("carry", "carried", "carried", "carrying"),
        ("sit sat", "sat", "sat", "sitting"),
        ("eat ate eaten", "ate", "eaten", "eating"),
        ("wait", "waited", "waited", "waiting"),
        ("play", "played", "played", "playing"),
        ("fix", "fixed", "fixed", "fixing"),
    ],
)
def test_english_verbs(spec: str, past: str, participle: str, ing: str) -> None:
    verb = conjugate(spec)
    assert (verb.past, verb.participle, verb.ing) == (past, participle, ing)


def test_english_nouns() -> None:
    assert [plural(word) for word in ("man", "lady", "box", "boy")] == ["men", "ladies", "boxes", "boys"]
    assert article("umbrella") == "an umbrella"


def test_one_meaning_has_many_renderings() -> None:
    giving = meaning("kitchen.gave(subject=kuchař, action=dát, recipient=číšník, object=chléb, time=včera)")
    choose = Random(1)
    renderings = {giving.english(choose) for _ in range(500)}
    assert {
        "The cook gave the waiter some bread yesterday.",
        "Yesterday, the chef gave bread to the waiter.",
        "The bread was given to the waiter by the cook yesterday.",
        "The waiter was given bread by the chef yesterday.",
    } <= renderings


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> DemoFiles:
    return write_demo(tmp_path_factory.mktemp("demo"), seed=1, pairs=3_000)


def _lines(file: Path) -> list[str]:
    content = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return content.decode("utf-8", errors="replace").split("\n")[:-1]


def _references(demo: DemoFiles) -> list[str]:
    references = _lines(demo.folder / "captions.en.gz") + _lines(demo.folder / "phrasebook.en.gz")
    references += [line.split("\t")[1] for line in _lines(demo.folder / "kitchen.tsv")]
    return references + [line.split("\t")[3] for line in _lines(demo.folder / "travel.czeng.gz")]


def _sources(demo: DemoFiles) -> list[str]:
    sources = _lines(demo.folder / "captions.cs.gz") + _lines(demo.folder / "phrasebook.cs.gz")
    sources += [line.split("\t")[0] for line in _lines(demo.folder / "kitchen.tsv")]
    return sources + [line.split("\t")[2] for line in _lines(demo.folder / "travel.czeng.gz")]


def test_the_same_seed_writes_the_same_bytes(demo: DemoFiles, tmp_path: Path) -> None:
    again = write_demo(tmp_path / "again", seed=1, pairs=3_000)
    other = write_demo(tmp_path / "other", seed=2, pairs=3_000)
    files = sorted(file.relative_to(demo.folder) for file in demo.folder.rglob("*.*"))

    def digests(folder: Path) -> list[str]:
        return [hashlib.sha256((folder / file).read_bytes()).hexdigest() for file in files]

    assert len(files) == 15
    assert digests(again.folder) == digests(demo.folder)
    assert digests(other.folder) != digests(demo.folder)


def test_no_held_out_meaning_is_in_the_bitext(demo: DemoFiles) -> None:
    seed, choose = 1, Random(5)
    frames = DOMAINS["kitchen"]
    drawn = {
        use: {m.id for m in draw_meanings(frames, use, 800, seed, choose)}
        for use in ("bitext", "test", "sts")
    }
    assert not drawn["bitext"] & drawn["test"]
    assert not drawn["bitext"] & drawn["sts"]
    assert not drawn["test"] & drawn["sts"]


def test_no_held_out_sentence_is_in_the_bitext(demo: DemoFiles) -> None:
    references = {normalise(text) for text in _references(demo)}
    assert not references & {normalise(text) for text in _lines(demo.test_reference)}
    assert not set(_sources(demo)) & set(_lines(demo.test_source))
    for domain in DOMAINS:
        for line in _lines(demo.sts / f"STS.input.{domain}.txt"):
            assert not references & {normalise(text) for text in line.split("\t")}


def test_different_meanings_are_said_differently() -> None:
    """Or else a held-out sentence could come back under another meaning."""
    choose = Random(7)
    for frames in DOMAINS.values():
        meanings = {m.id: m for m in draw_meanings(frames, "bitext", 3_000, 1, choose)}
        by_source = {m.czech(): id for id, m in meanings.items()}
        assert len(by_source) == len(meanings)
        by_english: dict[str, str] = {}
        for id, m in meanings.items():
            for text in two_renderings(m, choose):
                assert by_english.setdefault(text, id) == id, text


def test_every_meaning_has_two_renderings_that_differ() -> None:
    choose = Random(3)
    frames = [frame for frames in DOMAINS.values() for frame in frames]
    for drawn in draw_meanings(frames, "bitext", 500, 1, choose):
        first, second = two_renderings(drawn, choose)
        assert normalise(first) != normalise(second), drawn.id


def test_lengths(demo: DemoFiles) -> None:
    lengths = [len(tokenize(text)) for text in _references(demo) if 0 < len(text) < 500]
    assert min(lengths) <= 6
    assert 20 <= max(lengths) <= 30


@pytest.mark.parametrize("grade", GRADES)
def test_grades_follow_the_meanings(grade: int) -> None:
    choose = Random(grade)
    for _ in range(20):
        left, right = graded_pair("kitchen", grade, 1, choose)
        assert use_of(left, 1) == use_of(right, 1) == "sts"
        if grade == 0:
            assert left.frame.domain != right.frame.domain
            continue
        assert left.frame == right.frame
        changed = [slot for slot in left.slots if left.slots[slot] != right.slots[slot]]
        core = [slot for slot in changed if slot in left.frame.core]
        if grade == 1:
            assert len(core) == len(left.frame.core)
        else:
            assert (len(changed), len(core)) == {5: (0, 0), 4: (1, 0), 3: (1, 1), 2: (2, 2)}[grade]


def test_sts_is_read_as_semeval(demo: DemoFiles) -> None:
    datasets = read_sts(str(demo.sts))
    assert [dataset.name for dataset in datasets] == sorted(DOMAINS)
    for dataset in datasets:
        assert sorted(set(dataset.gold)) == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
        assert len(dataset.gold) == len(dataset.left) == 150


def test_ingest_takes_and_rejects_what_was_foretold(demo: DemoFiles) -> None:
    recipe = Recipe.from_yaml(demo_recipe("nmt"), folder=demo.folder)
    pairs = rejects = controls = 0
    for entry in recipe.bitext:
        for file in input_files(entry, str(demo.folder)):
            for batch in read_records(file, recipe.ingest.max_characters, recipe.ingest.part_rows):
                pairs += len(batch.pairs)
                rejects += len(batch.rejects)
                controls += sum(count for what, count in batch.cleaned.items() if "character" in what)
    assert (pairs, rejects) == (demo.pairs, demo.rejects)
    assert demo.pairs == 3_000
    assert controls == demo.control_lines > 0


def test_the_recipe_takes_paths_with_any_signs() -> None:
    recipe = Recipe.from_yaml(demo_recipe("it's a: model", workspace="a #b", seed=3))
    assert (recipe.translate.model, recipe.workspace, recipe.seed) == ("it's a: model", "a #b", 3)
