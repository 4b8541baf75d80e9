import gzip
import math
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import kenlm
import numpy as np
import pytest

from paranmt.base.errors import ModelError
from paranmt.models import language_model
from paranmt.models.language_model import load, train

WORDS = "a b c d e f".split()


def _corpus(sentences: int = 200) -> list[bytes]:
    draw = random.Random(1)
    return [
        " ".join(draw.choices(WORDS, weights=range(1, 7), k=draw.randrange(1, 9))).encode()
        for _ in range(sentences)
    ]


@pytest.fixture(scope="module")
def binary(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lm") / "language_model.binary"
    train(_corpus(), path)
    return path


@pytest.fixture(scope="module")
def arpa(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("lm") / "language_model.arpa"
    lmplz = language_model._program("lmplz")
    text = b"".join(sentence + b"\n" for sentence in _corpus())
    options = ["-o", "3", "-S", "50M", "-T", str(path.parent), "--discount_fallback", "--arpa", str(path)]
    subprocess.run([lmplz, *options], input=text, check=True, capture_output=True)
    return path


@pytest.mark.parametrize("context", ["", "a", "f f", "a b", "e c f", "zebra"])
def test_probabilities_after_a_context_sum_to_one(binary: Path, context: str) -> None:
    model = kenlm.Model(str(binary))
    before = model.score(context, eos=False)
    follows = [model.score(f"{context} {word}", eos=False) for word in [*WORDS, "zebra"]] + [
        model.score(context)
    ]
    assert math.fsum(10 ** (log_prob - before) for log_prob in follows) == pytest.approx(1, abs=1e-5)


def test_log10_prob_is_the_sum_of_the_full_scores(binary: Path) -> None:
    sentences = [*_corpus(50), b"", b"zebra", b"a zebra f"]
    model = load(binary)
    values = model.log10_prob(sentences)
    assert values.shape == (len(sentences),) and values.dtype == np.float64 and model.order == 3
    theirs = kenlm.Model(str(binary))
    for sentence, value in zip(sentences, values, strict=True):
        assert value == pytest.approx(
            math.fsum(p for p, _, _ in theirs.full_scores(sentence.decode())), rel=1e-5
        )
    assert model.log10_prob([]).shape == (0,)


def test_the_order_is_the_requested_one(tmp_path: Path) -> None:
    for order in range(2, 7):
        train(_corpus(50), tmp_path / "lm", order)
        assert load(tmp_path / "lm").order == order


def test_the_same_sentences_give_the_same_bytes_whatever_the_memory(tmp_path: Path) -> None:
    corpus = _corpus(20_000)
    for name, memory in (("one", "1G"), ("other", "30M")):
        train(iter(corpus), tmp_path / name, memory=memory)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["one", "other"]


def test_one_word_is_enough(tmp_path: Path) -> None:
    train([b"a"], tmp_path / "lm")
    (value,) = load(tmp_path / "lm").log10_prob([b"a"])
    assert -1 < value < 0


def test_tokens_that_mean_something_to_kenlm_are_words_of_their_own(tmp_path: Path) -> None:
    odd = [b"<s>", b"</s>", b"<unk>", b"\0", b"no\xc2\xa0break", b"<b>"]
    train([*odd * 3, b"plain"], tmp_path / "lm")
    model = load(tmp_path / "lm")
    values = model.log10_prob(odd)
    (unknown,) = model.log10_prob([b"zebra"])
    assert (values > unknown).all()
    # Each of them is one word, and the sentence does not end before its end.
    both = model.log10_prob([token + b" plain" for token in odd])
    assert (both < values).all()
    separate = kenlm.Model(str(tmp_path / "lm"))
    assert all(language_model._escaped(token).decode() in separate for token in odd)
    assert len({language_model._escaped(token) for token in odd}) == len(odd)


def test_nothing_to_train_on(tmp_path: Path) -> None:
    for sentences in ([], [b""], [b"", b""]):
        with pytest.raises(ModelError, match="no words to train"):
            train(sentences, tmp_path / "lm")
    assert list(tmp_path.iterdir()) == []


def test_without_kenlms_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ModelError, match=r"needs KenLM's lmplz.*python -m paranmt\.install`"):
        train(_corpus(), tmp_path / "lm")


def test_without_kenlms_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    train(_corpus(), tmp_path / "lm")
    monkeypatch.setitem(sys.modules, "kenlm", None)
    with pytest.raises(ModelError, match=r"needs KenLM's module.*python -m paranmt\.install"):
        load(tmp_path / "lm")


@pytest.mark.parametrize(
    "script", ["exec 0<&-; echo no memory left >&2; exit 3", "cat > /dev/null; echo no memory left; exit 3"]
)
def test_a_failing_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "model").mkdir()
    for name in ("lmplz", "build_binary"):
        (tmp_path / "bin" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "bin" / name).chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    with pytest.raises(ModelError, match=r"(?s)lmplz ended with exit code 3.*no memory left"):
        train(_corpus(20_000), tmp_path / "model" / "lm")
    assert list((tmp_path / "model").iterdir()) == []


