"""What is equal on every processor: the same bits come from the code that libraries have for older ones."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
import xxhash
from processors import PROCESSORS
from weight_digests import digests

from paranmt.filters import SCORES
from paranmt.filters.kernels.exponentials import exp, log
from paranmt.filters.ranks.decile_ranks import exact_deciles
from paranmt.filters.ranks.draws import sample_keys
from paranmt.filters.statistics import word_frequencies

WORDS = "a the cat dog house ran ; . , 17 3.5 % not n't Prague's naïve well-known Übung".split()
# Scores with a language model or a network differ in their last digits, as py3langid's probabilities do.
EXACT = [
    name
    for name, kind in SCORES.items()
    if kind.model_kind in (None, "word_frequencies") and not kind.__module__.endswith((".language", ".given"))
]


def pairs(count: int) -> pa.Table:
    """Pairs of random words."""
    random = np.random.default_rng(1)
    columns = {}
    for side in ("reference", "translation"):
        lengths = random.integers(0, 20, count)
        columns[side] = [" ".join(random.choice(WORDS, length)) for length in lengths]
    return pa.table(
        {
            "source": columns["reference"],
            **columns,
            "translation_log_prob": pa.array(-random.random(count), pa.float32()),
            "translation_tokens": pa.array(random.integers(1, 20, count), pa.int32()),
            "source_language": ["cs"] * count,
        }
    )


def scores() -> dict[str, str]:
    """A hash of each of these scores, of its deciles, and of a sample."""
    table = pairs(1_000)
    frequencies = word_frequencies([table["reference"]])
    ids = [f"corpus/file:{number}" for number in range(table.num_rows)]
    found = {"sample": sample_keys(ids, 7).lead.tobytes()}
    for name in EXACT:
        values = SCORES[name]().measure(table, frequencies if SCORES[name].model_kind else None)
        found[name] = repr(values.to_pylist()).encode()
        if SCORES[name].has_deciles:
            found[f"{name} deciles"] = repr(exact_deciles(values, ids, 3).to_pylist()).encode()
    return {name: xxhash.xxh3_64_hexdigest(content) for name, content in found.items()}


def test_starts_scores_deciles_and_samples_are_the_same_on_every_processor() -> None:
    program = "import json, test_processors as t; print(json.dumps([t.digests(), t.scores()]))"
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    output = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, **PROCESSORS["basic"], "PYTHONPATH": paths},
        check=True,
        capture_output=True,
        timeout=300,
    ).stdout
    assert json.loads(output) == [digests(), scores()]


@pytest.mark.parametrize(("ours", "theirs", "factors"), [(exp, math.exp, (1, -1)), (log, math.log, (1, 1e6))])
def test_exponentials_are_as_exact_as_the_c_librarys(
    ours: Callable[[np.ndarray], np.ndarray], theirs: Callable[[float], float], factors: tuple[float, ...]
) -> None:
    numbers = np.concatenate([np.arange(1.0, 700.0), np.random.default_rng(1).random(5_000) + 1e-9])
    for factor in factors:
        expected = np.array([theirs(number) for number in factor * numbers])
        assert (np.abs(ours(factor * numbers) - expected) <= 2 * np.spacing(np.abs(expected))).all()
