import copy
import json
import pickle
import re
import subprocess
import sys
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path

import jsonschema
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from paranmt.base.dataset_columns import decile_name
from paranmt.base.errors import InputError, RecipeError
from paranmt.filters import SCORES
from paranmt.models.evaluation.sts import Sts
from paranmt.pipeline.recipe.document import read_yaml
from paranmt.pipeline.recipe.overrides import apply_override
from paranmt.pipeline.recipe.recipe import DEFAULT_SCORES, Recipe
from paranmt.pipeline.recipe.recipe_paths import missing_paths, paths_of, resolve
from paranmt.pipeline.recipe.schema import example_recipe, recipe_schema
from paranmt.pipeline.running.plan import make_plan
from paranmt.transforms.bitexts.inputs import SIDES

SMALL = """\
bitext:
  - {corpus: a, format: moses, source_language: cs, source: a.cs, reference: a.en}
translate: {model: models/cs-en}
"""


def recipe(text: str = "", *overrides: str) -> Recipe:
    return Recipe.from_yaml(SMALL + textwrap.dedent(text), overrides)


def problems(text: str = "", *overrides: str, head: str = SMALL) -> list[str]:
    with pytest.raises(RecipeError) as caught:
        Recipe.from_yaml(head + textwrap.dedent(text), overrides)
    return str(caught.value).splitlines()


# --- YAML


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("40_000", 40_000),
        ("-3", -3),
        ("1.5", 1.5),
        ("1e-3", 0.001),  # text in YAML 1.1
        ("1_0.5", 10.5),
        (".5", 0.5),
        ("no", "no"),  # false in YAML 1.1; a language
        ("on", "on"),
        ("true", True),
        ("~", None),
        ("", None),
        ("2008-01-01", "2008-01-01"),
        ("1:30", "1:30"),  # 90 in YAML 1.1
        ("010", 10),  # 8 in YAML 1.1
        ("'40_000'", "40_000"),
        ("e5", "e5"),
        ("v1.2", "v1.2"),
    ],
)
def test_scalars_are_those_of_yaml_1_2(text: str, value: object) -> None:
    assert read_yaml(f"key: {text}", "r").data == {"key": value}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a: 1\nb:\n  c: 1\n  c: 2", "r:4: a second key 'c'; the first is on line 3: remove one of them"),
        ("a: [1", "r:1: not valid YAML"),
        ("a: 1\n b: 2", "r:2: not valid YAML"),
        ("a: \x00", "r: not valid YAML"),
        ("a: &x [*x]", "r:1: expected at most 100,000 values in 40 levels"),
        ("[" * 41, "r: expected at most 40 levels of nesting"),
        ("[" * 100_000, "nesting"),  # a newer libyaml refuses it itself
        ("? [a]\n: b", "r:1: expected a plain word as a key"),
        ("a: !!python/object/apply:os.system [ls]", "is not allowed"),
        ("a: !!python/name:os.system ''", "is not allowed"),
        ("a: !!timestamp 2020-01-01", "is not allowed"),
        ("a: " + "9" * 5_000, "expected a number, got '999"),
    ],
)
def test_yaml_that_is_refused(text: str, message: str) -> None:
    with pytest.raises(RecipeError, match=re.escape(message)):
        read_yaml(text, "r")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"\\ud800": 1', "r:1: not valid YAML: "),
        ('a: "\\ud800"', "r:1: not valid YAML: "),
        ("a: \ud800", r"r: expected text that UTF-8 can encode, got '\ud800' at position 3"),
        ('a: "x\\0"', "r:1: expected text without the character NUL"),
        ('"x\\0": a', "r:1: expected text without the character NUL"),
        (
            "\n".join(f"k{i}: 1" for i in range(1_001)),
            "r:1: expected at most 1,000 keys in a section, got 1,001",
        ),
        ("# " + "x" * 1_000_000, "r: expected a recipe of at most 1,000,000 bytes, got more"),
        ("a: b\n---\nc: d", "r:2: not valid YAML: "),
        ("a: *b", "r:1: not valid YAML: "),
    ],
    ids=range(9),
)
def test_yaml_that_is_no_recipe_ends_in_one_line(text: str, message: str) -> None:
    with pytest.raises(RecipeError) as caught:
        read_yaml(text, "r")
    assert str(caught.value).startswith(message) and len(str(caught.value).splitlines()) == 1


def test_of_very_many_problems_the_first_are_told() -> None:
    found = problems(f"select: [{', '.join('x' * 50_000)}]\nscores: [1]\n" + "ingest: {a: 1}")
    assert found == [
        "recipe:4: select: expected keys with values, got a list",
        "recipe:5: scores: expected keys with values, got a list",
        "recipe:6: ingest.a: unknown key; there are: max_characters, part_rows",
    ]
    found = problems(f"train: {{{', '.join(f'k{i}: 1' for i in range(900))}}}")
    assert len(found) == 101
    assert found[0] == "recipe:4: train.k0: expected keys with values, got 1"
    assert found[-1] == "recipe: and more; fix these 100 mistakes first"


