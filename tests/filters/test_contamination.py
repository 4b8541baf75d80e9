"""Pairs with sentences of evaluation sets: the kernels, the certificate, and contamination that is known."""

import copy
import gzip
import hashlib
import json
import shutil
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from corpus import recipe_text
from definitions import closest_match, matches_ngrams
from hypothesis import given, settings
from hypothesis import strategies as st
from runs import go, load

from paranmt.base.errors import InputError, RecipeError
from paranmt.filters.contamination import (
    MATCHES,
    Contamination,
    EvaluationSet,
    EvaluationSets,
    SetSentences,
    contamination,
)
from paranmt.models.evaluation.sts import Sts
from paranmt.models.sts.sts_data import read_sts
from paranmt.pipeline.manifest.release_summary import other_file
from paranmt.pipeline.release.cut import cut_release
from paranmt.pipeline.release.open_release import open_release
from paranmt.pipeline.release.verify import verify
from paranmt.pipeline.running.clean import clean
from paranmt.pipeline.running.plan import make_plan
from paranmt.tokens.definition import normalise
from paranmt.transforms.model_kinds import MODEL_KINDS
from paranmt.transforms.model_kinds.evaluation_sets import count_sentences
from paranmt.transforms.storage.content_hash import seal

SENTENCE = st.lists(st.sampled_from(["a", "A", "b", "c,", "d"]), min_size=1, max_size=9).map(" ".join)
SHARE = st.sampled_from([0.1, 0.5, 0.7, 1.0])


def sentences(name: str, *texts: str) -> SetSentences:
    return SetSentences(name, f"{name}.txt", list(texts), np.arange(1, len(texts) + 1, dtype=np.int32))


@settings(deadline=None, max_examples=50)
@given(st.lists(SENTENCE, max_size=8), st.lists(SENTENCE, min_size=1, max_size=8), st.integers(3, 5), SHARE)
def test_values_are_those_of_the_definition(known: list[str], sides: list[str], n: int, share: float) -> None:
    sets = EvaluationSets([sentences("one", *known[:3]), sentences("two", *known[3:])], n, share)
    column, empty = pa.array(sides), pa.array([""] * len(sides))
    expected = [closest_match(known, side, n, share) for side in sides]
    assert contamination(column, empty, sets).to_pylist() == expected
    assert contamination(empty, column, sets).to_pylist() == expected


def test_details_have_the_closest_match_with_each_set() -> None:
    score = Contamination(sets=tuple(EvaluationSet(name, name) for name in "xyz"))
    known = [
        sentences("x", "One two three.", "one two three", "one two three four five six seven eight nine"),
        sentences("y", "ONE TWO THREE!", "Two dogs run."),
        sentences("z", "Nothing like it."),
    ]
    sets = EvaluationSets(known, score.n, 0.5)
    pairs = pa.table(
        {
            "reference": ["one two three", "a", "two three four five six seven eight nine", None],
            "translation": ["Two dogs run.", "b", "One two three.", "Two dogs run."],
        }
    )
    values = score.measure(pairs, sets)
    assert values.to_pylist() == [3, 0, 3, None]
    columns, counts = score.details(pairs, values, sets)
    assert [[tuple(match.values()) for match in row] for row in columns[MATCHES].to_pylist()] == [
        [("x", "exact", "reference", "x.txt:2"), ("y", "exact", "translation", "y.txt:2")],
        [],
        [("x", "exact", "translation", "x.txt:1"), ("y", "normalised", "translation", "y.txt:1")],
        [],
    ]
    assert counts == {
        **{"exact": 2, "normalised": 0, "n-gram": 0},
        **{"exact: x": 2, "exact: y": 1, "normalised: y": 1},
    }


def test_a_sentence_may_match_any_number_of_others() -> None:
    texts = [f"one two three four five six seven eight {number}" for number in range(300)]
    sets = EvaluationSets([sentences("x", *texts)], 8, 0.5)
    side = pa.array(["one two three four five six seven eight"])
    assert sorted(sets.place(match)[1] for match in sets.matching(side)) == sorted(
        f"x.txt:{line}" for line in range(1, 301)
    )


