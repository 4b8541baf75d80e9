"""The figures of paraphrases against sacreBLEU called on the whole, and by hand."""

import gzip
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest
import sacrebleu

from paranmt.base.errors import InputError
from paranmt.pipeline.texts.paraphrase_evaluation import (
    ALPHA,
    ParaphrasingSet,
    baselines,
    paraphrasing_table,
    read_paraphrasing,
)

WORDS = "a the dog cat red old house river runs sleeps sees near under big small".split()


def some_set(size: int = 60) -> ParaphrasingSet:
    choose = Random(1)

    def sentence() -> str:
        return " ".join(choose.choices(WORDS, k=choose.randint(4, 9))) + "."

    def near(text: str) -> str:
        return " ".join(choose.choice(WORDS) if choose.random() < 0.3 else word for word in text.split())

    sentences = [sentence() for _ in range(size)]
    references = [tuple(near(text) for _ in range(choose.randint(1, 4))) for text in sentences]
    return ParaphrasingSet(tuple(sentences), tuple(references))


DATA = some_set()


def outputs(count: int) -> list[list[str]]:
    choose = Random(2)
    lists = []
    for number, text in enumerate(DATA.sentences):
        words = text.split()
        lists.append([" ".join(choose.sample(words, len(words))) for _ in range(count if number % 7 else 0)])
    lists[1][0] = DATA.sentences[1].upper().replace(".", "!")
    return lists


def letters(text: str) -> str:
    return "".join(each for each in text.lower() if each.isalpha() or each == " ")


class Lengths:
    """An encoder whose vectors are counts of words."""

    def encode(self, sentences: list[str]) -> np.ndarray:
        return np.array([[text.split().count(word) for word in WORDS] for text in sentences], np.float32)


def test_the_figures_are_sacrebleus() -> None:
    lists = outputs(3)
    table = paraphrasing_table(DATA, {"mine": lists})
    (row,) = table.rows
    best = [texts[0] if texts else "" for texts in lists]
    widest = max(map(len, DATA.references))
    streams = [[given[k] if k < len(given) else None for given in DATA.references] for k in range(widest)]
    bleu = sacrebleu.corpus_bleu(best, streams).score
    self_bleu = sacrebleu.corpus_bleu(best, [list(DATA.sentences)]).score
    assert row.values["bleu"] == pytest.approx(bleu)
    assert row.values["self_bleu"] == pytest.approx(self_bleu)
    assert row.values["ibleu"] == pytest.approx(ALPHA * bleu - (1 - ALPHA) * self_bleu)
    chrf = [sacrebleu.sentence_chrf(t, list(r)).score for t, r in zip(best, DATA.references, strict=True)]
    assert row.values["chrf"] == pytest.approx(np.mean(chrf))
    flat = [(text, r) for texts, r in zip(lists, DATA.references, strict=True) for text in texts]
    all_streams = [[r[k] if k < len(r) else None for _, r in flat] for k in range(widest)]
    of_all = sacrebleu.corpus_bleu([text for text, _ in flat], all_streams).score
    assert row.values["bleu_all"] == pytest.approx(of_all)
    assert row.values["chrf_all"] == pytest.approx(
        np.mean([sacrebleu.sentence_chrf(text, list(r)).score for text, r in flat])
    )
    same = [letters(text) == letters(given) for text, given in zip(best, DATA.sentences, strict=True)]
    assert row.values["copies"] == pytest.approx(100 * np.mean(same)) and same[1]
    assert row.values["candidates"] == pytest.approx(len(flat) / len(lists))
    assert row.values["similarity"] is None
    distinct = []
    assert row.values["several"] == sum(len(texts) > 1 for texts in lists)
    for texts in filter(None, lists):
        words = [word for text in texts for word in text.replace(".", " .").replace("!", " !").split()]
        distinct.append(len(set(words)) / len(words))
    assert row.values["distinct_1"] == pytest.approx(np.mean(distinct))