def test_an_alias_bomb_is_refused() -> None:
    levels = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    levels += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]" for i in range(1, 12)]
    with pytest.raises(RecipeError, match="aliases expanded"):
        read_yaml("\n".join(levels), "r")


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        Recipe.from_yaml(text)
    except RecipeError:
        pass


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


EXAMPLE = json.dumps(yaml.safe_load(example_recipe()))


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_value_at_any_place_is_read_or_refused(data: st.DataObject) -> None:
    content = json.loads(EXAMPLE)
    at = content
    while True:
        key = data.draw(st.sampled_from(list(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], (dict, list)) or not at[key] or data.draw(st.booleans()):
            at[key] = data.draw(JSON)
            break
        at = at[key]
    try:
        Recipe.from_yaml(json.dumps(content))
    except RecipeError as error:
        assert ": " in str(error)


# --- errors


def test_what_a_misspelt_key_says_is_not_missing(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    entry = "{corpus: c, format: tsv, path: c.tsv, source_language: cs}"
    file.write_text(f"bitext: [{entry}]\ntranlate: {{model: m}}\n")
    with pytest.raises(RecipeError) as caught:
        Recipe.load(file)
    assert str(caught.value) == f"{file}:2: tranlate: unknown key; did you mean translate?"


def test_all_missing_paths_are_named_at_once(tmp_path: Path) -> None:
    entry = "{corpus: c, format: tsv, path: [a.tsv, '*.tsv'], source_language: cs}"
    (tmp_path / "a.tsv").write_text("jedna\tone\n")
    train = "train: {avg: {selection: all, logs: logs, vectors: none.txt}}\nselect: {all: {}}\n"
    text = f"bitext: [{entry}]\ntranslate: {{model: m}}\n{train}"
    recipe = Recipe.from_yaml(text, folder=tmp_path).located()
    assert missing_paths(recipe) == [
        f"translate.model: {tmp_path}/m",
        f"train.avg.vectors: {tmp_path}/none.txt",
    ]
    with pytest.raises(InputError, match="2 files or folders of the recipe do not exist"):
        make_plan(recipe)


def test_an_unknown_key_is_named_with_file_line_and_nearest_key(tmp_path: Path) -> None:
    file = tmp_path / "r.yaml"
    file.write_text(SMALL + "scores:\n  perplexity:\n    lm: {train_onn: 40_000}\n")
    with pytest.raises(RecipeError) as caught:
        Recipe.load(file)
    assert (
        str(caught.value) == f"{file}:6: scores.perplexity.lm.train_onn: unknown key; did you mean train_on?"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("worksapce: x", "worksapce: unknown key; did you mean workspace?"),
        ("zzz: 1", "zzz: unknown key; there are: bitext, choose, duplicates, evaluate"),
        ("ingest: {part_rows: 0}", "ingest.part_rows: expected at least 1, got 0"),
        ("ingest: {part_rows: many}", "ingest.part_rows: expected a whole number, got 'many'"),
        ("ingest: {part_rows: true}", "ingest.part_rows: expected a whole number, got true"),
        ("ingest: 3", "ingest: expected keys with values, got 3"),
        ("seed: -1", "seed: expected at least 0, got -1"),
        ("workspace: 5", "workspace: expected text, got 5: put it in quotes"),
        ("scores: {}", "scores: expected at least one score"),
        ("scores: {Overlap: {score: trigram_overlap}}", "scores.Overlap: 'Overlap' is not a name"),
        (
            "scores: {domain: {score: trigram_overlap}}",
            "scores.domain: 'domain' is a column of every release",
        ),
        (
            "scores: {trigram_overlpa: {}}",
            "scores.trigram_overlpa.score: no score 'trigram_overlpa'; did you mean trigram_overlap?",
        ),
        ("scores: {x: {score: 3}}", "scores.x.score: no score 3; there are: "),
        ("scores: {perplexity: 3}", "scores.perplexity: expected keys with values, got 3"),
        ("scores: {perplexity: {lm: {}}}", "scores.perplexity.lm: expected either path"),
        (
            "scores: {paraphrase_similarity: {vectors: a, encoder: {path: b}}}",
            "scores.paraphrase_similarity: expected either encoder or vectors, got both",
        ),
        (
            "release: {primary_score: perplexty}",
            "release.primary_score: no score 'perplexty'; did you mean perplexity?",
        ),
        ("select: {a: {where: '1 +'}}", "select.a.where: "),
        ("select: {a: {where: 'perplexty > 3'}}", "select.a.where: "),
        ("select: {a: {where: true}}", "select.a.where: expected text, got true: put it in quotes"),
        ("select: {a: {sample: 0}}", "select.a.sample: expected at least 1, got 0"),
        ("select: {perplexity: {}}", "select.perplexity: 'perplexity' is the name of two columns"),
        ("train: {avg: {}}", "train.avg: expected either selection, the name of one, or pairs"),
        ("train: {avg: {selection: a}}", "train.avg.selection: no selection 'a'; there are none"),
        ("train: {Avg: {selection: a}}\nselect: {a: {}}", "train.Avg: 'Avg' is not a name"),
        (
            "train: {avg: {selection: a, encoder: {type: lstmm}}}\nselect: {a: {}}",
            "train.avg.encoder.type: no type 'lstmm'; ",
        ),
        (
            "train: {avg: {selection: a, encoder: {type: mixed, parts: [{encoder: {dimension: 3}}]}}}\n"
            "select: {a: {}}",
            "train.avg.encoder.parts.0.encoder.type: the key is missing; add it with a value",
        ),
        (
            "train: {avg: {selection: a, encoder: {type: mixed, parts: []}}}\nselect: {a: {}}",
            "train.avg.encoder.parts: parts must name 1 to 256 encoders",
        ),
        (
            "scores: {paraphrase_similarity: {encoder: {type: bert}}}",
            "scores.paraphrase_similarity.encoder.type: no type 'bert'; there are: avg, ",
        ),
        (
            "scores: {paraphrase_similarity: {encoder: {dimension: 0}}}",
            "scores.paraphrase_similarity.encoder.dimension: expected at least 1",
        ),
        (
            "train: {avg: {selection: a, encoder: {dimensions: 3}}}\nselect: {a: {}}",
            "train.avg.encoder.dimensions: unknown key; did you mean dimension?",
        ),
        (
            "train: {avg: {selection: a, epochs: -1}}\nselect: {a: {}}",
            "train.avg.epochs: expected at least 0",
        ),
        (
            "evaluate: {sts: {encoder: avg, data: d}}",
            "evaluate.sts.encoder: no entry of train 'avg'; there are none",
        ),
        (
            "evaluate: {sts: {encoder: {pth: avg}, data: d}}",
            "evaluate.sts.encoder.pth: unknown key; did you mean path?",
        ),
        (
            "evaluate: {sts: {encoder: 3, data: d}}",
            "evaluate.sts.encoder: expected text or keys with values, got 3: put it in quotes",
        ),
        (
            "evaluate: {peer: {encoder: {path: e}, data: d}}",
            "evaluate.peer.kind: no kind 'peer'; there are: nli, retrieval, sts, supervised, transfer, "
            "translation_retrieval",
        ),
        (
            "evaluate: {sts: {encoder: {path: e}, dat: d}}",
            "evaluate.sts.dat: unknown key; did you mean data?",
        ),
    ],
)
def test_problems(text: str, expected: str) -> None:
    found = problems(text)
    assert any(line.startswith(f"recipe:4: {expected}") for line in found), found


@pytest.mark.parametrize(
    ("translate", "expected"),
    [
        (
            "{beam: 12}",
            "translate.model: expected the folder of a model, because corpus 'a' has no translations",
        ),
        ("{model: m, beam: 51}", "translate.beam: expected at most 50, got 51"),
        (
            "{model: m, engine: ctranslate}",
            "translate.engine: expected auto, torch, ctranslate2 or fairseq, got 'ctranslate'; "
            "did you mean ctranslate2?",
        ),
        (
            "{model: m, batch_tokens: autoo}",
            "translate.batch_tokens: expected a whole number or auto, got 'autoo'; did you mean auto?",
        ),
        ("{model: m, beem: 3}", "translate.beem: unknown key; did you mean beam?"),
    ],
)
def test_problems_of_translate(translate: str, expected: str) -> None:
    head = SMALL.replace("{model: models/cs-en}", translate)
    assert problems(head=head) == [f"recipe:3: {expected}"]


@pytest.mark.parametrize(
    ("kept", "translation", "why"),
    [
        (0, "null", "set it to the beam"),
        (1, "null", "set it to the beam"),
        (0, "a.mt", "existing translations have one each"),
        (5, "a.mt", "existing translations have one each"),
        (2, "null", None),
    ],
)
def test_the_hardest_candidate_needs_several(kept: int, translation: str, why: str | None) -> None:
    """Without them a classifier would be trained again, or `hardest` be `random` under another name."""
    options = (f"translate.keep_candidates={kept}", f"bitext.0.translation={translation}")
    for negatives in ("hardest", "[random, hardest]"):
        text = f"scores: {{likely: {{score: reference_probability, classifier: {{negatives: {negatives}}}}}}}"
        if why is None:
            assert recipe(text, *options).scores["likely"]
        else:
            assert problems(text, *options) == [
                "recipe:4: scores.likely.classifier.negatives: expected random, because hardest chooses "
                f"among the candidates that translate.keep_candidates of at least 2 stores; {why}"
            ]
    assert recipe("scores: {reference_probability: {classifier: {negatives: random}}}", *options).scores


@pytest.mark.parametrize(
    ("bitext", "expected"),
    [
        ("[]", "bitext: expected at least one input"),
        ("null", "bitext: the key is missing; add it with a value"),
        (
            "[{corpus: A b, format: tsv, source_language: cs, path: x, translation: 3}]",
            "bitext.0.corpus: expected at most 64 lowercase letters",
        ),
        (
            "[{corpus: a, format: xls, source_language: cs, path: x, translation: 3}]",
            "bitext.0.format: expected moses, tsv, czeng, tmx or parquet, got 'xls'",
        ),
        (
            "[{corpus: a, format: tsv, source_language: cs, translation: 3}]",
            "bitext.0.path: expected the file",
        ),
        (
            "[{corpus: 2012, format: tsv, source_language: cs, path: x, translation: 3}]",
            "bitext.0.corpus: expected text, got 2012: put it in quotes",
        ),
    ],
)
def test_problems_of_bitext(bitext: str, expected: str) -> None:
    found = problems(head=f"bitext: {bitext}\n")
    assert any(line.startswith(f"recipe:1: {expected}") for line in found), found


@pytest.mark.parametrize(
    ("corpus", "expected"),
    [
        (
            "..",
            "expected at most 64 lowercase letters, digits, dots, hyphens and underscores, beginning with",
        ),
        (".", "expected at most 64 lowercase letters"),
        ("_files", "expected at most 64 lowercase letters"),
        ("_manifest.json", "expected at most 64 lowercase letters"),
        ("_manifests", "expected at most 64 lowercase letters"),
        ("x" * 65, "expected at most 64 lowercase letters"),
        ("run.json", "'run.json' is reserved for a file of paranmt; choose another name"),
        ("cuts.json", "'cuts.json' is reserved for a file of paranmt; choose another name"),
    ],
)
def test_names_that_no_corpus_has(corpus: str, expected: str) -> None:
    head = SMALL.replace("corpus: a,", f"corpus: {corpus},")
    (problem,) = problems(head=head)
    assert problem.startswith(f"recipe:2: bitext.0.corpus: {expected}")


@pytest.mark.parametrize("corpus", ["x" * 64, "0", "a.b", "news-2012_x", "runs.json"])
def test_names_that_a_corpus_may_have(corpus: str) -> None:
    assert Recipe.from_yaml(SMALL.replace("corpus: a,", f"corpus: '{corpus}',")).bitext[0].corpus == corpus


@pytest.mark.parametrize(
    ("section", "entry"),
    [
        ("scores", "{score: trigram_overlap}"),
        ("select", "{}"),
        ("train", "{selection: s}"),
        ("evaluate", "{kind: sts, encoder: {path: x}, data: d}"),
    ],
)
@pytest.mark.parametrize("name", ["..", ".", "_files", "run.json", "_manifest.json", "x" * 65, "a/b", "9"])
def test_names_that_no_entry_has(section: str, entry: str, name: str) -> None:
    selections = "" if section == "select" else "select: {s: {}}\n"
    found = problems(f"{selections}{section}: {{'{name}': {entry}}}\n")
    line = 4 if section == "select" else 5
    assert len(found) == 1 and found[0].startswith(f"recipe:{line}: {section}.{name}: '{name}' is not a name")
    assert "digits and _, beginning with a letter; choose another name" in found[0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("scores: {a: {score: trigram_overlap}}\nselect: {a_decile: {}}", "'a_decile' ends with '_decile'"),
        ("scores: {a_decile: {score: trigram_overlap}}", "'a_decile' ends with '_decile'"),
        ("select: {held_out: {}}", "'held_out' is a column of every release"),
        ("scores: {order: {score: trigram_overlap}}", "'order' is a word of SQL, so every query would have"),
        ("scores: {left: {score: trigram_overlap}}", "'left' is a word of SQL"),
    ],
)
def test_names_that_are_no_column(text: str, expected: str) -> None:
    (problem,) = problems(text)
    assert f": {expected}" in problem