@pytest.mark.parametrize("error", [ValueError("a bug"), BrokenPipeError("a lost connection")])
def test_sentences_that_end_in_an_error_leave_the_old_model(tmp_path: Path, error: Exception) -> None:
    def sentences() -> Iterator[bytes]:
        yield b"a b"
        raise error

    (tmp_path / "lm").write_bytes(b"old")
    with pytest.raises(type(error), match=str(error)):
        train(sentences(), tmp_path / "lm")
    assert (tmp_path / "lm").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_arpa_gz_and_binary_give_the_same(binary: Path, arpa: Path, tmp_path: Path) -> None:
    (tmp_path / "lm.arpa.gz").write_bytes(gzip.compress(arpa.read_bytes()))
    (tmp_path / "commented").write_bytes(b"# from a corpus\n\n" + arpa.read_bytes())
    (tmp_path / "lm.binary.gz").write_bytes(gzip.compress(binary.read_bytes()))
    expected = load(binary).log10_prob(_corpus(50))
    for file in (arpa, *tmp_path.iterdir()):
        np.testing.assert_array_equal(load(str(file)).log10_prob(_corpus(50)), expected)


def test_files_that_are_not_a_model(tmp_path: Path, binary: Path, arpa: Path) -> None:
    plain, packed = arpa.read_bytes(), gzip.compress(arpa.read_bytes())
    draw = random.Random(1)
    wrong = {
        "empty": b"",
        "page": b"<!DOCTYPE html><title>404</title>",
        "noise": draw.randbytes(100_000),
        "zeros": bytes(100_000),
        "magic alone": binary.read_bytes()[:60],
        "half a binary": binary.read_bytes()[:1000],
        "old version": binary.read_bytes().replace(b"version 5", b"version 4", 1),
        "half an arpa": plain[: len(plain) // 2],
        "no counts": b"\\data\\\n\n\\end\\\n",
        "bad count": plain.replace(b"ngram 1=", b"ngram 1=9", 1),
        "huge count": plain.replace(b"ngram 1=", b"ngram 1=999999999999999", 1),
        "bad number": plain.replace(b"\n-1", b"\n-\xff1", 1),
        "probability over 1": plain.replace(b"\n-", b"\n", 1),
        "half a gz": packed[: len(packed) // 2],
        "damaged gz": packed[:100] + bytes(100) + packed[200:],
        "gz of nothing": gzip.compress(b""),
        "vectors": gzip.compress(b"the 0.1 0.2\nof 0.3 0.4\n"),
    }
    for name, content in wrong.items():
        file = tmp_path / name
        file.write_bytes(content)
        with pytest.raises(ModelError, match=name):
            load(file)
    for missing in (tmp_path / "missing", tmp_path):
        with pytest.raises(ModelError, match="cannot read"):
            load(missing)
