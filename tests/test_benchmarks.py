"""The programs that measure translation engines, on a model small enough to run in a test."""

import importlib
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from paranmt.models.translation import engines as translators
from paranmt.models.translation.options import TranslateOptions
from paranmt.models.translation.translator import Candidate

Program = Callable[[str], ModuleType]
BENCHMARKS = Path(__file__).resolve().parents[1] / "benchmarks"


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> Program:
    if not BENCHMARKS.is_dir():
        pytest.skip("needs the checkout's benchmarks, which no wheel has")
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return importlib.import_module


def test_a_random_model_ends_when_its_sources_say(program: Program, tmp_path: Path) -> None:
    scheduled = program("scheduled")
    folder = scheduled.write_scheduled(tmp_path / "m", "tiny", 3000)
    texts = [
        " ".join(f"w{4 + length + 520 * (place % 5)}" for place in range(12)) for length in (5, 10, 20, 40)
    ]
    options = TranslateOptions(model=str(folder), engine="torch", beam=12, max_length=300, device="cpu")
    found = translators.load(translators.resolve(options), tmp_path / "cache").translate(texts, 12)
    for ranked, wanted in zip(found, (5, 10, 20, 40), strict=True):
        assert abs(np.median([one.n_tokens for one in ranked]) - wanted) < 8
    lengths = [ranked[0].n_tokens for ranked in found]
    assert lengths == sorted(lengths)


def test_lengths_are_those_of_paranmt(program: Program) -> None:
    scheduled = program("scheduled")
    tokens = np.array([len(text.split()) for text in scheduled.sentences(20_000, 3000)])
    # 13.3 words of 1.3 subwords, less what the cut at 200 words takes, over a mean ratio of about 1.
    assert 15 < tokens.mean() < 22
    assert 8 < np.median(tokens) < 13
    assert scheduled.sentences(50, 3000) == scheduled.sentences(50, 3000)


def test_searches_take_as_long_as_recorded(program: Program) -> None:
    """The steps that a source asks for, read from its first word, over its tokens with the end symbol."""
    scheduled = program("scheduled")
    texts = [text.split() for text in scheduled.sentences(20_000, 3000)]
    tokens = np.array([len(words) + 1 for words in texts])
    # The end symbol asks for nothing, so the words ask for more.
    asked = np.array([(int(words[0][1:]) - 4) % 520 for words in texts]) * (tokens - 1) / tokens
    ratios = (asked / tokens)[(tokens > 10) & (tokens < 40)]
    found = np.quantile(ratios, (0.05, 0.25, 0.5, 0.9, 0.99, 0.999))
    assert found == pytest.approx([0.52, 0.79, 0.95, 1.30, 1.79, 4.67], rel=0.1)


def test_comparing_lists_by_hand(program: Program) -> None:
    parity = program("parity")

    def candidate(text: str, log_prob: float) -> Candidate:
        return Candidate(text, log_prob, 2, (log_prob / 2, log_prob / 2))

    a, b, c = candidate("a", -1.0), candidate("b", -2.0), candidate("c", -2.000004)
    assert parity.compare([[a, b]], [[a, b]], 1.0).holds
    tied = parity.compare([[a, b, c]], [[a, c, b]], 1.0)
    assert (tied.identical, tied.orders, tied.sets, tied.tops) == (0, 0, 0, 0)
    assert parity.compare([[a, b]], [[a, c]], 1.0).sets == 0  # the last place is tied
    other = parity.compare([[a, b]], [[b, a]], 1.0)
    assert (other.orders, other.tops, other.sets) == (1, 1, 0)
    assert parity.compare([[a, b]], [[candidate("d", -1.5), b]], 1.0).sets == 1
    assert parity.compare([[a]], [[a, b]], 1.0).sets == 1
    assert parity.compare([[a]], [[candidate("a", -1.001)]], 1.0).token == pytest.approx(0.0005)
    assert not parity.compare([[a]], [[candidate("a", -1.001)]], 1.0).holds


def test_a_small_run(program: Program, tmp_path: Path) -> None:
    report = tmp_path / "rows.jsonl"
    engines = ["fairseq", "torch", "bare:int8", "ctranslate2:int8"]
    command = ["tiny", "--engines", ",".join(engines), "--beams", "2", "--seconds", "0.4", "--rounds", "2"]
    own = ["--pool", "300", "--threads", "1", "--cache", str(tmp_path), "--json", str(report)]
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "translate.py"), *command, *own],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in report.read_text().splitlines()]
    assert [row["engine"] for row in rows] == engines
    assert rows[1]["same_lists"] == 1.0
    assert all(row["sentences_per_second"] > 0 for row in rows)


def test_a_profile(program: Program) -> None:
    done = subprocess.run(
        [sys.executable, str(BENCHMARKS / "profile_engine.py"), "tiny", "--sentences", "24", "--beam", "2"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert "24 sentences in" in done.stdout and "aten::" in done.stdout


def test_the_gpu_script_passes_valid_options(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recorder = tmp_path / "recorder"
    recorder.write_text('#!/bin/sh\nprintf "%s\\n" "$*"\n')
    recorder.chmod(0o755)
    script = ["sh", str(BENCHMARKS / "gpu.sh"), "M", "S", "R", str(tmp_path)]
    done = subprocess.run(script, env={"PYTHON": str(recorder)}, capture_output=True, text=True, check=True)
    lines = [line.split() for line in done.stdout.splitlines() if not line.startswith("-m pytest")]
    assert len(lines) == 6
    for path, *arguments in lines:
        assert Path(path).is_file()
        monkeypatch.setattr(sys, "argv", ["program", *arguments])
        assert program(Path(path).stem)._arguments().device == "cuda"


def test_an_ensemble_is_compared(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scheduled, parity = program("scheduled"), program("parity")
    folders = [scheduled.write_scheduled(tmp_path / str(seed), "tiny", 3000, seed) for seed in (1, 2)]
    options = TranslateOptions(
        model=str(folders[0]), beam=3, max_length=60, device="cpu", precision="float32"
    )
    assert parity._ensemble(options, str(folders[1]), scheduled.sentences(6, 3000))
    assert "ensemble with" in capsys.readouterr().out


def test_the_speed_of_scores(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scores = program("scores")
    query = tmp_path / "query"
    query.write_text("#!/bin/sh\nexec cat\n")
    query.chmod(0o755)
    (tmp_path / "references").write_text("A dog runs home.\nIt rained.\nTwo cats sat there.\n")
    (tmp_path / "translations").write_text("A dog ran home.\nThere was rain.\nTwo cats sat.\n")
    sides = [str(tmp_path / name) for name in ("references", "translations")]
    sizes = ["--rows", "20", "--parts", "2", "--rounds", "1", "--dimension", "4", "--query", str(query)]
    monkeypatch.setattr(sys, "argv", ["scores.py", *sides, *sizes])
    scores.main()
    printed = capsys.readouterr().out
    for name in (
        *scores.STRINGS,
        "perplexity",
        "paraphrase_similarity",
        scores.TOGETHER,
        scores.FINDALL,
        scores.QUERY,
    ):
        assert f"| {name} | " in printed
    assert "| perplexity over KenLM's query | " in printed


def test_duplicates_of_few_pairs(
    program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for similarity in (None, 0.8):
        program("duplicates").measure(tmp_path / str(similarity), 700, 300, 2, similarity)
        assert "\nduplicates " in capsys.readouterr().out