def test_a_corpus_is_there_once() -> None:
    entry = "{corpus: a, format: tsv, source_language: cs, path: x, translation: 3}"
    assert problems(head=f"bitext:\n- {entry}\n- {entry}\n") == [
        "recipe:3: bitext.1.corpus: a second corpus 'a'; choose another name for one of them"
    ]


def test_all_problems_are_told_at_once_in_the_order_of_the_file() -> None:
    found = problems(
        """\
        scores: {perplexity: {lm: {train_onn: 3}}, trigram_overlap: {}}
        select: {a: {where: perplexity < 3, sample: "5"}, b: {wher: x}}
        train: {avg: {selection: c}}
        """
    )
    assert found == [
        "recipe:4: scores.perplexity.lm.train_onn: unknown key; did you mean train_on?",
        "recipe:5: select.a.sample: expected a whole number, got '5'",
        "recipe:5: select.b.wher: unknown key; did you mean where?",
        "recipe:6: train.avg.selection: no selection 'c'; there are: a, b",
    ]


def test_an_override_of_other_bytes_than_utf_8_is_refused() -> None:
    assert problems("", "workspace=\udcff") == ["--set workspace=\\udcff: expected UTF-8, got other bytes"]


@pytest.mark.parametrize("content", [b"\xff\xfe", b"\x89PNG\r\n\x1a\n\0", b"x" * 1_000_001, None])
def test_a_file_that_cannot_be_read(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "r.yaml"
    if content is not None:
        file.write_bytes(content)
    for path in (file, tmp_path):
        with pytest.raises(RecipeError, match=re.escape(str(path))):
            Recipe.load(path)


def test_a_recipe_is_keys_with_values() -> None:
    with pytest.raises(RecipeError, match="expected keys with values"):
        Recipe.from_yaml("- a\n- b\n")
    with pytest.raises(RecipeError, match="bitext: the key is missing; add it with a value"):
        Recipe.from_yaml("")


# --- what a recipe says


def test_defaults() -> None:
    small = recipe()
    assert (small.workspace, small.seed) == ("work", 1)
    assert (small.ingest.part_rows, small.ingest.max_characters) == (10_000, 2_000)
    assert list(small.scores) == list(DEFAULT_SCORES)
    assert small.scores["perplexity"].trained_on() == 40_000
    assert small.scores["paraphrase_similarity"].trained_on() == 1_000_000
    assert small.primary_score == "paraphrase_similarity"
    assert small.release.rows_per_file == 500_000
    assert small.select == small.train == small.evaluate == {}


def test_a_score_is_named_by_its_key_or_by_score() -> None:
    scores = recipe("scores: {legacy: {score: trigram_overlap, counting: legacy}, bigram_overlap: }").scores
    assert scores["legacy"].score == "trigram_overlap"
    assert scores["legacy"] == SCORES["trigram_overlap"](counting="legacy")
    assert scores["bigram_overlap"] == SCORES["bigram_overlap"]()


def test_an_evaluation_is_named_by_its_key_or_by_kind() -> None:
    options = "encoder: {path: e}, data: d"
    evaluate = recipe(f"evaluate: {{sts: {{{options}}}, other: {{kind: sts, {options}}}}}").evaluate
    assert evaluate["sts"] == evaluate["other"]
    assert evaluate["other"].options == Sts(data="d")


def test_the_primary_score_is_the_first_where_there_is_no_similarity() -> None:
    assert recipe("scores: {bigram_overlap: {}, trigram_overlap: {}}").primary_score == "bigram_overlap"
    assert recipe("release: {primary_score: perplexity}").primary_score == "perplexity"


def test_the_order_of_entries_means_nothing() -> None:
    sections = {
        "scores": ["trigram_overlap: {}", "b: {score: perplexity}", "a: {score: perplexity}"],
        "tune": ["b: {scores: [a], data: d}", "a: {data: d}"],
        "select": ["d: {where: a > 1}", "c: {where: b > 1}"],
        "train": ["y: {selection: d}", "x: {selection: c}"],
        "evaluate": ["t: {kind: sts, encoder: y, data: d}", "s: {kind: sts, encoder: x, data: d}"],
    }

    def written(entries: Callable[[list[str]], Iterable[str]]) -> Recipe:
        return recipe("\n".join(f"{name}: {{{', '.join(entries(own))}}}" for name, own in sections.items()))

    one, other = written(list), written(reversed)
    assert json.dumps(one.canonical()) == json.dumps(other.canonical())
    assert list(one.scores) == ["a", "b", "trigram_overlap"]  # by measure, then by name
    assert one.primary_score == other.primary_score == "a"


@pytest.mark.parametrize("section", ["scores", "tune", "select", "train", "evaluate"])
def test_names_that_are_no_texts(section: str) -> None:
    assert any(f"{section}.1" in line for line in problems(f"{section}: {{1: {{score: [a]}}, b: {{}}}}"))


def test_empty_sections_are_sections_of_defaults() -> None:
    assert recipe("ingest:\nscores:\nevaluate:\n").canonical() == recipe().canonical()


def test_training_options() -> None:
    training = recipe(
        "select: {a: {}}\ntrain: {avg: {selection: a, epochs: 3, encoder: {dimension: 5}}}"
    ).train["avg"]
    options = training.seeded(17)
    assert (options.seed, options.epochs, options.encoder.dimension) == (17, 3, 5)
    given_seed = recipe("select: {a: {}}\ntrain: {avg: {selection: a, seed: 3}}").train["avg"]
    assert given_seed.seeded(17).seed == 3


def test_seeds_follow_from_the_recipes_seed_and_the_stages_name() -> None:
    assert recipe().seed_of("train/avg") == recipe().seed_of("train/avg")
    assert recipe().seed_of("train/avg") != recipe().seed_of("train/lstm")
    assert recipe().seed_of("train/avg") != recipe("seed: 2").seed_of("train/avg")
    assert recipe().seed_of("train/avg", 0) == 0


def test_reading_a_recipe_imports_nothing_that_computes(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(
        SMALL + "select: {a: {where: perplexity < 9}}\ntrain: {avg: {selection: a}}\n"
    )
    code = (
        "import contextlib, sys\n"
        "from paranmt.launch.cli import main\n"
        "sys.argv = ['paranmt', 'recipe', '--check', sys.argv[1]]\n"
        "with contextlib.suppress(SystemExit):\n"
        "    main()\n"
        "assert 'paranmt.pipeline.recipe.recipe' in sys.modules\n"
        "heavy = {'torch', 'apache_beam', 'ctranslate2', 'duckdb', 'pyarrow.compute', 'kenlm', 'sacrebleu'}\n"
        "assert not heavy & sys.modules.keys(), heavy & sys.modules.keys()\n"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "r.yaml")], check=True, timeout=60)


