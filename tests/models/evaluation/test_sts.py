import gzip
import logging
import math
import re
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from paranmt.base.errors import InputError
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.evaluation.sts import ScoredSet, Sts, sts_means
from paranmt.models.sts.set_lists import YEARS
from paranmt.models.sts.sts_data import TRACKS, StsDataset, read_sts

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
    result = _find(results, "images", "2014")
    assert result["pairs"] == 4
    assert result["pearson"] == pytest.approx(100 * scipy.stats.pearsonr(_COSINES, _GOLD).statistic, abs=1e-5)
    # Ranks 1, 3, 4, 2 against 1.5, 3, 4, 1.5, deviations from 2.5: 4.5 / √(5 · 4.5).
    assert result["spearman"] == pytest.approx(100 * 4.5 / (5 * 4.5) ** 0.5)


def test_the_papers_averages(tmp_path: Path) -> None:
    _write_all(tmp_path, smt=True)
    results = evaluate_sts(tmp_path)
    datasets = results[:25]
    means = [r for r in results if "mean" in r["dataset"] and "weighted" not in r["dataset"]]
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
        ("mean of 24 without SMT", None, pytest.approx((everything.sum() - smt) / 24)),
    ]
    for mean in means:
        assert mean["low"] <= mean["pearson"] <= mean["high"]


def test_the_weighted_mean(tmp_path: Path) -> None:
    """Each set counts by its pairs: (4 · first + 2 · second) / 6."""
    _write(tmp_path / "mine2018", "first", _PAIRS, _GOLD)
    _write(tmp_path / "mine2018", "second", _PAIRS[:2], [1, 0])
    results = evaluate_sts(tmp_path)
    first, second = (_find(results, name, "2018")["pearson"] for name in ("first", "second"))
    assert second == pytest.approx(-100)
    assert _find(results, "mean", "2018")["pearson"] == pytest.approx((first - 100) / 2)
    assert _find(results, "weighted mean", "2018")["pearson"] == pytest.approx((4 * first - 200) / 6)
    assert [result["dataset"] for result in results] == ["first", "second", "mean", "weighted mean", "pooled"]


def test_years_are_pooled_too(tmp_path: Path) -> None:
    """All pairs of a year at once, whose scores may be on different scales in each set."""
    _write(tmp_path / "2014", "first", _PAIRS, _GOLD)
    _write(tmp_path / "2014", "second", _PAIRS, [score / 5 for score in _GOLD])
    pooled = _find(evaluate_sts(tmp_path), "pooled", "2014")
    cosines, gold = [*_COSINES, *_COSINES], [*_GOLD, *(score / 5 for score in _GOLD)]
    assert pooled["pairs"] == 8
    assert pooled["pearson"] == pytest.approx(100 * scipy.stats.pearsonr(cosines, gold).statistic, abs=1e-4)
    assert pooled["spearman"] == pytest.approx(
        100 * scipy.stats.spearmanr(np.round(cosines, 6), gold).statistic, abs=1e-6
    )
    assert pooled["low"] <= pooled["pearson"] <= pooled["high"]


def test_the_mean_of_seven_pooled_sets(shared: Path, tmp_path: Path) -> None:
    for name in ("sts-semeval", "stsbenchmark", "sick2014"):
        shutil.copytree(shared / "data" / name, tmp_path / name)
    for number, name in enumerate(YEARS[2016]):
        sentences = [("two dogs run", "dogs run"), ("a cat sleeps", "the sea"), ("snow", f"rain {number}")]
        _write(tmp_path / "STS2016-gold", name, sentences, [5, 1, 2])
    encoder = SentenceEncoder.from_vectors(str(shared / "data/word-vectors/glove.6B.50d.top9163.txt.gz"))
    scored = Sts(data=str(tmp_path)).score(encoder)
    (found,) = [mean for mean in sts_means(scored) if mean.name == "mean of 7 pooled"]
    of_set = {part.key: part for part in scored}
    values = []
    for group in [
        *([key for key in of_set if key[0] == year and key != (2013, "SMT")] for year in YEARS),
        [(None, "STSB-test")],
        [(None, "SICK")],
    ]:
        cosines = np.concatenate([of_set[key].cosines for key in group]).round(6)
        gold = np.concatenate([of_set[key].gold for key in group])
        values.append(scipy.stats.spearmanr(cosines, gold).statistic)
    assert found.spearman == pytest.approx(100 * np.mean(values), abs=1e-6)