def test_intervals_are_of_the_sentences() -> None:
    """Those of BLEU are what sacreBLEU gives for resampled corpora; another seed gives others like them."""
    lists = outputs(1)
    row = paraphrasing_table(DATA, {"mine": lists}).rows[0].values
    again = paraphrasing_table(DATA, {"mine": lists}).rows[0].values
    other = paraphrasing_table(DATA, {"mine": lists}, seed=2).rows[0].values
    assert row == again != other
    best = [texts[0] if texts else "" for texts in lists]
    draw = np.random.default_rng(3)
    scores = []
    for _ in range(300):
        rows = draw.integers(len(best), size=len(best))
        texts = [best[number] for number in rows]
        widest = max(len(DATA.references[number]) for number in rows)
        streams = [
            [DATA.references[number][k] if k < len(DATA.references[number]) else None for number in rows]
            for k in range(widest)
        ]
        scores.append(sacrebleu.corpus_bleu(texts, streams).score)
    low, high = np.quantile(scores, [0.025, 0.975])
    width = high - low
    assert abs(float(row["bleu_low"]) - low) < 0.2 * width  # type: ignore[arg-type]
    assert abs(float(row["bleu_high"]) - high) < 0.2 * width  # type: ignore[arg-type]
    for name in ("ibleu", "bleu", "chrf", "self_bleu"):
        assert row[f"{name}_low"] < row[name] < row[f"{name}_high"]  # type: ignore[operator]


def test_baselines() -> None:
    systems = baselines(DATA)
    table = paraphrasing_table(DATA, systems, Lengths())  # type: ignore[arg-type]
    copied, random = table.rows
    assert copied.values["copies"] == 100 and random.values["copies"] == 0
    assert copied.values["self_bleu"] == pytest.approx(100)
    assert copied.values["similarity"] == pytest.approx(100, abs=1e-3)
    assert copied.values["bleu"] > 2 * random.values["bleu"]  # type: ignore[operator]
    own = [given[0] for given in DATA.references]
    chosen = [texts[0] for texts in systems["random references"]]
    assert sorted(chosen) == sorted(own)
    assert not any(mine == theirs for mine, theirs in zip(own, chosen, strict=True))
    assert systems == baselines(DATA) != baselines(DATA, seed=2)


def test_files_of_references(tmp_path: Path) -> None:
    (tmp_path / "a.1.en").write_text("one\ntwo\n\nfour\n")
    (tmp_path / "a.2.en.gz").write_bytes(gzip.compress(b"eins\n\ndrei\nvier\n"))
    (tmp_path / "a.3.en").write_text("un\n\ntrois\nquatre\n")
    (tmp_path / "README.md").write_text("x")
    data = read_paraphrasing(str(tmp_path))
    assert data == ParaphrasingSet(("one", "four"), (("eins", "un"), ("vier", "quatre")))
    other = tmp_path / "news"
    other.mkdir()
    for name, text in (("n.en", "a\nb\n"), ("n.google.en", "c\nd\n"), ("n.bing.en", "e\nf\n")):
        (other / name).write_text(text)
    assert read_paraphrasing(str(other)) == ParaphrasingSet(("a", "b"), (("e", "c"), ("f", "d")))
    (other / "n.bing.en").write_text("e\n")
    with pytest.raises(
        InputError, match="as many lines as each other, got n.en 2, n.bing.en 1, n.google.en 2"
    ):
        read_paraphrasing(str(other))
    (tmp_path / "none").mkdir()
    with pytest.raises(InputError, match="expected NAME.1.en, NAME.2.en"):
        read_paraphrasing(str(tmp_path / "none"))
    with pytest.raises(InputError, match="mine has paraphrases of 1 sentences, not of 2"):
        paraphrasing_table(data, {"mine": [["x"]]})


def test_the_copy_of_nothing() -> None:
    data = ParaphrasingSet(("a dog runs",), (("a dog is running",),))
    row = paraphrasing_table(data, {"none": [[]]}, Lengths()).rows[0].values  # type: ignore[arg-type]
    assert (row["bleu"], row["bleu_all"], row["candidates"], row["copies"]) == (0, None, 0, 0)
    assert row["distinct_1"] is None and row["similarity"] == 0
    assert pa.array([row["similarity"]])


def test_a_single_candidate_has_no_distinct_n() -> None:
    """It would have 1: 3 of 6 words are different in the other list, and the mean would be 0.75."""
    data = ParaphrasingSet(("a dog runs", "a cat"), (("a dog is running",), ("one cat",)))
    table = paraphrasing_table(data, {"mine": [["a dog runs", "a dog runs"], ["the cat"]]})
    row = table.rows[0].values
    assert (row["distinct_1"], row["several"], row["candidates"]) == (0.5, 1, 1.5)