def test_translations_in_the_bitext_need_no_model() -> None:
    entry = "{corpus: a, format: tsv, source_language: cs, path: x, translation: 3}"
    assert Recipe.from_yaml(f"bitext: [{entry}]").translate.model is None


# --- overrides


def test_overrides() -> None:
    changed = recipe(
        "",
        "translate.beam=5",
        "bitext.0.domain=news",
        "scores.perplexity.lm={train_on: 1_000}",
        "select.a.where=1 = 1",
        "translate.model='3'",
    )
    assert changed.translate.beam == 5
    assert changed.translate.model == "3"
    assert changed.bitext[0].domain == "news"
    assert list(changed.scores) == list(DEFAULT_SCORES)  # one parameter set leaves no other score out
    assert changed.scores["perplexity"].trained_on() == 1_000
    assert changed.select["a"].where == "1 = 1"


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("translate.beem=5", "translate.beem: unknown key; did you mean beam?"),
        ("translat.beam=5", "translat: unknown key; did you mean translate?"),
        ("translate.beam=five", "translate.beam: expected a whole number, got 'five'"),
        ("bitext.1.domain=x", "bitext has no item '1'; there are: 0"),
        ("bitext.a.domain=x", "bitext has no item 'a'; there are: 0"),
        ("translate.model.x=3", "translate.model is 'models/cs-en', which has no keys to set"),
        ("translate.beam", "expected key.key=value, such as translate.beam=5"),
        ("=5", "expected key.key=value, such as translate.beam=5"),
        ("seed=[1", "not valid YAML: "),
        ('workspace="\\ud800"', "not valid YAML: "),
    ],
)
def test_overrides_that_are_wrong(override: str, expected: str) -> None:
    found = problems("", override)
    assert len(found) == 1 and found[0].startswith(f"--set {override}: {expected}"), found


