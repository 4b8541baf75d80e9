import gzip
import logging
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from paranmt.errors import InputError
from paranmt.models.evaluation.sts import YEARS, Sts
from paranmt.models.evaluation.sts_data import read_sts

_NAMES_2012 = {"OnWN": "surprise.OnWN", "SMTnews": "surprise.SMTnews"}


class Letters:
    """Encodes a sentence as its counts of a, b and c."""

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array(
            [[sentence.count(letter) for letter in "abc"] for sentence in sentences], dtype=np.float32
        )


def _write(
    folder: Path, name: str, pairs: Sequence[tuple[str, str]], gold: Sequence[object], prefix: str = "STS"
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join("\t".join(pair) + "\n" for pair in pairs)
    (folder / f"{prefix}.input.{name}.txt").write_text(lines, encoding="utf-8")
    (folder / f"{prefix}.gs.{name}.txt").write_text("".join(f"{score}\n" for score in gold), encoding="utf-8")


_PAIRS = [("a", "b"), ("a", "ab"), ("ab", "ab"), ("aab", "b")]
_COSINES = [0.0, 1 / 2**0.5, 1.0, 1 / 5**0.5]
_GOLD = [1, 3, 5, 1]


def _write_all(folder: Path, smt: bool, last: int = 2016) -> None:
    for year, names in YEARS.items():
        if year > last:
            continue
        for number, name in enumerate(names):
            gold = np.roll(_GOLD, number + year).tolist()
            pairs = _PAIRS[:1] if name == "SMT" and not smt else _PAIRS
            file_name = _NAMES_2012.get(name, name) if year == 2012 else name
            _write(folder / f"STS{year}-gold", file_name, pairs, gold, "STS2016" if year == 2016 else "STS")
        (folder / f"STS{year}-gold" / "STS.gs.ALL.txt").write_text("not read\n", encoding="utf-8")


def evaluate_sts(data: Path) -> list[dict]:
    """The rows of the table, then the averages, each as a dict."""
    content = Sts(data=str(data)).evaluate(Letters()).to_json()
    return [*content["rows"], *content["averages"]]


def _find(results: list[dict], name: str, year: str | None = None) -> dict:
    return next(result for result in results if (result["dataset"], result["year"]) == (name, year))


def test_one_dataset_by_hand(tmp_path: Path) -> None:
    _write(tmp_path / "2014", "images", _PAIRS, _GOLD)
    results = evaluate_sts(tmp_path / "2014")
    assert [(result["dataset"], result["year"], result["pairs"]) for result in results] == [
        ("images", "2014", 4),
        ("mean", "2014", 4),
    ]
    assert results[0]["pearson"] == pytest.approx(
        100 * scipy.stats.pearsonr(_COSINES, _GOLD).statistic, abs=1e-5
    )
    # Ranks 1, 3, 4, 2 against 1.5, 3, 4, 1.5, deviations from 2.5: 4.5 / √(5 · 4.5).
    assert results[0]["spearman"] == pytest.approx(100 * 4.5 / (5 * 4.5) ** 0.5)


def test_the_papers_averages(tmp_path: Path) -> None:
    _write_all(tmp_path, smt=True)
    results = evaluate_sts(tmp_path)
    datasets, means = results[:25], results[25:]
    assert [(r["year"], r["dataset"]) for r in datasets] == [
        (str(year), name) for year in YEARS for name in YEARS[year]
    ]
    of = {year: [r["pearson"] for r in datasets if r["year"] == str(year)] for year in YEARS}
    smt = _find(results, "SMT", "2013")["pearson"]
    yearly = {year: np.mean(np.array(values, dtype=float)) for year, values in of.items()}
    without = (4 * yearly[2013] - smt) / 3
    four = [yearly[2012], yearly[2014], yearly[2015]]
    everything = np.array([r["pearson"] for r in datasets], dtype=float)
    assert [(r["dataset"], r["year"], r["pearson"]) for r in means] == [
        ("mean", "2012", pytest.approx(yearly[2012])),
        ("mean", "2013", pytest.approx(yearly[2013])),
        ("mean without SMT", "2013", pytest.approx(without)),
        ("mean", "2014", pytest.approx(yearly[2014])),
        ("mean", "2015", pytest.approx(yearly[2015])),
        ("mean", "2016", pytest.approx(yearly[2016])),
        ("mean of years 2012-2015", None, pytest.approx((sum(four) + yearly[2013]) / 4)),
        ("mean of years 2012-2015 without SMT", None, pytest.approx((sum(four) + without) / 4)),
        ("mean of 25", None, pytest.approx(everything.mean())),
        ("mean of 25 without SMT", None, pytest.approx((everything.sum() - smt) / 24)),
    ]


def test_without_the_licensed_set(tmp_path: Path) -> None:
    _write_all(tmp_path, smt=False)
    results = evaluate_sts(tmp_path)
    smt = _find(results, "SMT", "2013")
    assert (smt["pairs"], smt["pearson"], smt["spearman"]) == (0, None, None)
    assert "licensed and incomplete" in smt["note"]
    names = [result["dataset"] for result in results if result["dataset"].startswith("mean")]
    assert names == [
        *("mean", "mean without SMT", "mean", "mean", "mean"),
        *("mean of years 2012-2015 without SMT", "mean of 25 without SMT"),
    ]
    (tmp_path / "STS2013-gold/STS.input.SMT.txt").unlink()
    assert "licensed and missing" in _find(evaluate_sts(tmp_path), "SMT", "2013")["note"]


def test_averages_only_where_all_sets_are_there(tmp_path: Path) -> None:
    _write_all(tmp_path, smt=True, last=2015)
    means = [r["dataset"] for r in evaluate_sts(tmp_path) if r["year"] is None]
    assert means == ["mean of years 2012-2015", "mean of years 2012-2015 without SMT"]
    for kind in ("input", "gs"):
        (tmp_path / f"STS2014-gold/STS.{kind}.images.txt").unlink()
    assert not [r for r in evaluate_sts(tmp_path) if r["year"] is None]


def test_sick_and_twitter_and_the_average_of_22(tmp_path: Path) -> None:
    _write_all(tmp_path, smt=False, last=2015)
    (tmp_path / "sick2014").mkdir()
    rows = "".join(
        f"{n}\t{a}\t{b}\t{s}\tNEUTRAL\r\n" for n, ((a, b), s) in enumerate(zip(_PAIRS, _GOLD, strict=True))
    )
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\r\n"
    (tmp_path / "sick2014/SICK_test_annotated.txt").write_bytes((header + rows).encode())
    (tmp_path / "pit2015").mkdir()
    tweets = "".join(
        f"1\ttopic\t{a}\t{b}\t{s}\ttags\ttags\n" for (a, b), s in zip(_PAIRS, _GOLD, strict=True)
    )
    (tmp_path / "pit2015/test.data").write_text(tweets, encoding="utf-8")
    results = evaluate_sts(tmp_path)
    assert _find(results, "SICK")["pairs"] == 4
    assert _find(results, "Twitter")["pairs"] == 3  # label 3 is debatable
    scores = [
        r["pearson"]
        for r in results
        if r["dataset"] in {"SICK", "Twitter", *sum(YEARS.values(), ())} and r["pairs"]
    ]
    assert len(scores) == 21
    assert _find(results, "mean of 22 without SMT")["pearson"] == pytest.approx(
        np.mean(np.array(scores, dtype=float))
    )


def test_blank_gold_lines_and_further_columns(tmp_path: Path) -> None:
    _write(tmp_path / "STS2015", "belief", [*_PAIRS, ("a", "c")], [*_GOLD, ""])
    source = tmp_path / "STS2015/STS.input.belief.txt"
    source.write_text(
        source.read_text(encoding="utf-8").replace("\n", "\tsource one\tsource two\n"), encoding="utf-8"
    )
    (dataset,) = read_sts(str(tmp_path))
    assert (dataset.year, dataset.left, dataset.right) == (
        2015,
        ("a", "a", "ab", "aab"),
        ("b", "ab", "ab", "b"),
    )
    assert dataset.gold == (1.0, 3.0, 5.0, 1.0)


def test_names_and_years(tmp_path: Path) -> None:
    _write(tmp_path / "STS2012-train", "MSRpar", _PAIRS, _GOLD)
    _write(tmp_path / "STS2012-gold", "surprise.OnWN", _PAIRS, _GOLD)
    _write(tmp_path / "STS2017-test", "track5.en-en", _PAIRS, _GOLD)
    _write(tmp_path / "STS2017-test", "track1.ar-ar", _PAIRS, _GOLD)
    _write(tmp_path / "mine", "own", _PAIRS, _GOLD)
    found = [(dataset.year, dataset.name) for dataset in read_sts(str(tmp_path))]
    assert found == [(2012, "OnWN"), ("2012-train", "MSRpar"), (2017, "track5.en-en"), (None, "own")]


@pytest.mark.parametrize(
    ("year", "gold", "message"),
    [
        ("STS2014", [1, 2, 3], r"input\.SMT\.txt has 4 lines and .*gs\.SMT\.txt 3"),
        ("STS2014", [1, 2, 3, 4, 5], "4 lines and .* 5"),
        ("STS2013", [1, 2, 3], "4 lines and .* 3"),
        ("STS2014", [1, 2, "x", 4], r"gs\.SMT\.txt, line 3: expected a score from 0 to 5, got 'x'"),
        ("STS2014", [1, 2, 3, 7], "line 4: expected a score from 0 to 5, got '7'"),
        ("STS2014", [1, 2, 3, "nan"], "line 4"),
    ],
)
def test_wrong_gold(tmp_path: Path, year: str, gold: list[object], message: str) -> None:
    _write(tmp_path / year, "SMT", _PAIRS, gold)
    with pytest.raises(InputError, match=message):
        read_sts(str(tmp_path))


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no STS folder"):
        read_sts(str(tmp_path / "none"))
    with pytest.raises(InputError, match="holds no STS data"):
        read_sts(str(tmp_path))
    _write(tmp_path / "STS2014", "images", _PAIRS, _GOLD)
    (tmp_path / "STS2014/STS.gs.images.txt").rename(tmp_path / "STS2014/STS.gs.pictures.txt")
    with pytest.raises(InputError, match=r"input\.images\.txt has no gold scores"):
        read_sts(str(tmp_path))
    (tmp_path / "STS2014/STS.input.images.txt").unlink()
    with pytest.raises(InputError, match=r"gs\.pictures\.txt has no sentences"):
        read_sts(str(tmp_path))


def test_one_sentence_in_a_line(tmp_path: Path) -> None:
    _write(tmp_path / "STS2014", "images", [("a", "b"), ("c",)], [1, 2])  # type: ignore[list-item]
    with pytest.raises(InputError, match="line 2: expected two sentences with a tab between, got 'c'"):
        read_sts(str(tmp_path))


@pytest.mark.parametrize("damage", [lambda data: data[:-9], lambda data: b"text", lambda data: b""])
def test_a_damaged_archive(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    _write(tmp_path, "a", [("a", "b"), ("b", "c")], [1, 2])
    for path in tmp_path.iterdir():
        packed = gzip.compress(path.read_bytes())
        path.with_name(f"{path.name}.gz").write_bytes(damage(packed) if ".gs." in path.name else packed)
        path.unlink()
    with pytest.raises(InputError, match=r"STS\.gs\.a\.txt\.gz: (cannot be read|expected a .gz)"):
        read_sts(str(tmp_path))


def test_a_dataset_twice(tmp_path: Path) -> None:
    for folder in ("STS2014-gold", "sts2014-en-test"):
        _write(tmp_path / folder, "images", _PAIRS, _GOLD)
    with pytest.raises(InputError, match="images of 2014 twice"):
        read_sts(str(tmp_path))


def test_no_correlation_is_null_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _write(tmp_path / "STS2014", "images", _PAIRS, [2, 2, 2, 2])
    _write(tmp_path / "STS2014", "headlines", [("a", "a")] * 3, [1, 2, 3])
    with caplog.at_level(logging.WARNING):
        results = evaluate_sts(tmp_path)
    assert [result["pearson"] for result in results] == [None, None, None]
    assert "cosines are all alike" in results[0]["note"]
    assert "gold scores are all alike" in results[1]["note"]
    assert results[2]["note"] == "no mean: no correlation for headlines, images"
    assert len(caplog.records) == 2


def test_benchmark(tmp_path: Path) -> None:
    rows = [
        'main-news\tMSRpar\t2012train\t1\t1.5\t"a quote\tb',
        "main-news\tMSRpar\t2012test\t2\t3\ta\tab\tlicence\tlink",
        "main-forums\tx\t2015\t3\t5.0\tab\tab",
        "main-forums\tx\t2015\t4\t1\taab\tb",
    ]
    (tmp_path / "sts-test.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    results = evaluate_sts(tmp_path)
    assert [(result["dataset"], result["year"], result["pairs"]) for result in results] == [
        ("STSB-test", None, 4),
        ("STSB-test without 2012train", None, 3),
    ]
    assert read_sts(str(tmp_path))[0].left[0] == '"a quote'
    (tmp_path / "sts-test.csv").write_text("a,b,c\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: expected 7 columns"):
        read_sts(str(tmp_path))


def test_counts_of_the_real_sets(shared: Path) -> None:
    found = {(d.year, d.name): len(d.gold) for d in read_sts(str(shared / "data/sts-semeval"))}
    assert found == {
        (2012, "MSRpar"): 750, (2012, "MSRvid"): 750, (2012, "SMTeuroparl"): 459, (2012, "OnWN"): 750,
        (2012, "SMTnews"): 399, (2013, "headlines"): 750, (2013, "OnWN"): 561, (2013, "FNWN"): 189,
        (2013, "SMT"): 0, (2014, "deft-forum"): 450, (2014, "deft-news"): 300, (2014, "headlines"): 750,
        (2014, "images"): 750, (2014, "OnWN"): 750, (2014, "tweet-news"): 750, (2015, "answers-forums"): 375,
        (2015, "answers-students"): 750, (2015, "belief"): 375, (2015, "headlines"): 750,
        (2015, "images"): 750,
        ("2012-train", "MSRpar"): 750, ("2012-train", "MSRvid"): 750, ("2012-train", "SMTeuroparl"): 734,
        (2017, "track5.en-en"): 250,
    }  # fmt: skip
    benchmark = {d.name: len(d.gold) for d in read_sts(str(shared / "data/stsbenchmark"))}
    assert benchmark == {"STSB-train": 5749, "STSB-dev": 1500, "STSB-test": 1379}
    sick = {d.name: len(d.gold) for d in read_sts(str(shared / "data/sick2014"))}
    assert sick == {"SICK-train": 4500, "SICK-trial": 500, "SICK": 4927}
