"""Results on pairs that chose the encoder say so, whatever the set is called that the pairs came in."""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pytest
from corpus import OBJECTS, SUBJECTS, VERBS

from paranmt.base.errors import ModelError
from paranmt.models.encoders.chosen_on import from_json, pair_hashes, pairs_chosen_on, to_json
from paranmt.models.encoders.encoder_kinds import AveragingOptions
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.evaluation.any_encoder import CountingEncoder
from paranmt.models.evaluation.evaluation import Evaluation
from paranmt.models.evaluation.nli import Nli
from paranmt.models.evaluation.sts import Sts
from paranmt.models.evaluation.supervised import Supervised, read_tasks
from paranmt.models.evaluation.transfer import Transfer
from paranmt.models.evaluation.translation_retrieval import TranslationRetrieval
from paranmt.models.training.fine_tuning import fine_tune
from paranmt.models.training.head_options import NliOptions
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TrainOptions
from paranmt.models.training.trainer import train_encoder

Pairs = list[tuple[str, str]]
_SENTENCES = [f"{who} {does} {what}" for who in SUBJECTS for does in VERBS for what in OBJECTS]


def pairs(count: int, seed: int = 1) -> Pairs:
    """Pairs of different sentences; no sentence is there twice."""
    chosen = Random(seed).sample(_SENTENCES, 2 * count)
    return list(zip(chosen[::2], chosen[1::2], strict=True))


class Chosen:
    """Encodes a sentence by its letters; some pairs, turned around and in capitals, chose it."""

    def __init__(self, on: Pairs) -> None:
        left, right = zip(*((right.upper(), f"{left}!") for left, right in on), strict=True)
        self.development = {"something else": pair_hashes(left, right)}

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array(
            [[text.lower().count(letter) for letter in "aeios"] for text in sentences], np.float32
        )


def write_sts(folder: Path, name: str, rows: Pairs) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"STS.input.{name}.txt").write_text("".join(f"{left}\t{right}\n" for left, right in rows))
    (folder / f"STS.gs.{name}.txt").write_text("".join(f"{row % 6}\n" for row in range(len(rows))))


def sts(folder: Path, rows: Pairs) -> tuple[Evaluation, Pairs]:
    write_sts(folder / "STS2015", "answers", rows)
    return Sts(data=str(folder)), rows


def supervised(folder: Path, rows: Pairs) -> tuple[Evaluation, Pairs]:
    write_sts(folder / "STS2015", "answers", rows)
    evaluation = Supervised(data=str(folder))
    test = read_tasks(evaluation.data, evaluation.seed)[0].parts[2]
    return evaluation, list(zip(test.left, test.right, strict=True))


def nli(folder: Path, rows: Pairs) -> tuple[Evaluation, Pairs]:
    labels = ("entailment", "neutral", "contradiction")
    for name, part in (("train", pairs(30, 2)), ("dev", pairs(30, 3)), ("test", rows)):
        (folder / f"{name}.tsv").write_text(
            "".join(f"{left}\t{right}\t{labels[row % 3]}\n" for row, (left, right) in enumerate(part))
        )
    train, dev, test = (str(folder / f"{name}.tsv") for name in ("train", "dev", "test"))
    return Nli(data=test, train=train, dev=dev), rows


def transfer(folder: Path, rows: Pairs) -> tuple[Evaluation, Pairs]:
    for name, part in (("train", pairs(40, 2)), ("test", rows)):
        lines = [f"{row % 2}\t{row}\t{row}\t{left}\t{right}\n" for row, (left, right) in enumerate(part)]
        (folder / f"msr_paraphrase_{name}.txt").write_text("Quality\t1\t2\ta\tb\n" + "".join(lines))
    return Transfer(data=str(folder)), rows


def translation_retrieval(folder: Path, rows: Pairs) -> tuple[Evaluation, Pairs]:
    for side, lines in zip(("ces", "eng"), zip(*rows, strict=True), strict=True):
        (folder / f"answers.ces-eng.{side}").write_text("".join(f"{line}\n" for line in lines))
    return TranslationRetrieval(data=str(folder)), rows