def test_every_number_out_of_bounds_is_listed_with_the_other_mistakes_of_its_section() -> None:
    assert problems(
        "ingest: {part_rows: 5}", "translate.beam=0", "translate.max_length=many", "translate.batch_tokens=0"
    ) == [
        "--set translate.beam=0: translate.beam: expected at least 1, got 0",
        "--set translate.max_length=many: translate.max_length: expected a whole number, got 'many'",
        "--set translate.batch_tokens=0: translate.batch_tokens: expected at least 1, got 0",
    ]
    weights = "scores: {reference_probability: {classifier: {train_on: 9, lambda_words: [0, -1]}}}"
    assert problems(weights) == [
        "recipe:4: scores.reference_probability.classifier.lambda_words.1: expected at least 0, got -1"
    ]


def test_an_override_does_not_hide_the_lines_of_other_keys() -> None:
    found = problems("ingest: {part_rows: x, max_characters: y}", "ingest.part_rows=0")
    assert found == [
        "recipe:4: ingest.max_characters: expected a whole number, got 'y'",
        "--set ingest.part_rows=0: ingest.part_rows: expected at least 1, got 0",
    ]


def test_overriding_nothing_changes_nothing() -> None:
    data = {"a": {"b": [1, {"c": 2}]}}
    before = copy.deepcopy(data)
    apply_override(data, {}, "a.b.1.c=2")
    assert data == before