def test_a_sentence_takes_few_bytes() -> None:
    random = np.random.default_rng(1)
    texts = [" ".join(words) for words in random.integers(0, 5_000, (20_000, 12)).astype(str).tolist()]
    sets = EvaluationSets([sentences("x", *texts)], 8, 0.7)
    kept = [
        each for value in vars(sets).values() for each in (value if isinstance(value, tuple) else (value,))
    ]
    size = sum(each.nbytes for each in kept if isinstance(each, np.ndarray))
    assert size <= len(texts) * (68 + 5 * 16)  # five n-grams each


def test_captions_are_known_to_be_in_sts(shared: Path) -> None:
    """Tasks of STS 2014, 2015 and 2017 took captions from Flickr30k, as Multi30k did."""
    with gzip.open(shared / "data/multi30k-captions5-en/train.1.en.gz", "rt", encoding="utf-8") as file:
        captions = file.read().splitlines()[:500]
    score = Contamination(sets=(EvaluationSet("sts", str(shared / "data/sts-semeval")),))
    sets = MODEL_KINDS["evaluation_sets"].load([Path(path) for path in score.files()], score)
    pairs = pa.table({"reference": captions, "translation": [""] * len(captions)})
    values = score.measure(pairs, sets)
    columns, counts = score.details(pairs, values, sets)
    found = [match for row in columns[MATCHES].to_pylist() for match in row if match["kind"] == "exact"]
    assert {match["place"].split(":")[0] for match in found} <= {
        "STS2014-gold/STS.input.images.txt",
        "STS2015-gold/STS.input.images.txt",
        "STS2017-test/STS.input.track5.en-en.txt",
    }
    for match in found:
        file, line = match["place"].split(":")
        text = (shared / "data/sts-semeval" / file).read_text(encoding="utf-8").split("\n")[int(line) - 1]
        assert any(caption.strip() in text for caption in captions)
    assert counts["exact: sts"] == len(found) >= 3


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose bitext is compared with two sets: its own ninth reference, and sentences that it lacks."""
    folder = tmp_path_factory.mktemp("contamination")
    text = recipe_text(folder, {"first": 80})
    (folder / "sets/own").mkdir(parents=True)
    reference = (folder / "data/first.en").read_text().splitlines()[8]
    (folder / "sets/own/test.tsv").write_text(f"5.0\tshort\t{reference}\n")
    (folder / "sets/own/README.md").write_text("A set of one sentence.\n")
    (folder / "sets/other.txt").write_text("This is nowhere in the bitext.\n")
    go(load(folder, text, *OVERRIDES), last="release")
    return folder


OVERRIDES = (
    "scores={translation_length: {}, contamination: {sets: [{name: own, path: sets/own}, "
    "{name: other, path: sets/other.txt}]}}",
    "select={clean: {where: contamination = 0}}",
    "train={}",
    "evaluate={}",
    "release={}",
)


def test_parquet_files_and_releases_are_sets(finished: Path, tmp_path: Path) -> None:
    release = finished / "work/release"
    (data,) = (release / "data").glob("*.parquet")
    pairs = pq.read_table(data).select(["pair_id", "reference", "translation"])
    pq.write_table(
        pa.table({"id": ["one two three"], "s": ["Nobody else says this."]}), tmp_path / "a.parquet"
    )
    score = Contamination(
        sets=(EvaluationSet("old", str(release)), EvaluationSet("other", str(tmp_path / "a.parquet")))
    )
    sets = MODEL_KINDS["evaluation_sets"].load([Path(path) for path in score.files()], score)
    new = pa.table({"reference": ["Nobody else SAYS this."], "translation": ["One, two, three."]})
    tested = pa.concat_tables([pairs.select(["reference", "translation"]), new])
    values = score.measure(tested, sets)
    assert values.to_pylist() == [3] * len(pairs) + [2]
    matches = score.details(tested, values, sets)[0][MATCHES].to_pylist()
    first_with = {text: row + 1 for row, text in reversed([*enumerate(pairs["reference"].to_pylist())])}
    for reference, (match,) in zip(pairs["reference"].to_pylist(), matches, strict=False):
        assert match["place"] == f"data/{data.name}:{first_with[reference]}"
    assert matches[-1] == [
        {"set": "other", "kind": "normalised", "side": "reference", "place": "a.parquet:1"}
    ]
    counts = count_sentences(str(release))
    assert counts.pop(f"data/{data.name}") == 2 * len(pairs)
    assert set(counts.values()) == {None} and "manifest.json" in counts


def test_the_release_has_a_certificate(finished: Path) -> None:
    release = finished / "work/release"
    certificate = json.loads((release / "contamination/contamination.json").read_text())
    own, other = certificate["sets"]
    matches = pq.read_table(release / "contamination/contamination.parquet")
    (data,) = (release / "data").glob("*.parquet")
    pairs = pq.read_table(data)

    assert (certificate["compared"], certificate["n"], certificate["share"]) == (80, 8, 0.7)
    assert (own["sentences"], own["files"], own["files_not_read"]) == (1, {"test.tsv": 1}, ["README.md"])
    assert (other["sentences"], other["files"]) == (1, {"other.txt": 1})
    assert "first/first.xx:9" in own["examples"]["exact"]
    assert set(other["pairs"].values()) == {0} and other["examples"] == dict.fromkeys(other["pairs"], [])
    assert own["hash"] != other["hash"]

    values = dict(zip(pairs["pair_id"].to_pylist(), pairs["contamination"].to_pylist(), strict=True))
    kinds = dict(zip(matches["pair_id"].to_pylist(), matches["kind"].to_pylist(), strict=True))
    assert {
        name: ["n-gram", "normalised", "exact"][value - 1] for name, value in values.items() if value
    } == kinds
    assert set(matches["place"].to_pylist()) == {"test.tsv:1"} and set(matches["set"].to_pylist()) == {"own"}
    assert certificate["pairs"] == own["pairs"]
    assert sum(own["pairs"].values()) == len(kinds) == certificate["matches"]["rows"]
    assert [value == 0 for value in pairs["contamination"].to_pylist()] == pairs["clean"].to_pylist()
    assert "_matches" not in pairs.column_names

    file = release / certificate["matches"]["path"]
    assert hashlib.sha256(file.read_bytes()).hexdigest() == certificate["matches"]["sha256"]
    assert f"| own | {own['pairs']['exact']} |" in (release / "README.md").read_text()
    manifest = json.loads((release / "manifest.json").read_text())
    assert manifest["contamination"][0]["sets"][0]["hash"] == own["hash"]


def test_a_release_that_is_cut_has_the_matches_of_its_pairs(finished: Path, tmp_path: Path) -> None:
    release = open_release(finished / "work")
    assert verify(release) == []
    for where, matched in (("contamination = 0", 0), ("pair_id like '%:9'", 1)):
        target = tmp_path / str(matched)
        cut_release(release, where, target)
        cut = open_release(target)
        assert verify(cut) == []
        assert cut.manifest is not None
        (comparison,) = cut.manifest.contamination
        certificate = json.loads((target / "contamination/contamination.json").read_text())
        file = target / certificate["matches"]["path"]
        assert hashlib.sha256(file.read_bytes()).hexdigest() == certificate["matches"]["sha256"]
        assert pq.read_metadata(file).num_rows == sum(comparison.pairs.values()) == matched
        assert certificate["pairs"] == comparison.pairs == certificate["sets"][0]["pairs"]
        assert certificate["compared"] == len(cut)
        assert certificate["sets"][0]["examples"]["exact"] == ["first/first.xx:9"] * matched


def test_a_release_with_a_malformed_certificate_is_not_cut(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "release"
    certificate, matches = (f"contamination/contamination.{ending}" for ending in ("json", "parquet"))
    content = json.loads((finished / "work/release" / certificate).read_text())
    pq.write_table(pa.table({"pair_id": ["a"]}), tmp_path / "other.parquet")
    cases = {
        "is not JSON": (certificate, b""),
        "is damaged or was edited": (certificate, json.dumps({**content, "n": 5}).encode()),
        "sets.0.examples: the key is missing": (
            certificate,
            _sealed(content, lambda sets: sets[0].pop("examples")),
        ),
        "is of other sets": (certificate, _sealed(content, lambda sets: sets.pop())),
        "is not a list of matches": (matches, (tmp_path / "other.parquet").read_bytes()),
    }
    for message, (name, changed) in cases.items():
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(finished / "work/release", folder)
        (folder / name).write_bytes(changed)
        manifest = json.loads((folder / "manifest.json").read_text())
        manifest["other_files"][name] = asdict(other_file(changed))
        (folder / "manifest.json").write_text(json.dumps(seal(manifest)))
        with pytest.raises(InputError, match=message) as raised:
            cut_release(open_release(folder), "contamination = 0", tmp_path / "cut")
        assert str(raised.value).isprintable() and not (tmp_path / "cut").exists()


def _sealed(content: dict[str, Any], change: Callable[[list[Any]], object]) -> bytes:
    changed = copy.deepcopy(content)
    change(changed["sets"])
    return json.dumps(seal(changed)).encode()


@pytest.mark.parametrize("ending", ["json", "parquet"])
@pytest.mark.parametrize("way", ["emptied", "halved", "one bit flipped", "other JSON"])
def test_a_damaged_certificate_in_the_store_is_written_again(finished: Path, ending: str, way: str) -> None:
    recipe = load(finished, (finished / "recipe.yaml").read_text(), *OVERRIDES)
    release = finished / "work/release"
    before = {file: file.read_bytes() for file in release.rglob("*") if file.is_file()}
    (stored,) = (finished / "work/_built/release/cards").rglob(f"contamination.{ending}")
    content = stored.read_bytes()
    flipped = bytes([*content[:-20], content[-20] ^ 1, *content[-19:]])
    changed = {"emptied": b"", "halved": content[: len(content) // 2], "one bit flipped": flipped}
    stored.write_bytes(changed.get(way, b"[1]"))
    assert not go(recipe, last="release").computed
    assert stored.read_bytes() == content
    assert {file: file.read_bytes() for file in release.rglob("*") if file.is_file()} == before


def test_a_changed_set_makes_the_score_stale_and_the_certificate_new(finished: Path) -> None:
    recipe = load(finished, (finished / "recipe.yaml").read_text(), *OVERRIDES)
    published = finished / "work/release/contamination/contamination.json"
    before = published.read_bytes()
    assert not go(recipe, last="release").computed
    assert published.read_bytes() == before
    clean(recipe)
    assert not go(recipe, last="release").computed

    with (finished / "sets/other.txt").open("a") as file:
        file.write((finished / "data/first.mt").read_text().splitlines()[4] + "\n")
    plan = go(recipe, last="release").plan
    assert plan.condition("score/contamination").state == "fresh"
    other = json.loads(published.read_bytes())["sets"][1]
    assert other["sentences"] == 2 and "first/first.xx:5" in other["examples"]["exact"]


def test_a_set_without_sentences_is_refused(finished: Path, tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_text("0.5\n1.0\n")
    score = Contamination(sets=(EvaluationSet("x", str(tmp_path)),))
    with pytest.raises(InputError, match="has no sentences"):
        MODEL_KINDS["evaluation_sets"].load([tmp_path], score)
    absent = "scores.contamination.sets=[{name: own, path: absent}]"
    with pytest.raises(RecipeError, match="there is no file or folder"):
        go(load(finished, (finished / "recipe.yaml").read_text(), *OVERRIDES, absent))


STS = (
    "scores={translation_length: {}, contamination: {sets: [{name: sts, path: sts}], share: 0.5}}",
    # The encoder is not trained on exact copies, so they make no item contaminated.
    "select={some: {where: contamination < 3}}",
    "duplicates={}",
    "train={avg: {selection: some, encoder: {type: avg, dimension: 8}, epochs: 1, mega_batch: 1, batch: 20}}",
    "release={}",
)


def test_sts_without_the_items_that_the_encoder_was_trained_on(tmp_path: Path) -> None:
    text = recipe_text(tmp_path, {"first": 90})
    references = (tmp_path / "data/first.en").read_text().splitlines()
    items = [f"{references[3].upper()}\tsomething else entirely", f"nothing of it\t{references[4]}"]
    long = next(text for text in references[5:] if len(normalise(text).split()) >= 8)
    items += [f"so {long}\twho knows", "two words\ttwo words"]
    extra = {"input": items, "gs": ["1.0", "2.0", "3.0", "4.5"]}
    for kind, lines in extra.items():
        with (tmp_path / f"sts/STS.{kind}.phrases.txt").open("a") as file:
            file.write("".join(f"{line}\n" for line in lines))
    plan = go(load(tmp_path, text, *STS)).plan
    work = tmp_path / "work"
    pairs = pq.read_table(work / "release/data").to_pylist()
    sides = [
        pair[side]
        for pair in pairs
        if pair["contamination"] in (1, 2)
        for side in ("reference", "translation")
    ]
    known = {normalise(side) for side in sides}

    def is_contaminated(sentence: str) -> bool:
        return normalise(sentence) in known or any(matches_ngrams(sentence, side, 8, 0.5) for side in sides)

    (dataset,) = read_sts(str(tmp_path / "sts"))
    kept = [
        not (is_contaminated(a) or is_contaminated(b))
        for a, b in zip(dataset.left, dataset.right, strict=True)
    ]
    assert kept[40:] == [False, True, False, True], "normalised, exact (not trained on), n-gram, none"
    assert 0 < sum(kept) < 43
    (without,) = json.loads((work / "evaluate/sts/results-without-contaminated.json").read_text())["rows"]
    (everything,) = json.loads((work / "evaluate/sts/results.json").read_text())["rows"]
    assert (everything["pairs"], without["pairs"]) == (44, sum(kept))
    assert without["pearson"] != everything["pearson"]
    assert plan.stage("evaluate/sts").needs == (
        *("train/avg", "ingest", "translate", "select/some", "score/contamination"),
    )
    page = (work / "report/index.html").read_text()
    assert "<h3><code>sts without contaminated items</code></h3>" in page
    assert "match a pair the encoder was trained on." in page


def test_items_are_left_out_by_either_sentence(tmp_path: Path) -> None:
    folder = tmp_path / "2014"
    folder.mkdir()
    (folder / "STS.input.a.txt").write_text("x y\ta\nb\tx y\nb\ta\na\tb\n")
    (folder / "STS.gs.a.txt").write_text("1\n2\n3\n4\n")
    evaluation = Sts(data=str(tmp_path))
    assert sorted(evaluation.sentences()) == sorted(["x y", "a", "b", "x y", "b", "a", "a", "b"])
    (dataset,) = read_sts(str(tmp_path))
    rest = dataset.without({"x y"})
    assert (rest.left, rest.right, rest.gold) == (("b", "a"), ("a", "b"), (3.0, 4.0))
    assert (rest.name, rest.year) == ("a", 2014)


@pytest.mark.parametrize(
    "override",
    [
        "scores={translation_length: {}}",
        "scores={translation_length: {}, contamination: {sets: [{name: other, path: data}]}}",
    ],
)
def test_without_a_comparison_with_the_same_data_there_is_one_table(tmp_path: Path, override: str) -> None:
    recipe = load(tmp_path, recipe_text(tmp_path, {"first": 9}), *STS, override, "select={some: {}}")
    assert make_plan(recipe).stage("evaluate/sts").needs == ("train/avg",)
