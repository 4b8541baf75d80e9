"""How good paraphrases are, by several references, and how far they are from the sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from ...base.errors import InputError
from ...filters.copies import copy_grade
from ...filters.diversity import list_measures
from ...filters.similarity import paraphrase_similarity
from ...models.encoders.encodes import Encodes
from ...models.evaluation.bootstrap import RESAMPLES, interval
from ...models.evaluation.table import Column, Row, Table, Value
from ...transforms.pair_files.aligned_files import aligned_files, captions, translations

ALPHA = 0.8
"""The weight of BLEU in iBLEU (Hosking and Lapata 2021, section 5)."""

_ORDERS = 4
Lists = Sequence[Sequence[str]]


@dataclass(frozen=True)
class ParaphrasingSet:
    """Sentences to paraphrase, each with its references, at least one."""

    sentences: tuple[str, ...]
    references: tuple[tuple[str, ...], ...]


def read_paraphrasing(path: str) -> ParaphrasingSet:
    """The sentences of `NAME.1.en` with those of `NAME.2.en`, `NAME.3.en` … as references, line by line.

    Or the sentences of `NAME.en` with those of `NAME.SYSTEM.en`. Any ending may stand for `en`. Lines without
    a sentence or without a reference are left out. InputError for files of different lengths, or none.
    """
    sentences: list[str] = []
    references: list[tuple[str, ...]] = []
    for aligned in aligned_files(path, translations, captions):
        for sentence, *versions in aligned.lines():
            given = tuple(text for text in versions if text)
            if sentence and given:
                sentences.append(sentence)
                references.append(given)
    if not sentences:
        raise InputError(
            f"{path}: expected NAME.1.en, NAME.2.en …, or NAME.en with NAME.SYSTEM.en, line by line the same"
        )
    return ParaphrasingSet(tuple(sentences), tuple(references))


def paraphrasing_table(
    data: ParaphrasingSet,
    systems: Mapping[str, Lists],
    encoder: Encodes | None = None,
    *,
    alpha: float = ALPHA,
    seed: int = 1,
) -> Table:
    """The figures of each system, with intervals over the sentences.

    systems: for each the candidates of every sentence, best first; where there is none, the best is empty.
    encoder: for similarities; one that no system was trained or ranked with.

    BLEU is sacreBLEU's over the corpus, chrF the mean of its values of the sentences. iBLEU is α BLEU against
    the references − (1 − α) BLEU against the sentence (Sun and Zhou 2012). `seed` draws the resamples.
    """
    n = len(data.sentences)
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(np.float64)
    rows = [_row(name, data, lists, encoder, alpha, drawn) for name, lists in systems.items()]
    similarity = "" if encoder is None else "; similarity: mean cosine with the sentence"
    return Table(
        caption=f"Paraphrases of {n:,} sentences against {sum(map(len, data.references)):,} references, with "
        f"95 % intervals over the sentences; iBLEU with α = {alpha:g}{similarity}.",
        columns=_COLUMNS,
        main="ibleu",
        rows=rows,
    )


def baselines(data: ParaphrasingSet, seed: int = 1) -> dict[str, list[list[str]]]:
    """The sentence itself, and for each sentence the first reference of another one."""
    n = len(data.sentences)
    order = np.random.default_rng(seed).permutation(n)
    others = np.empty(n, np.int64)
    others[order] = np.roll(order, 1)  # one cycle, so that no sentence keeps its own
    return {
        "input copied": [[sentence] for sentence in data.sentences],
        "random references": [[data.references[other][0]] for other in others],
    }


def _with_ends(name: str, title: str, meaning: str) -> tuple[Column, ...]:
    return (
        Column.number(name, title, meaning),
        Column.number(f"{name}_low", "from", "the lower end of its interval"),
        Column.number(f"{name}_high", "to", "the upper end of its interval"),
    )


_COLUMNS = (
    Column(name="system", type="text", meaning="what paraphrases"),
    *_with_ends("ibleu", "iBLEU", "α BLEU − (1 − α) self-BLEU"),
    *_with_ends("bleu", "BLEU", "BLEU of the best candidate against the references"),
    Column.number("bleu_all", "all", "BLEU of all candidates"),
    *_with_ends("chrf", "chrF", "mean chrF of the best candidate"),
    Column.number("chrf_all", "all", "mean chrF of all candidates"),
    *_with_ends("self_bleu", "self-BLEU", "BLEU of the best candidate against the sentence"),
    *_with_ends("similarity", "similarity", "mean cosine of the best candidate with the sentence, times 100"),
    Column.number(
        "copies", "copies %", "best candidates that copy the sentence, apart from case and punctuation"
    ),
    Column.number(
        "distinct_1", "distinct-1", "different words of a sentence's candidates over all of them", 2
    ),
    Column.number("distinct_2", "distinct-2", "the same of pairs of words", 2),
    Column(
        name="several",
        type="count",
        meaning="sentences with two candidates or more; distinct-1 and distinct-2 are their means",
    ),
    Column.number("candidates", "candidates", "candidates a sentence", 2),
)


def _row(
    name: str,
    data: ParaphrasingSet,
    lists: Lists,
    encoder: Encodes | None,
    alpha: float,
    drawn: np.ndarray,
) -> Row:
    if len(lists) != len(data.sentences):
        raise InputError(
            f"{name} has paraphrases of {len(lists):,} sentences, not of {len(data.sentences):,}"
        )
    best = [texts[0] if texts else "" for texts in lists]
    flat = [(text, number) for number, texts in enumerate(lists) for text in texts]
    against_references = _bleu_statistics(best, data.references)
    against_sentence = _bleu_statistics(best, [(sentence,) for sentence in data.sentences])
    values: dict[str, Value] = {"system": name}
    bleu, self_bleu = (_Bleu(part, drawn) for part in (against_references, against_sentence))
    combined = alpha * bleu.resampled - (1 - alpha) * self_bleu.resampled
    _put(values, "ibleu", alpha * bleu.value - (1 - alpha) * self_bleu.value, combined)
    _put(values, "bleu", bleu.value, bleu.resampled)
    _put(values, "self_bleu", self_bleu.value, self_bleu.resampled)
    of_all = _bleu_statistics([text for text, _ in flat], [data.references[number] for _, number in flat])
    values["bleu_all"] = _bleu(of_all.sum(axis=0)) if flat else None
    chrf = _chrf(best, data.references)
    _put(values, "chrf", float(chrf.mean()), _means(chrf, drawn))
    all_chrf = _chrf([text for text, _ in flat], [data.references[number] for _, number in flat])
    values["chrf_all"] = float(all_chrf.mean()) if flat else None
    texts, sentences = pa.array(best, pa.string()), pa.array(data.sentences, pa.string())
    similarity = None
    if encoder is not None:
        cosines = paraphrase_similarity(sentences, texts, encoder).to_numpy(zero_copy_only=False)
        similarity = 100 * np.nan_to_num(cosines.astype(np.float64))
    if similarity is None:
        values |= dict.fromkeys(("similarity", "similarity_low", "similarity_high"))
    else:
        _put(values, "similarity", float(similarity.mean()), _means(similarity, drawn))
    values["copies"] = 100 * float((np.asarray(copy_grade(sentences, texts)) > 0).mean())
    starts = np.concatenate([[0], np.cumsum([len(each) for each in lists])]).astype(np.int64)
    measures = list_measures(pa.array([text for text, _ in flat], pa.string()), starts)
    for order, measured in enumerate(measures.distinct, start=1):
        known = measured[~np.isnan(measured)]
        values[f"distinct_{order}"] = float(known.mean()) if len(known) else None
    values["several"] = sum(len(texts) > 1 for texts in lists)
    values["candidates"] = len(flat) / len(lists)
    return Row(values)


def _put(values: dict[str, Value], name: str, value: float, resampled: np.ndarray) -> None:
    low, high = interval(resampled)
    values |= {name: value, f"{name}_low": low, f"{name}_high": high}


class _Bleu:
    """BLEU over the corpus, and over each resample of it."""

    def __init__(self, statistics: np.ndarray, drawn: np.ndarray) -> None:
        self.value = _bleu(statistics.sum(axis=0))
        self.resampled = np.array([_bleu(sums) for sums in drawn @ statistics])


def _bleu_statistics(texts: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
    """(texts, 10) what BLEU adds up: matches and n-grams of each order, and both lengths."""
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(effective_order=True)  # which changes a sentence's score, and not these numbers
    rows = []
    for text, given in zip(texts, references, strict=True):
        score = metric.sentence_score(text, list(given))
        rows.append([*score.counts, *score.totals, score.sys_len, score.ref_len])
    return np.array(rows, np.float64).reshape(len(rows), 2 * _ORDERS + 2)


def _bleu(sums: np.ndarray) -> float:
    from sacrebleu.metrics.bleu import BLEU

    numbers = [round(each) for each in sums]
    matches, totals = numbers[:_ORDERS], numbers[_ORDERS : 2 * _ORDERS]
    score = BLEU.compute_bleu(matches, totals, sys_len=numbers[-2], ref_len=numbers[-1], smooth_method="exp")
    return float(score.score)


def _chrf(texts: Sequence[str], references: Sequence[Sequence[str]]) -> np.ndarray:
    from sacrebleu.metrics.chrf import CHRF

    metric = CHRF()
    pairs = zip(texts, references, strict=True)
    return np.array([metric.sentence_score(text, list(given)).score for text, given in pairs])


def _means(values: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    means: np.ndarray = drawn @ values / len(values)
    return means