# --- paths


@pytest.mark.parametrize(
    ("path", "resolved"),
    [
        ("data/a.gz", "/home/me/data/a.gz"),
        ("../a.gz", "/home/a.gz"),
        ("/data/a.gz", "/data/a.gz"),
        ("~/a.gz", "/home/me/~/a.gz"),
        ("s3://bucket/a/../b", "s3://bucket/a/../b"),
        ("memory://work", "memory://work"),
        ("data/*.gz", "/home/me/data/*.gz"),
    ],
)
def test_paths_start_at_the_recipes_folder(path: str, resolved: str) -> None:
    assert resolve(path, "/home/me") == resolved


def test_located_resolves_every_path_and_no_column(tmp_path: Path) -> None:
    (tmp_path / "r.yaml").write_text(example_recipe())
    written = Recipe.load(tmp_path / "r.yaml")
    there = written.located()
    moses, existing, tsv, _ = there.bitext
    assert there.workspace == str(tmp_path / "work/captions")
    assert moses.source == str(tmp_path / "data/train.cs.gz")
    assert existing.translation == str(tmp_path / "data/wmt08.google.en.gz")
    assert (tsv.path, tsv.source) == (str(tmp_path / "data/subtitles.*.tsv.zst"), 1)
    assert there.translate.model == str(tmp_path / "models/cs-en")
    assert there.scores["reference_perplexity"].files() == (str(tmp_path / "models/news.arpa"),)
    assert there.scores["glove_similarity"].files() == (str(tmp_path / "data/glove.txt.gz"),)
    assert there.evaluate["sts"].encoder == "avg"
    assert there.evaluate["sts"].options.data == str(tmp_path / "data/sts-semeval")
    assert there.evaluate["sts_of_peer"].encoder.path == str(tmp_path / "models/avg")
    assert written.workspace == "work/captions"
    assert there.canonical() == written.canonical()
    assert there.located() is there