@pytest.mark.parametrize("kind", [sts, supervised, nli, transfer, translation_retrieval])
def test_every_kind_counts_the_pairs_that_chose_the_encoder(
    kind: Callable[[Path, Pairs], tuple[Evaluation, Pairs]], tmp_path: Path
) -> None:
    evaluation, tested = kind(tmp_path, pairs(60))
    few = f"no test: the encoder was chosen on 5 of its {len(tested)} pairs"
    cases = [
        (tested[:5] + pairs(40, 9), few),
        (tested, "no test: the encoder was chosen on it"),
        ([(left, right) for (left, _), (_, right) in zip(tested[:9], tested[1:10], strict=True)], ""),
    ]
    for chosen_on, note in cases:
        for encoder in (Chosen(chosen_on), CountingEncoder(Chosen(chosen_on))):
            table = evaluation.evaluate(encoder)
            (found,) = {
                row.note
                for row in (*table.rows, *table.averages)
                if row.values[table.main] is not None
                and str(row.values[table.label.name])
                in ("answers", "all", "MRPC", "ces to eng", "eng to ces")
            }
            assert found == note


def test_means_name_the_sets_of_the_pairs(tmp_path: Path) -> None:
    rows = pairs(120)
    for year in ("STS2012-train", "STS2015"):
        write_sts(tmp_path / year, "answers", rows[:60])
        write_sts(tmp_path / year, "belief", rows[60:])
    encoder = Chosen([*rows[:7], *rows[60:]])
    table = Sts(data=str(tmp_path / "STS2012-train")).evaluate(encoder)
    (note,) = {row.note for row in table.averages if row.values["pearson"] is not None}
    assert note == "no test: the encoder was chosen on 7 of the 60 pairs of answers, belief"
    table = Supervised(data=str(tmp_path)).evaluate(Chosen(rows))
    assert table.averages[0].note == "no test: the encoder was chosen on pairs of answers, belief"
    random = Supervised(data=str(tmp_path), setting="random", epochs=1)
    small = SentenceEncoder.from_vectors(str(_vectors(tmp_path)))
    small.development = encoder.development
    assert {row.note for row in random.evaluate(small).rows} == {""}, "nothing of the encoder is in it"


def _vectors(folder: Path) -> Path:
    words = sorted({word for sentence in _SENTENCES for word in sentence.split()})
    (folder / "v.txt").write_text("".join(f"{word} {row} {row % 3}\n" for row, word in enumerate(words)))
    return folder / "v.txt"


def test_an_encoder_keeps_the_pairs_and_hands_them_on(tmp_path: Path) -> None:
    """Also to the encoder that starts from it, and with the pairs of its dev examples under a head."""
    rows = pairs(40)
    write_sts(tmp_path / "dev/STS2012-train", "MSRvid", rows[:10])
    options = TrainOptions(
        encoder=AveragingOptions(dimension=4), epochs=1, batch=5, device="cpu", dev=str(tmp_path / "dev")
    )
    stream = PairList(*map(list, zip(*rows, strict=True)))
    train_encoder(stream, options, tmp_path / "first", tmp_path / "a")
    again = replace(options, dev=None, start=str(tmp_path / "first"))
    train_encoder(stream, again, tmp_path / "second", tmp_path / "b")
    _, examples = nli(tmp_path, rows[30:])
    head = NliOptions(
        encoder=AveragingOptions(dimension=4),
        start=str(tmp_path / "second"),
        examples=str(tmp_path / "train.tsv"),
        dev=str(tmp_path / "test.tsv"),
        epochs=1,
        device="cpu",
    )
    fine_tune(head, tmp_path / "third", tmp_path / "c")
    for name, count in (("first", 10), ("second", 10), ("third", 20)):
        encoder = SentenceEncoder.load(tmp_path / name)
        assert pairs_chosen_on(encoder, *zip(*rows, strict=True)) == count
    assert list(encoder.development) == ["MSRvid of 2012-train", "test.tsv"]
    (note,) = (row.note for row in Nli(data=str(tmp_path / "test.tsv")).evaluate(encoder).averages)
    assert note == "no test: the encoder was chosen on it" and len(examples) == 10
    config = json.loads((tmp_path / "third/config.json").read_text())
    for damage in (["MSRvid of 2012-train"], {"a": "0g"}, {"a": "00"}, {"a": 3}, 3):
        (tmp_path / "third/config.json").write_text(json.dumps({**config, "development": damage}))
        with pytest.raises(ModelError, match="is not the config of a sentence encoder"):
            SentenceEncoder.load(tmp_path / "third")


def test_hashes_are_stored_exactly() -> None:
    hashes = {"a": pair_hashes(["x", "y"], ["y", "z"]), "b": pair_hashes([], [])}
    assert {name: found.tolist() for name, found in from_json(to_json(hashes)).items()} == {
        name: given.tolist() for name, given in hashes.items()
    }