def test_absent_sets_are_listed(tmp_path: Path) -> None:
    _write(tmp_path / "2014", "images", _PAIRS, _GOLD)
    _write(tmp_path / "2014", "own", _PAIRS, _GOLD)
    results = evaluate_sts(tmp_path)
    absent = {(r["year"], r["dataset"]) for r in results if r.get("note") == "absent"}
    papers = {(str(year), name) for year, names in YEARS.items() for name in names}
    others = {("2017", "track5.en-en"), (None, "SICK"), (None, "Twitter")}
    assert absent == (papers | others) - {("2014", "images")}
    assert all((r["pairs"], r["pearson"]) == (0, None) for r in results if r.get("note") == "absent")
    assert _find(results, "mean", "2014")["note"] == (
        "no mean: absent are OnWN, deft-forum, deft-news, headlines, tweet-news"
    )
    assert not [r for r in results if r["year"] is None and r["dataset"] not in ("SICK", "Twitter")]


def test_without_the_licensed_set(tmp_path: Path) -> None:
    _write_all(tmp_path, smt=False)
    results = evaluate_sts(tmp_path)
    smt = _find(results, "SMT", "2013")
    assert (smt["pairs"], smt["pearson"], smt["spearman"]) == (0, None, None)
    assert smt["note"] == "unavailable (licensed): its input has 1 of 4 lines"
    names = [result["dataset"] for result in results if result["dataset"].startswith("mean")]
    assert names == [
        *("mean", "mean without SMT", "mean", "mean", "mean"),
        *("mean of years 2012-2015 without SMT", "mean of 24 without SMT"),
    ]
    (tmp_path / "STS2013-gold/STS.input.SMT.txt").unlink()
    assert "(licensed): its input is missing" in _find(evaluate_sts(tmp_path), "SMT", "2013")["note"]


def test_averages_only_where_all_sets_are_there(tmp_path: Path) -> None:
    _write_all(tmp_path, smt=True, last=2015)
    means = [r["dataset"] for r in evaluate_sts(tmp_path) if r["year"] is None and r["pairs"]]
    assert means == ["mean of years 2012-2015", "mean of years 2012-2015 without SMT"]
    for kind in ("input", "gs"):
        (tmp_path / f"STS2014-gold/STS.{kind}.images.txt").unlink()
    assert not [r for r in evaluate_sts(tmp_path) if r["year"] is None and r["pairs"]]


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
    assert _find(results, "mean of 21 without SMT")["pearson"] == pytest.approx(
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


def test_the_order_of_words_is_no_difference(tmp_path: Path) -> None:
    """Sums of the same float32 numbers in another order differ in the last digit; ranks must not."""

    class Sums:
        def encode(self, sentences: Sequence[str]) -> np.ndarray:
            vectors = np.random.default_rng(1).standard_normal((26, 50)).astype(np.float32)
            sums = np.zeros((len(sentences), 50), np.float32)
            for row, sentence in zip(sums, sentences, strict=True):
                for letter in sentence:
                    row += vectors[ord(letter) - ord("a")]
            return sums

    words = ["abcdef", "bdfhjl", "zyxwvu", "qwerty", "mnopqr"]
    pairs = [(word, word[::-1]) for word in words]
    _write(tmp_path / "own", "own", [*pairs, ("abc", "xyz")], [5, 4, 3, 2, 1, 0])
    (row,) = Sts(data=str(tmp_path)).evaluate(Sums()).to_json()["rows"]
    # Ranks 4, 4, 4, 4, 4, 1 against 6 to 1.
    assert row["spearman"] == pytest.approx(
        100 * scipy.stats.pearsonr([4, 4, 4, 4, 4, 1], [6, 5, 4, 3, 2, 1]).statistic
    )


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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("STS2014/STS.gs.images.txt", ""),
        ("STS2014/STS.gs.images.txt", "\n" * len(_PAIRS)),
        ("sts-test.csv", ""),
        ("SICK_test_annotated.txt", "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment\n"),
        ("test.data", "1\tt\ta\tb\t3\n"),
    ],
)
def test_a_set_without_pairs(tmp_path: Path, name: str, content: str) -> None:
    _write(tmp_path / "STS2014", "images", _PAIRS if content else [], _GOLD if content else [])
    (tmp_path / name).write_text(content, encoding="utf-8")
    _write(tmp_path / "STS2015", "images", _PAIRS, _GOLD)
    with pytest.raises(InputError, match=rf"{re.escape(name)} has no pair with a score"):
        read_sts(str(tmp_path))


