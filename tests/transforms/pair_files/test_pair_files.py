"""Other people's files of pairs: every format with its quirks, by files written by hand."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from bitexts import COMPRESS
from corpus import write_bitext, write_sts
from runs import Silent
from typer.testing import CliRunner

from paranmt.base.errors import InputError, RecipeError
from paranmt.launch.cli import app
from paranmt.launch.runners.local import LocalRunner
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.subword_units import SubwordVocabulary
from paranmt.models.training.examples import NLI_LABELS, label_numbers, read_examples
from paranmt.models.training.pairs import PairList
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.run import run
from paranmt.transforms.pair_files import PairFileOptions, PairFiles, TokenSample, token_total

PPDB = """\
[X] ||| the cat 's tail ||| tail of the cat ||| PPDB2.0Score=4.5 PPDB1.0Score=2.1 -logp(e|f)=1.1 ||| 0-1 ||| X

[NP/PP] ||| -LRB- see -rrb- ||| ( look ) ||| PPDB2.0Score=3.0 PPDB1.0Score=9 ||| 0-0 1-1
[VP] ||| [NP,1] is given to [NP,2] ||| [NP,2] gets [NP,1] ||| PPDB2.0Score=6 PPDB1.0Score=9 ||| 0-0
[X] ||| | ||| pipe ||| PPDB2.0Score=-1 PPDB1.0Score=9 ||| 0-0
[X] ||| no score ||| without one ||| Abstract=0 ||| 0-0
[X] ||| too few fields
broken
"""


def _pairs(options: PairFileOptions) -> tuple[list[tuple[str, str]], dict[str, int]]:
    files = PairFiles(options)
    pairs = [pair for sides in files for pair in zip(*sides, strict=True)]
    return pairs, dict(files.left_out)


def _written(tmp_path: Path, text: str | bytes, name: str = "pairs.txt") -> str:
    path = tmp_path / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return str(path)


def test_ppdb(tmp_path: Path) -> None:
    path = _written(tmp_path, PPDB)
    pairs, left_out = _pairs(PairFileOptions(path=path))
    assert pairs == [
        ("the cat 's tail", "tail of the cat"),
        ("( see )", "( look )"),
        ("|", "pipe"),
        ("no score", "without one"),
        ("[X]", "too few fields"),  # a pair in two fields: nothing shows that the first is a category
    ]
    assert left_out == {
        f"a pattern with gaps such as [NP,1] ({path}, line 4)": 1,
        f"expected `[X] ||| phrase ||| paraphrase ||| features`, or a pair and its score ({path}, line 8)": 1,
    }


@pytest.mark.parametrize(
    ("bounds", "firsts"),
    [
        ({"minimum_score": 3.0}, ["the cat 's tail", "( see )"]),  # the bound itself is inside
        ({"minimum_score": 0.0, "maximum_score": 4}, ["( see )"]),
        ({"maximum_score": 0}, ["|"]),
        ({"score": "PPDB1.0Score", "minimum_score": 3}, ["( see )", "|"]),
    ],
)
def test_the_score_of_ppdb(tmp_path: Path, bounds: dict, firsts: Sequence[str]) -> None:
    pairs, left_out = _pairs(PairFileOptions(path=_written(tmp_path, PPDB), **bounds))
    assert [first for first, _ in pairs] == firsts
    assert any(reason.startswith("expected the feature PPDB") for reason in left_out)


def test_phrases_of_ppdb_with_only_their_score(tmp_path: Path) -> None:
    path = _written(tmp_path, "can not|||cannot|||4.8\na dog ||| a hound\nof ||| in ||| 1\n")
    assert len(_pairs(PairFileOptions(path=path))[0]) == 3
    pairs, left_out = _pairs(PairFileOptions(path=path, minimum_score=2))
    assert pairs == [("can not", "cannot")]
    assert sum(left_out.values()) == 2


def test_lexical_lists(tmp_path: Path) -> None:
    # A head with its synonyms, a line with a space at its end, tabs, numbers, a word alone, no last line end.
    path = _written(tmp_path, "big large great\nfemales males \n360.00\t360\nalone\nsoirées evenings")
    pairs, left_out = _pairs(PairFileOptions(path=path, format="lexical"))
    assert pairs == [
        ("big", "large"), ("big", "great"), ("females", "males"), ("360.00", "360"), ("soirées", "evenings"),
    ]  # fmt: skip
    assert left_out == {f"expected a word and its synonyms ({path}, line 4)": 1}
    with pytest.raises(InputError, match="set the format to lexical"):
        _pairs(PairFileOptions(path=path))


PARA_NMT = (
    "a dog runs\tdogs run\t0.7\nso\twell so\t0.95\n\nbad\tworse\tx\nmuch\ttoo\tlong\t0.7\nlow\tlower\t-1e-1\n"
)


def test_tsv_as_in_para_nmt(tmp_path: Path) -> None:
    path = _written(tmp_path, PARA_NMT)
    pairs, left_out = _pairs(PairFileOptions(path=path, minimum_score=0.4, maximum_score=0.9))
    assert pairs == [("a dog runs", "dogs run")]
    assert left_out == {
        f"expected a number as the score in column 3 ({path}, line 4)": 1,
        f"expected 3 columns between tabs, as in the first line ({path}, line 5)": 1,
        f"a score outside the bounds ({path})": 2,
    }
    assert len(_pairs(PairFileOptions(path=path))[0]) == 4  # without bounds, the score is not read


@pytest.mark.parametrize("ending", COMPRESS)
def test_columns_and_header_of_compressed_tsv(tmp_path: Path, ending: str) -> None:
    text = "\ufeffid\tquestion\tis_copy\tother\r\n7\tHow ?\t1\tHow so ?\r\n8\tWhy\t0\tWhat\r\n".encode()
    path = _written(tmp_path, COMPRESS[ending](text), f"pairs.tsv{ending}")
    options = PairFileOptions(
        path=path, columns=("question", 4), score="is_copy", minimum_score=1, header=True
    )
    assert _pairs(options)[0] == [("How ?", "How so ?")]


def test_texts_are_cleaned_as_after_ingest(tmp_path: Path) -> None:
    path = _written(tmp_path, "cafe\u0301\x0bau\x9alait \t b\nx\t\n")
    assert _pairs(PairFileOptions(path=path))[0] == [("café au lait", "b"), ("x", "")]


def test_malformed_lines_are_counted(tmp_path: Path) -> None:
    path = _written(tmp_path, b"a\tb\n\xff\tc\n" + b"x" * (1 << 20) + b"y\tz\nd\te\n")
    pairs, left_out = _pairs(PairFileOptions(path=path))
    assert pairs == [("a", "b"), ("d", "e")]
    assert left_out == {
        f"the line is not UTF-8 ({path}, line 2)": 1,
        f"the line is too long ({path}, line 3)": 1,
    }


def _nli(label: object, **more: object) -> str:
    return json.dumps({"gold_label": label, "sentence1": "A man runs.", "sentence2": "He moves.", **more})


def test_nli(tmp_path: Path) -> None:
    lines = [
        _nli("entailment", pairID="1"),
        _nli("neutral"),
        _nli("-"),
        _nli("contradiction"),
        "{",
        "[]",
        "[" * 10**5,
    ]
    path = _written(tmp_path, "\n".join(lines), "snli.jsonl")
    pairs, left_out = _pairs(PairFileOptions(path=path))
    assert pairs == [("A man runs.", "He moves.")]
    assert left_out == {
        f"not an entailment ({path}, line 2)": 3,
        f"expected a JSON object on each line ({path}, line 5)": 2,
        f"expected a JSON object with the key gold_label or label or entailment_judgment ({path}, line 6)": 1,
    }


def test_nli_with_other_keys(tmp_path: Path) -> None:
    lines = [
        json.dumps({"premise": "a b", "hypothesis": hypothesis, "label": label})
        for hypothesis, label in [("b", 0), ("c", 1), (None, 0), ("d", -1), ("e", False)]
    ]
    path = _written(tmp_path, "\n".join(lines), "snli.jsonl")
    pairs, left_out = _pairs(PairFileOptions(path=path, columns=("premise", "hypothesis")))
    assert pairs == [("a b", "b")]
    assert sum(left_out.values()) == 4


def test_nli_has_the_names_that_training_a_classifier_knows(tmp_path: Path) -> None:
    lines = [
        json.dumps({"premise": "a b", "hypothesis": "b", "label": 0}),
        json.dumps({"sentence_A": "c d", "sentence_B": "c", "entailment_judgment": "ENTAILMENT"}),
        json.dumps({"sentence1": "e", "sentence2": "f", "gold_label": "contradiction"}),
    ]
    path = _written(tmp_path, "\n".join(lines), "nli.jsonl")
    assert _pairs(PairFileOptions(path=path))[0] == [("a b", "b"), ("c d", "c")]
    examples = read_examples([path], "nli")
    numbers = label_numbers(examples, NLI_LABELS)
    assert numbers.tolist() == [0, 0, 2]


def test_parquet(tmp_path: Path) -> None:
    table = pa.table(
        {
            "a": pa.array(["one", None, "two", "three"]).dictionary_encode(),
            "b": pa.array(["eins", "x", "zwei", "drei"], pa.large_string()),
            "cosine": pa.array([0.5, 1, None, 0.1], pa.float32()),
        }
    )
    pq.write_table(table, tmp_path / "pairs")
    path = str(tmp_path / "pairs")
    options = PairFileOptions(path=path, columns=("a", "b"))
    assert _pairs(options)[0] == [("one", "eins"), ("two", "zwei"), ("three", "drei")]
    scored = PairFileOptions(path=path, columns=("a", "b"), score="cosine", minimum_score=0.2)
    pairs, left_out = _pairs(scored)
    assert pairs == [("one", "eins")]
    assert left_out == {f"a column is null ({path}, row 2)": 2, f"a score outside the bounds ({path})": 1}
    for columns, message in ((("a", "c"), "expected one column 'c'"), (("a", "cosine"), "a column of text")):
        with pytest.raises(InputError, match=message):
            _pairs(PairFileOptions(path=path, columns=columns))


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a sentence\n", {}, "neither tabs nor"),
        ("", {}, "neither tabs nor"),
        ("a ||| b ||| c ||| d\n", {}, "line 1: expected `\\[X\\]"),
        ("[X] ||| a ||| b ||| Abstract=0 ||| 0-0\n", {"minimum_score": 1}, "feature PPDB2.0Score"),
        ("a\tb\n", {"format": "nli"}, "line 1: expected a JSON object on each line: 'a"),
        ("a\tb\tc\n", {"minimum_score": 1}, "line 1: expected a number as the score in column 3"),
        (
            "a\tb\n",
            {"minimum_score": 1},
            "2 columns separated by tabs, but the score should be in column 3",
        ),
        (
            "a\tb\n",
            {"columns": ("a", 2)},
            "the first sentence should be in column 'a'",
        ),
        (
            "a\tb\n",
            {"columns": ("a", "c"), "header": True},
            "one column 'c' for the second sentence in its header, which has: a, b",
        ),
        ("\n\nalone\nb c\n", {"format": "lexical"}, "line 3: expected a word and its synonyms"),
    ],
)
def test_files_of_another_format(tmp_path: Path, text: str, options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        _pairs(PairFileOptions(path=_written(tmp_path, text), **options))


_NLI = '{"gold_label": "entailment", "sentence1": "a", "sentence2": "b"}\n'


@pytest.mark.parametrize("format", ["ppdb", "lexical", "nli"])
def test_each_file_has_pairs(tmp_path: Path, format: str) -> None:
    full = {"ppdb": PPDB, "lexical": "a b\n", "nli": _NLI}[format]
    paths = (_written(tmp_path, full, "full"), _written(tmp_path, "\n", "empty"))
    with pytest.raises(InputError, match="empty: expected pairs, but it has none"):
        _pairs(PairFileOptions(path=paths, format=format))


def test_damaged_files(tmp_path: Path) -> None:
    cut_off = gzip.compress(("a\tb\n" * 50_000).encode())[:-20]
    with pytest.raises(InputError, match="after line .* cut off"):
        _pairs(PairFileOptions(path=_written(tmp_path, cut_off, "pairs.tsv.gz")))
    with pytest.raises(InputError, match="cannot be opened|No such file"):
        _pairs(PairFileOptions(path=str(tmp_path / "none.tsv")))


def test_options_that_a_format_does_not_have(tmp_path: Path) -> None:
    path = _written(tmp_path, "a ||| b\n")
    with pytest.raises(RecipeError, match="files of the format ppdb have no columns"):
        _pairs(PairFileOptions(path=path, columns=(1, 2)))
    with pytest.raises(RecipeError, match="score has no effect"):
        PairFileOptions(path=path, score=3)


def test_files_that_are_not_those_of_the_plan(tmp_path: Path) -> None:
    files = PairFiles(PairFileOptions(path=_written(tmp_path, "a\tb\n")), "another hash")
    with pytest.raises(InputError, match="changed since the plan was made"):
        list(files)


def test_the_key_changes_with_content_and_options_alone(tmp_path: Path) -> None:
    path, copy = _written(tmp_path, "a\tb\n"), _written(tmp_path, "a\tb\n", "copy.tsv")
    keys = {
        PairFiles(options).key
        for options in (
            PairFileOptions(path=path),
            PairFileOptions(path=(path, copy)),
            PairFileOptions(path=path, columns=(2, 1)),
            PairFileOptions(path=_written(tmp_path, "a\tc\n", "other.tsv")),
        )
    }
    assert len(keys) == 4
    assert PairFiles(PairFileOptions(path=path)).key == PairFiles(PairFileOptions(path=copy)).key


def _phrases(count: int) -> PairList:
    sizes = np.random.default_rng(1).integers(1, 6, count)
    return PairList([f"{i} x" for i in range(count)], [" ".join(["y"] * size) for size in sizes])


def test_a_sample_has_the_tokens_that_were_asked_for() -> None:
    pairs = _phrases(4_000)
    whole = token_total(pairs)
    for size in (1, 1_000, whole - 1, whole):
        total = token_total(TokenSample(pairs, size, 1))
        assert size <= total < size + 7  # the last pair reaches the size, and no pair has more than 7 tokens
    assert token_total(TokenSample(pairs, whole + 1, 1)) == whole


def test_a_sample_is_random_nested_and_independent_of_the_order() -> None:
    pairs = _phrases(4_000)

    def drawn(stream: PairList, size: int, seed: int = 1) -> set[str]:
        return {first for firsts, _ in TokenSample(stream, size, seed) for first in firsts}

    backwards = PairList(pairs.references[::-1], pairs.translations[::-1])
    assert drawn(pairs, 2_000) == drawn(backwards, 2_000) < drawn(pairs, 4_000)
    assert drawn(pairs, 2_000) != drawn(pairs, 2_000, 2)
    numbers = [int(first.split()[0]) for first in drawn(pairs, 10_000)]
    assert abs(np.mean(numbers) - 2_000) < 100  # about 2,000 pairs of the whole list; the deviation is 26
    keys = {TokenSample(pairs, size, seed).key for size in (1, 2) for seed in (1, 2)}
    assert len(keys) == 4


def _train(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, ["train", *arguments, "--dimension", "4", "--epochs", "1"])
    return result.exit_code, result.output


def test_training_on_files(tmp_path: Path) -> None:
    output = tmp_path / "avg"
    ppdb, tsv = _written(tmp_path, PPDB, "ppdb.txt"), _written(tmp_path, PARA_NMT, "pairs.tsv")
    code, text = _train(ppdb, tsv, "-o", str(output), "--minimum-score", "0")
    assert code == 0, text
    assert "left out 1 record: a pattern with gaps" in text
    assert f"{output}: trained on 4 pairs" in text
    assert "hound" not in (words := SentenceEncoder.load(output).vocabularies["words"].entries)
    assert {"cat", "dogs"} <= set(words)
    code, text = _train(tsv, "-o", str(tmp_path / "other"), "--set", "pairs.sample_tokens=1")
    assert (code, "trained on 1 pair " in text) == (0, True)
    assert _train(str(tmp_path / "none.tsv"), "-o", str(tmp_path / "x"))[0] == 2


def test_a_recipe_trains_on_files_or_on_a_selection() -> None:
    base = "bitext: [{corpus: a, format: tsv, source_language: cs, path: x, translation: 3}]\n"
    read = Recipe.from_yaml(f"{base}train: {{a: {{pairs: {{path: [p/a.gz, b.tsv], minimum_score: 2}}}}}}")
    assert read.train["a"].trained_on == "a.gz, b.tsv"
    for entry in ("{}", "{selection: s, pairs: {path: a}}", "{pairs: {path: a, format: xml}}"):
        with pytest.raises(RecipeError):
            Recipe.from_yaml(f"{base}select: {{s: {{}}}}\ntrain: {{a: {entry}}}")


def test_a_run_trains_on_files_and_knows_when_they_change(tmp_path: Path) -> None:
    paths = write_bitext(tmp_path / "data", "a", 60)
    write_sts(tmp_path / "sts")
    columns = [Path(paths[side]).read_text().splitlines() for side in ("en", "mt")]
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"{first}\t{second}\n" for first, second in zip(*columns, strict=True)))
    model = tmp_path / "m.model"
    model.write_bytes(SubwordVocabulary.train({"a": 40, "dog": 30, "cats": 20, "boat": 10}, 30).model)
    (tmp_path / "v.txt").write_text("a 1 2\ndog. 0 3\n")
    text = f"""\
