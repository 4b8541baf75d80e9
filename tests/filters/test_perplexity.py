import gzip
import math
from pathlib import Path

import kenlm
import numpy as np
import pyarrow as pa
import pytest

from paranmt.filters.perplexity import perplexity
from paranmt.models.language_model import load
from paranmt.tokens.definition import tokenize

ARPA = """\\data\\
ngram 1=5
ngram 2=2

\\1-grams:
-2\t<unk>
-99\t<s>\t-0.5
-1\t</s>
-1\ta\t-0.25
-0.5\tb\t0

\\2-grams:
-0.125\t<s> a
-0.75\ta b

\\end\\
"""


@pytest.mark.parametrize(
    ("sentence", "exponent"),
    [
        (
            "a b",
            (0.125 + 0.75 + 1) / 3,
        ),  # a after <s>, b after a, and </s>, for b has no weight to back off with
        ("b a", (0.5 + 0.5 + 1 + 0.25 + 1) / 3),  # b backs off from <s>, a from b, </s> from a
        ("q", (0.5 + 2 + 1) / 2),  # <unk> after <s>, then </s>
        ("q q q", (0.5 + 2 + 2 + 2 + 1) / 4),
        ("", 0.5 + 1),
    ],
)
def test_by_hand(tmp_path: Path, sentence: str, exponent: float) -> None:
    (tmp_path / "by-hand.arpa").write_text(ARPA)
    value = perplexity(pa.array([sentence]), load(tmp_path / "by-hand.arpa"))[0].as_py()
    assert value == pytest.approx(10**exponent, rel=1e-6)


def test_what_float32_cannot_hold_is_its_largest_number(tmp_path: Path) -> None:
    # Without <unk> in the file an unknown word has KenLM's log10 probability of -100.
    (tmp_path / "closed.arpa").write_text(ARPA.replace("-2\t<unk>\n", "").replace("1=5", "1=4"))
    values = perplexity(pa.array(["q q q", "a"]), load(tmp_path / "closed.arpa"))
    assert values[0].as_py() == float(np.finfo(np.float32).max)
    assert values[1].as_py() == pytest.approx(10 ** ((0.125 + 0.25 + 1) / 2), rel=1e-6)


def test_real_text_against_the_full_scores_of_kenlm(shared: Path, tmp_path: Path) -> None:
    from paranmt.models.language_model import train

    with gzip.open(shared / "data/multi30k/val.en.gz", "rt", encoding="utf-8") as file:
        texts = file.read().splitlines()
    train((" ".join(tokenize(text)).encode() for text in texts[:500]), tmp_path / "lm")
    theirs = kenlm.Model(str(tmp_path / "lm"))
    values = perplexity(pa.array(texts), load(tmp_path / "lm")).to_pylist()
    for text, value in zip(texts, values, strict=True):
        scores = [log_prob for log_prob, _, _ in theirs.full_scores(" ".join(tokenize(text)))]
        nats = -sum(scores) * math.log(10)
        assert value == pytest.approx(math.exp(nats / len(scores)), rel=1e-5)
    seen, unseen = np.median(values[:500]), np.median(values[500:])
    assert 1 < seen < unseen < 1000