def test_a_dataset_twice(tmp_path: Path) -> None:
    for folder in ("STS2014-gold", "sts2014-en-test"):
        _write(tmp_path / folder, "images", _PAIRS, _GOLD)
    with pytest.raises(InputError, match="are the same dataset: keep one of them"):
        read_sts(str(tmp_path))


def test_no_correlation_is_null_with_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    _write(tmp_path / "STS2018", "images", _PAIRS, [2, 2, 2, 2])
    _write(tmp_path / "STS2018", "headlines", [("a", "a")] * 3, [1, 2, 3])
    with caplog.at_level(logging.WARNING):
        results = evaluate_sts(tmp_path)
    assert [(result["pearson"], result["low"]) for result in results[:4]] == [(None, None)] * 4
    assert results[4]["dataset"] == "pooled"  # all of its pairs together do have a correlation
    assert "cosines are all alike" in results[0]["note"]
    assert "gold scores are all alike" in results[1]["note"]
    assert results[2]["note"] == "no mean: no correlation for headlines, images"
    assert len(caplog.records) == 2


def test_a_mean_of_rank_correlations_needs_all_of_them() -> None:
    """Cosines that differ by rounding alone have a Pearson's r, but share a rank."""
    gold = np.array([1.0, 2.0, 3.0])
    data = [StsDataset(name, 2018, ("a",) * 3, ("b",) * 3, (1, 2, 3)) for name in ("x", "y")]
    scored = [ScoredSet(data[0], 0.5 + 1e-8 * gold, gold), ScoredSet(data[1], gold, gold)]
    mean, weighted, _ = sts_means(scored)
    assert mean.pearson == weighted.pearson == pytest.approx(100)
    assert mean.spearman is None and weighted.spearman is None


