"""`paranmt stats`: the tables of a release and of text files, worked by hand."""

import json
import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from paranmt.base.dataset_columns import CANDIDATES
from paranmt.launch.cli import app

LN2 = math.log(2)


def stats(*arguments: object) -> Result:
    return CliRunner().invoke(app, ["stats", *map(str, arguments)])


def tables(*arguments: object) -> dict:
    result = stats(*arguments, "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """Its release has two corpora, whose translations are longer, and a pair without a translation."""
    pairs = pa.table(
        {
            "corpus": pa.array(["news", "news", "web", "news", "web"]).dictionary_encode(),
            "reference": ["new old two six", "one two six", "red red", "left out", "two"],
            "translation": ["new new new new new", "one one one one one", "red red", None, "two two"],
            "paraphrase_similarity": pa.array([0.2, 0.6, 1.0, None, None], pa.float32()),
            "trigram_overlap_decile": pa.array([1, 2, 3, 4, 5], pa.int8()),
            "short": [False, True, True, True, False],
        }
    )
    folder = tmp_path / "work/release/data"
    folder.mkdir(parents=True)
    pq.write_table(pairs, folder / "train-00000-of-00001.parquet")
    return tmp_path / "work"


def test_a_release(workspace: Path) -> None:
    found = tables(workspace / "release")
    assert found == tables(workspace)
    news, theirs, web, _ = found["texts"]["rows"]
    assert (news["corpus"], news["text"], news["sentences"], news["vocabulary"]) == (
        "news",
        "references",
        2,
        5,
    )
    assert (news["length"], news["length_deviation"]) == (3.5, 0.5)
    # two and six twice of 7, the others once
    assert news["unigram_entropy"] == pytest.approx(math.log(7) - 4 * LN2 / 7)
    assert (news["para_score"], theirs["para_score"]) == (None, pytest.approx(0.4))
    assert theirs["para_score_deviation"] == pytest.approx(0.2)
    assert theirs["unigram_entropy"] == pytest.approx(LN2)
    assert (web["corpus"], web["unigram_repetition"]) == ("web", pytest.approx(100 / 3))
    everything = found["texts"]["averages"][0]
    # of the references' ten words two is three, six and red are two each, and the others one
    assert (everything["corpus"], everything["sentences"]) == ("all", 4)
    assert everything["unigram_entropy"] == pytest.approx(math.log(10) - (3 * math.log(3) + 4 * LN2) / 10)


def test_differences_and_correlations_of_a_release(workspace: Path) -> None:
    found = tables(workspace)
    news = found["differences"]["rows"][0]
    assert news["unigram_entropy"] == pytest.approx(math.log(7) - 11 * LN2 / 7)
    # Three trigrams once each, and two three times each.
    assert news["trigram_entropy"] == pytest.approx(math.log(3) - LN2)
    assert news["unigram_repetition"] == pytest.approx(0 - 80)
    assert news["trigram_repetition"] == pytest.approx(0 - 100 * 4 / 6)
    reference, score = found["correlations"]["rows"][:2]
    # Both references are shorter than both translations and repeat less.
    assert (reference["score"], score["score"]) == ("is a reference", "paraphrase_similarity")
    assert reference["unigram_repetition"] == reference["trigram_repetition"] == pytest.approx(-100)
    # Ranks 2, 1, 3½ and 3½ against 3½, 3½, 1½ and 1½.
    assert reference["length"] == pytest.approx(-200 / math.sqrt(4.5))
    # "new" and "one" have six occurrences each, so nothing varies.
    assert (score["idf"], score["length"], score["pairs"]) == (None, None, 2)
    assert [row["corpus"] for row in found["correlations"]["averages"]] == ["all", "all"]


def test_a_selection(workspace: Path) -> None:
    rows = tables(workspace, "--selection", "short")["differences"]["rows"]
    assert [(row["corpus"], row["pairs"]) for row in rows] == [("news", 1), ("web", 1)]


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """References, and translations of two systems; one lacks line 2."""
    texts = {"ref.en": "a b\nleft out\na c\n", "one.en": "a a\nx\na a\n", "two.txt": "a b\n\na c\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return [tmp_path / name for name in texts]


def test_text_files_side_by_side(files: list[Path]) -> None:
    options = ["--references", files[0], "--translations", files[1], "--translations", files[2]]
    rows = tables(*options)["differences"]["rows"]
    assert [(row["translations"], row["pairs"]) for row in rows] == [("one", 2), ("two", 2)]
    assert [row["unigram_entropy"] for row in rows] == [pytest.approx(1.5 * LN2), 0.0]
    printed = stats(*options).stdout
    assert "corpus" not in printed and "para. score" not in printed
    markdown = stats(*options, "--markdown").stdout
    assert "| translations | pairs | Ent. (uni) |" in markdown
    assert "| one | 2 | 1.04 | 0.00 |" in markdown


def test_both_sides_have_the_same_weight_in_the_frequencies(files: list[Path]) -> None:
    options = ["--references", files[0], "--translations", files[1], "--translations", files[2]]
    references, one, two = tables(*options)["texts"]["rows"]
    # The references twice: a 4, b 2, c 2; one: a 4; two: a 2, b 1, c 1; in total 16.
    assert one["idf"] == pytest.approx(math.log(16 / 10))
    assert references["idf"] == two["idf"] == pytest.approx((math.log(16 / 10) + math.log(16 / 3)) / 2)


def test_frequencies_of_another_text(files: list[Path], tmp_path: Path) -> None:
    other = tmp_path / "wikipedia.txt"
    other.write_text("A b b\nb\n")
    options = ["--references", files[0], "--translations", files[1], "--frequencies", other]
    references, translations = tables(*options)["texts"]["rows"]
    assert translations["idf"] == pytest.approx(math.log(4))
    # a b, left out and a c: a 1/4, b 3/4, and words that are not there as if seen once
    expected = [(math.log(4) + math.log(4 / 3)) / 2, math.log(4), math.log(4)]
    assert references["idf"] == pytest.approx(sum(expected) / 3)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "expected a release, or text files with --references and --translations"),
        (["--references", "{0}"], "expected a release, or text files"),
        (["--references", "{0}", "--translations", "{1}"], "ends after line 1, "),
        (["{0}"], "expected a release or one of its Parquet files"),
    ],
)
def test_mistakes(files: list[Path], arguments: list[str], message: str) -> None:
    files[1].write_text("a\n")
    result = stats(*(argument.format(*files) for argument in arguments))
    assert result.exit_code == 2
    assert message in result.stderr


def test_candidates_of_a_release(workspace: Path) -> None:
    """Equal candidates, and those without a common word; a list of one is counted and left out."""
    (file,) = (workspace / "release/data").iterdir()
    pairs = pq.read_table(file)
    lists = [["a b c d", "a b c d"], ["a b", "c d"], ["x y z", "x y w"], None, ["left out"]]
    candidates = [
        texts and [{"text": text, "log_prob": -1.0, "n_tokens": 3} for text in texts] for texts in lists
    ]
    pq.write_table(pairs.append_column("candidates", pa.array(candidates, CANDIDATES.type)), file)
    assert "candidates" not in tables(workspace)
    found = tables(workspace, "--candidates")["candidates"]
    news, web = found["rows"]
    assert (news["corpus"], news["lists"], news["candidates"]) == ("news", 2, 2)
    assert (news["self_bleu"], news["self_bleu_deviation"]) == (pytest.approx(50), pytest.approx(50))
    assert (news["distinct_1"], news["distinct_2"]) == (pytest.approx(0.75), pytest.approx(0.75))
    assert (news["single"], web["single"]) == (0, 1)
    assert (web["lists"], web["distinct_1"], web["distinct_2"]) == (
        1,
        pytest.approx(4 / 6),
        pytest.approx(0.75),
    )
    (both,) = found["averages"]
    assert (both["lists"], both["single"]) == (3, 1)
    assert "Lists of one candidate are counted" in found["caption"]
    assert both["self_bleu"] == pytest.approx((2 * news["self_bleu"] + web["self_bleu"]) / 3)


def test_a_release_without_candidates(workspace: Path) -> None:
    result = stats(workspace, "--candidates")
    assert result.exit_code == 2
    assert "the release has no n-best lists: expected a column candidates" in result.output


def test_parses_need_no_release(tmp_path: Path, workspace: Path) -> None:
    (tmp_path / "a.mrg").write_text("(ROOT (S (NP (NN x))))\n(ROOT (S (VP (VB y))))\n")
    found = tables("--parses", tmp_path / "a.mrg")
    assert list(found) == ["parses"]
    assert found["parses"]["rows"][0]["parse_entropy"] == pytest.approx(LN2)
    assert list(tables(workspace, "--parses", tmp_path / "a.mrg")) == [*tables(workspace), "parses"]