def test_a_trained_encoder_has_no_options_of_training() -> None:
    entry = "encoder: {path: e, type: lstm, size: 7, epochs: 2}"
    with pytest.raises(RecipeError, match="leave out either epochs, size or path"):
        recipe(f"scores: {{paraphrase_similarity: {{{entry}}}}}")


def test_paths_have_the_keys_that_the_recipe_has() -> None:
    read = recipe(
        "train: {n: {objective: nli, examples: [a.tsv], dev: b.tsv, encoder: {type: lstm}}}\n"
        "evaluate: {sts: {encoder: {path: e}, data: d}}\n"
        "scores: {paraphrase_similarity: {encoder: {path: s}}}"
    )
    keys = {path: key for key, path in paths_of(read)}
    assert {path: keys[path] for path in ("a.tsv", "b.tsv", "e", "d", "s")} == {
        "a.tsv": "train.n.examples.0",
        "b.tsv": "train.n.dev",
        "e": "evaluate.sts.encoder.path",
        "d": "evaluate.sts.data",
        "s": "scores.paraphrase_similarity.encoder.path",
    }


# --- canonical


def test_the_canonical_recipe_is_a_recipe_that_says_the_same() -> None:
    example = Recipe.from_yaml(example_recipe())
    canonical = example.canonical()
    assert Recipe.from_yaml(json.dumps(canonical)).canonical() == canonical
    assert canonical["translate"]["beam"] == 12
    assert canonical["release"]["primary_score"] == "paraphrase_similarity"
    assert canonical["scores"]["bigram_overlap"] == {
        "score": "bigram_overlap",
        "tokens": "words",
        "counting": "clipped",
    }


def test_recipes_can_be_pickled() -> None:
    example = Recipe.from_yaml(example_recipe(), folder="/home/me").located()
    copied = pickle.loads(pickle.dumps(example))
    assert copied == example
    assert copied.canonical() == example.canonical()
    assert copied.path("a") == "/home/me/a"


# --- schema and example


@pytest.fixture(scope="module")
def schema() -> dict[str, object]:
    return recipe_schema()


def test_the_schema_describes_each_kind_of_entry(schema: dict) -> None:
    described = {name: entry.get("description", "") for name, entry in schema["$defs"].items()}
    assert described["StsEvaluationEntry"].startswith("Correlations of cosines")
    assert described["NliOptionsHeadTraining"].startswith("Natural language inference")
    assert described["LstmOptionsTrainedEncoder"].startswith("The last state of an LSTM.")
    assert not [name for name in schema["$defs"] if "options" in schema["$defs"][name]["properties"]]


def test_a_key_of_the_entry_itself_is_described_by_the_entry(schema: dict) -> None:
    """Options of training have a seed too, but that of an entry has another default."""
    for name in ("TrainOptionsTraining", "NliOptionsHeadTraining", "Seq2SeqOptionsParaphraserTraining"):
        described = schema["$defs"][name]["properties"]["seed"]["description"]
        assert "by default it follows from the recipe's seed" in " ".join(described.split()), name


def test_the_schema_is_valid_and_accepts_the_example_its_canonical_form_and_a_small_recipe(
    schema: dict,
) -> None:
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    validator = jsonschema.Draft202012Validator(schema)
    example = Recipe.from_yaml(example_recipe())
    for content in (read_yaml(example_recipe(), "example").data, example.canonical(), yaml.safe_load(SMALL)):
        assert not [error.message for error in validator.iter_errors(content)]