def test_benchmark(tmp_path: Path) -> None:
    rows = [
        'main-news\tMSRpar\t2012train\t1\t1.5\t"a quote\tb',
        "main-captions\tMSRpar\t2012test\t2\t3\ta\tab\tlicence\tlink",
        "main-forums\tx\t2015\t3\t5.0\tab\tab",
        "main-captions\tx\t2015\t4\t1\taab\tb",
    ]
    (tmp_path / "sts-test.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    results = evaluate_sts(tmp_path)
    assert [(result["dataset"], result["pairs"], result.get("note")) for result in results] == [
        ("STSB-dev", 0, "absent"),
        ("STSB-test", 4, None),
        ("STSB-test captions", 2, None),
        ("STSB-test non-captions", 2, None),
        ("STSB-test without 2012train", 3, None),
    ]
    # Cosines 1 / √2 and 1 / √5 with scores 3 and 1; cosines 0 and 1 with scores 1.5 and 5.
    assert [result["pearson"] for result in results[2:4]] == pytest.approx([100, 100])
    assert read_sts(str(tmp_path))[0].left[0] == '"a quote'
    (tmp_path / "sts-test.csv").write_text("a,b,c\n", encoding="utf-8")
    with pytest.raises(InputError, match="line 1: expected 7 columns"):
        read_sts(str(tmp_path))


def test_marks_of_windows(tmp_path: Path) -> None:
    """A byte order mark, and carriage returns before the line feeds, are in no sentence and in no score."""
    _write(tmp_path / "STS2014", "images", _PAIRS, _GOLD)
    plain = read_sts(str(tmp_path))
    for path in (tmp_path / "STS2014").iterdir():
        path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert read_sts(str(tmp_path)) == plain


def test_votes_of_the_development_tweets(tmp_path: Path) -> None:
    """The score is the votes for a paraphrase; two of five are debatable."""
    labels = ["(0, 5)", "(2, 3)", "(3, 2)", "(5, 0)"]
    rows = [f"1\ttopic\t{a}\t{b}\t{x}\ttags\ttags\n" for (a, b), x in zip(_PAIRS, labels, strict=True)]
    (tmp_path / "dev.data").write_text("".join(rows), encoding="utf-8")
    (dataset,) = read_sts(str(tmp_path))
    assert (dataset.name, dataset.gold, dataset.left) == ("Twitter-dev", (0.0, 3.0, 5.0), ("a", "ab", "aab"))


def test_gold_scores_in_a_folder_of_their_own(tmp_path: Path) -> None:
    """SemEval published the sentences and the scores of 2017 as two archives."""
    _write(tmp_path / "STS2017.eval.v1.1", "track5.en-en", _PAIRS, _GOLD)
    (tmp_path / "STS2017.gs").mkdir()
    name = "STS.gs.track5.en-en.txt"
    (tmp_path / "STS2017.eval.v1.1" / name).rename(tmp_path / "STS2017.gs" / name)
    assert [(d.year, d.name, d.gold) for d in read_sts(str(tmp_path))] == [
        (2017, "track5.en-en", tuple(map(float, _GOLD)))
    ]


def test_tracks_in_the_languages_that_an_encoder_reads(tmp_path: Path) -> None:
    """Each side of a track has a language; the mean is over the tracks whose languages are both read."""
    for track in TRACKS:
        _write(tmp_path / "STS2017.eval.v1.1", track, _PAIRS, _GOLD)
    assert [dataset.name for dataset in read_sts(str(tmp_path))] == ["track5.en-en"]
    (tmp_path / "STS2017.eval.v1.1/STS.gs.track1.ar-ar.txt").write_text("x\n" * 4)  # never opened
    content = Sts(data=str(tmp_path), languages=("es", "en")).evaluate(Letters()).to_json()
    spanish = ["track3.es-es", "track4a.es-en", "track4b.es-en", "track5.en-en"]
    assert [row["dataset"] for row in content["rows"]] == spanish
    mean = _find(content["averages"], "mean", "2017")
    assert mean["pearson"] == pytest.approx(100 * scipy.stats.pearsonr(_COSINES, _GOLD).statistic)
    with pytest.raises(InputError, match=r"track1\.ar-ar\.txt, line 1: expected a score"):
        read_sts(str(tmp_path), languages=("ar",))
    with pytest.raises(
        InputError, match="holds only track1.ar-ar, track2.ar-en, .*, and languages is tr: name"
    ):
        read_sts(str(tmp_path), languages=("tr",))


def test_tracks_that_the_data_lacks_are_absent(tmp_path: Path) -> None:
    _write_all(tmp_path, smt=True)
    _write(tmp_path / "STS2017-test", "track5.en-en", _PAIRS, _GOLD)
    content = Sts(data=str(tmp_path), languages=("tr", "en")).evaluate(Letters()).to_json()
    assert _find(content["rows"], "track6.tr-en", "2017")["note"] == "absent"
    assert _find(content["averages"], "mean", "2017")["note"] == "no mean: absent are track6.tr-en"


def test_scores_in_a_third_column(tmp_path: Path) -> None:
    """The authors of ParaNMT hand on STS 2017 so; a pair without a score was never scored."""
    (tmp_path / "STS17-test").mkdir()
    lines = ["a\tb\t1.0", "a\tab", "ab\tab\t5.0"]
    (tmp_path / "STS17-test/STS.input.track5.en-en.txt").write_text("\n".join(lines) + "\n")
    (dataset,) = read_sts(str(tmp_path))
    assert (dataset.year, dataset.right, dataset.gold) == (2017, ("b", "ab"), (1.0, 5.0))


def test_years_of_two_digits(tmp_path: Path) -> None:
    """As in SentEval's folders."""
    for year in (12, 14):
        _write(tmp_path / f"STS{year}-en-test", "OnWN", _PAIRS, _GOLD)
    assert [dataset.year for dataset in read_sts(str(tmp_path))] == [2012, 2014]


def test_sts_hard(tmp_path: Path) -> None:
    """The sets of Wieting et al. (2020), as their authors publish them: in no mean."""
    _write_all(tmp_path, smt=True)
    means = [row["dataset"] for row in evaluate_sts(tmp_path)]
    (tmp_path / "STSHard").mkdir()
    for name, scores in (("pos", (5.0, 4.25)), ("neg", (0.0, 1.0))):
        rows = [f"{left}\t{right}\t{score}\n" for (left, right), score in zip(_PAIRS, scores, strict=False)]
        (tmp_path / f"STSHard/hard-{name}.txt").write_text("".join(rows))
    results = evaluate_sts(tmp_path)
    assert _find(results, "STS-Hard+")["pearson"] == pytest.approx(-100)
    assert _find(results, "STS-Hard-")["pearson"] == pytest.approx(100)
    assert sorted(row["dataset"] for row in results) == sorted([*means, "STS-Hard+", "STS-Hard-"])
    (tmp_path / "STSHard/hard-pos.txt").write_text("a\tb\n")
    with pytest.raises(InputError, match=r"hard-pos\.txt, line 1: expected 3 columns"):
        read_sts(str(tmp_path))


def test_gold_scores_that_could_be_of_two_sets(tmp_path: Path) -> None:
    _write(tmp_path / "STS2014", "images", _PAIRS, _GOLD)
    gold = tmp_path / "STS2014/STS.gs.images.txt"
    gold.with_name("STS.gs.images.old.txt").write_bytes(gold.read_bytes())
    with pytest.raises(InputError, match=r"gs\.images\.old\.txt has no sentences"):
        read_sts(str(tmp_path))
    gold.rename(gold.with_name("STS.gs.images.new.txt"))
    with pytest.raises(InputError, match=r"several files of gold scores: keep one of .*(new|old)\.txt, "):
        read_sts(str(tmp_path))
    gold.with_name("STS.gs.images.old.txt").unlink()
    _write(tmp_path / "STS2014", "images.new", _PAIRS, _GOLD)
    with pytest.raises(InputError, match=r"input\.images\.txt has no gold scores"):
        read_sts(str(tmp_path))


def _independent(shared: Path, vectors: Path) -> dict[tuple[str, str], tuple[float, float]]:
    """Pearson and Spearman of averaged vectors on 2012 to 2015, computed with none of the package's code."""
    table = {}
    for line in gzip.open(vectors, "rt", encoding="utf-8"):
        fields = line.split()
        if len(fields) > 2:
            table[fields[0]] = np.array([float(number) for number in fields[1:]])
    unknown = table.pop("<unk>", sum(table.values()) / len(table))
    found = {}
    for source in sorted((shared / "data/sts-semeval").glob("STS201?-gold/STS.input.*.txt")):
        gold = source.with_name(source.name.replace(".input.", ".gs."))
        cosines, scores = [], []
        for line, score in zip(source.open(encoding="utf-8", newline="\n"), gold.open(), strict=False):
            if score.strip():
                words = [
                    re.findall(r"\w+|[^\w\s]", text.lower()) for text in line.rstrip("\n").split("\t")[:2]
                ]
                a, b = (sum(table.get(word, unknown) for word in side) / len(side) for side in words)
                cosines.append(float(a @ b) / math.sqrt(float(a @ a) * float(b @ b)))
                scores.append(float(score))
        name = source.name.split("STS.input.")[1].removesuffix(".txt").removeprefix("surprise.")
        if name != "SMT":
            found[source.parent.name[3:7], name] = (
                float(scipy.stats.pearsonr(cosines, scores).statistic),
                # Rounded, because the same words in another order differ only by rounding errors.
                float(scipy.stats.spearmanr(np.round(cosines, 6), scores).statistic),
            )
    return found


@pytest.mark.parametrize("name", ["glove.6B.50d.top9163.txt.gz", "word2vec-googlenews.300d.top1000.txt.gz"])
def test_an_independent_computation_agrees(shared: Path, name: str) -> None:
    vectors = shared / "data/word-vectors" / name
    encoder = SentenceEncoder.from_vectors(str(vectors))
    rows = Sts(data=str(shared / "data/sts-semeval")).evaluate(encoder).to_json()["rows"]
    ours = {
        (row["year"], row["dataset"]): (row["pearson"] / 100, row["spearman"] / 100)
        for row in rows
        if row["year"] in {"2012", "2013", "2014", "2015"} and row["pearson"] is not None
    }
    expected = _independent(shared, vectors)
    assert ours.keys() == expected.keys() and len(ours) == 19
    for key, coefficients in expected.items():
        assert ours[key] == pytest.approx(coefficients, abs=5e-5), key


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