workspace: {tmp_path / "work"}
bitext:
  - {{corpus: a, format: moses, source_language: xx, source: {paths["xx"]}, reference: {paths["en"]},
     translation: {paths["mt"]}}}
scores: {{trigram_overlap: {{}}}}
train:
  other: {{pairs: {{path: pairs.tsv, sample_tokens: 300}}, encoder: {{type: avg, dimension: 8}}, epochs: 1}}
  pieces:
    pairs: {{path: pairs.tsv}}
    encoder: {{type: avg, dimension: 8}}
    text: {{units: subwords, sentencepiece: m.model}}
    epochs: 1
evaluate:
  sts: {{encoder: other, data: sts}}
  of_pieces: {{kind: sts, encoder: pieces, data: sts}}
  of_vectors: {{kind: sts, encoder: {{path: v.txt, tokens: whitespace}}, data: sts}}
"""
    recipe = Recipe.from_yaml(text, folder=str(tmp_path)).located()
    run(recipe, LocalRunner(), Silent())
    training = json.loads((tmp_path / "work/train/other/training.json").read_text())
    assert training["pairs"] < 60
    assert (tmp_path / "work/train/pieces/sentencepiece.model").read_bytes() == model.read_bytes()
    assert (tmp_path / "work/evaluate/of_vectors/results.json").exists()
    pairs.write_text(pairs.read_text() + "a dog\ta cat\n")
    plan = make_plan(recipe)
    for stage in ("train/other", "train/pieces", "evaluate/sts"):
        assert plan.condition(stage).state == "stale"
    for stage in ("release", "evaluate/of_vectors"):
        assert plan.condition(stage).state == "fresh"


@pytest.mark.parametrize(
    ("name", "format", "count"),
    [
        ("ppdb_synonyms.txt.gz", "lexical", 53_809),
        ("ppdb-xl.txt.gz", "lexical", 374_555),  # as many as spaces
        ("ppdb-1.0-xxxl-lexical.extended.synonyms.uniquepairs.gz", "auto", 210_372),
        ("ppdb_antonyms.txt", "lexical", 638),
    ],
)
def test_lexical_files_made_from_ppdb(shared: Path, name: str, format: str, count: int) -> None:
    path = shared / "data" / "ppdb-lexical" / name
    pairs, left_out = _pairs(PairFileOptions(path=str(path), format=format))  # type: ignore[arg-type]
    assert (len(pairs), left_out) == (count, {})