@pytest.mark.parametrize(
    "text",
    [
        "worksapce: x",
        "translate: {beem: 3}",
        "scores: {perplexity: {lm: {train_onn: 3}}}",
        "scores: {x: {}}",
        "scores: {x: {score: nothing}}",
        "scores: {profanity: }",
        "evaluate: {x: {encoder: {path: e}, data: d}}",
        "evaluate: {sts: {encoder: {path: e}}}",
        "evaluate: {sts: }",
        "train: {avg: {selection: a, encoder: {type: nothing}}}",
        "seed: -1",
        "translate: {model: m, beam: 51}",
        "translate: {model: m, search: {top_p: 0}}",
        "translate: {model: m, search: {temperature: 1.0e+39}}",
        "train: {avg: {selection: a, seed: -1}}",
        "train: {cse: {selection: a, encoder: {type: cse, widths: [0]}}}",
        "evaluate: {transfer: {encoder: {path: e}, data: d, seed: 0.5}}",
    ],
)
def test_the_schema_refuses_what_the_recipe_refuses(schema: dict, text: str) -> None:
    content = {**yaml.safe_load(SMALL), **yaml.safe_load(text)}
    assert not jsonschema.Draft202012Validator(schema).is_valid(content)
    with pytest.raises(RecipeError):
        Recipe.from_yaml(json.dumps(content))


def keys_of(schema: dict) -> list[tuple[str, str, dict]]:
    sections = {"": schema, **schema["$defs"]}
    return [
        (name, key, content)
        for name, section in sections.items()
        for key, content in section.get("properties", {}).items()
    ]


def numbers_in(schema: object) -> list[dict]:
    """The schemas of numbers, except choices, in a key's schema."""
    if isinstance(schema, list):
        return [number for part in schema for number in numbers_in(part)]
    if not isinstance(schema, dict):
        return []
    is_number = schema.get("type") in ("integer", "number") and "enum" not in schema
    return [schema] if is_number else numbers_in(list(schema.values()))


def test_every_number_has_bounds(schema: dict) -> None:
    free = {
        *(("BitextInput", place) for place in (*SIDES, "scores")),
        ("PairFileOptions", "columns"),
        ("PairFileOptions", "score"),
        ("TrainOptionsTuning", "grid"),  # its values are checked as those of the options
    }
    checked = 0
    for name, key, content in keys_of(schema):
        for number in numbers_in(content) if (name, key) not in free else ():
            ends = {bound.removeprefix("exclusive").lower() for bound in number}
            assert {"minimum", "maximum"} <= ends, f"{name}.{key}"
            checked += 1
    assert checked > 200


def test_the_schema_has_the_bounds_of_options(schema: dict) -> None:
    def bounds(section: str, key: str) -> dict:
        (number,) = numbers_in(schema["$defs"][section]["properties"][key])
        return {end: number[end] for end in number if end.lower().endswith("imum")}

    assert bounds("TranslateOptions", "beam") == {"minimum": 1, "maximum": 50}
    assert bounds("TextOptions", "max_tokens") == {"minimum": 1, "maximum": 2**31}
    assert bounds("LstmOptions", "dropout") == {"minimum": 0, "exclusiveMaximum": 1}
    assert bounds("SearchOptions", "top_p") == {"exclusiveMinimum": 0, "maximum": 1}
    assert bounds("NliOptionsHeadTraining", "hidden") == {"minimum": 1, "maximum": 2**16}
    assert bounds("NliOptionsHeadTraining", "learning_rate") == {"exclusiveMinimum": 0, "maximum": 1e38}


def test_every_key_has_a_description(schema: dict) -> None:
    assert not [f"{name}.{key}" for name, key, content in keys_of(schema) if not content.get("description")]


def test_the_example_has_every_key_with_its_choices_and_default(schema: dict) -> None:
    lines = example_recipe().splitlines()
    for name, key, content in keys_of(schema):
        said = " ".join(
            line for line in lines if re.search(rf"(^|[\s#{{,`]){key}`?:| `{key}` ", line)
        ).replace("_", "")
        assert said, f"{name}.{key} is not in the example"
        for choice in content.get("enum", []):
            assert re.search(rf"\b{str(choice).replace('_', '')}\b", said), (
                f"{name}.{key}: no choice {choice}"
            )
        default = content.get("default")
        if isinstance(default, (int, float, str)) and not isinstance(default, bool):
            assert re.search(rf"\b{re.escape(str(default).replace('_', ''))}\b", said), (
                f"{name}.{key}: {default}"
            )


def test_the_example_has_every_score_and_the_default_ones() -> None:
    example = Recipe.from_yaml(example_recipe())
    shown = {score.score for score in example.scores.values()}
    assert not set(SCORES) - shown, "pipeline/recipe/example.yaml has an entry for every score"
    assert [name for name in example.scores if name in DEFAULT_SCORES] == list(DEFAULT_SCORES)
    assert decile_name("paraphrase_similarity") in example.select["paraphrases"].where
