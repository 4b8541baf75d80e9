"""The programs that measure, on models and data small enough to run in a test."""

import importlib
import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from corpus import write_bitext, write_sts
from releases import write_release

from paranmt.models.encoders.encoder_kinds import LstmOptions
from paranmt.models.sts.set_lists import SET_LISTS, SETS_22
from paranmt.models.translation import engines as translators
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate
from paranmt.pipeline.release.open_release import open_release

Program = Callable[[str], ModuleType]
BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


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


@pytest.mark.parametrize("device", ["cuda", "cpu"])
def test_the_gpu_script_passes_valid_options(
    device: str, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = _gpu_script(tmp_path, 'printf "%s\\n" "$*"', DEVICE=device).stdout.splitlines()
    commands = [line.split() for line in lines if line.startswith(str(BENCHMARKS))]
    assert len(commands) == 8
    assert sum(line.startswith("-m pytest") for line in lines) == 1
    for path, *arguments in commands:
        assert Path(path).is_file()
        monkeypatch.setattr(sys, "argv", ["program", *arguments])
        assert program(Path(path).stem)._arguments().device == device


def test_no_line_of_the_gpu_script_stops_the_others(program: Program, tmp_path: Path) -> None:
    """Lines that fail, and lines for which no time is left."""
    failing = _gpu_script(tmp_path, "exit 3")
    assert failing.returncode == 1
    assert failing.stdout.count("FAILED or does not hold") == 9
    hanging = _gpu_script(tmp_path, "exec sleep 60", SECONDS_ALLOWED="7")
    assert hanging.returncode == 1
    assert hanging.stdout.count("CUT after") == 1
    assert hanging.stdout.count("NOT MEASURED") == 8


def test_the_gpu_script_fits_into_ten_minutes(program: Program) -> None:
    text = (BENCHMARKS / "gpu.sh").read_text()
    expected = [int(line.split()[1]) for line in text.splitlines() if line.startswith("measure ")]
    assert len(expected) == 9
    assert sum(expected) <= 590


def _gpu_script(folder: Path, body: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the script with an interpreter that does only what `body` says."""
    interpreter = folder / "interpreter"
    interpreter.write_text(f"#!/bin/sh\n{body}\n")
    interpreter.chmod(0o755)
    script = ["sh", str(BENCHMARKS / "gpu.sh"), "M", "S", "R", str(folder)]
    environment = {"PYTHON": str(interpreter), **environment}
    return subprocess.run(script, env=environment, capture_output=True, text=True, timeout=60)


def test_sizes_of_steps(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every sentence is in as many steps as it needs, and in a few more until the host sees that it ends."""
    buckets = program("buckets")
    monkeypatch.setattr(buckets, "PART", 500)
    _, wanted = program("scheduled").lengths(np.random.default_rng(1), 500)
    budget = buckets.Budget(1_000, 4_096)
    exact = list(buckets.steps(1, buckets.EXACT, budget))
    padded = list(buckets.steps(1, buckets.Buckets(4, 32, 96), budget))
    assert all(size[0] == count for size, count in exact)
    made = sum(count for _, count in exact) + 500  # the first steps are made apart
    assert wanted.sum() <= made <= 1.15 * wanted.sum()
    assert all(width % 32 == read % 96 == room % 96 == 0 for (_, width, read, room), _ in padded)
    assert sum(size[0] for size, _ in padded) <= 1.02 * sum(count for _, count in padded)


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
        program("duplicates").measure(tmp_path / str(similarity), 700, 300, 2, similarity, against=50)
        assert "\nduplicates " in capsys.readouterr().out


def test_gradients_of_lstms(program: Program) -> None:
    """The first of one word is the last; torch's start forgets the first of twenty, whatever the size."""
    ratios, options = program("lstm_gradients").ratios, LstmOptions(dimension=5, size=30)
    assert ratios(options, words=1, sentences=3, scale=0.1, seed=1) == pytest.approx(np.ones(3))
    forgotten = ratios(replace(options, peepholes=False), words=20, sentences=9, scale=0.1, seed=1)
    assert 1e-6 < np.median(forgotten) < 1e-3


def test_tables_of_classifiers(program: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words, lines = np.random.default_rng(1), {"references": "quite", "one": "very", "two": "quite"}
    for name, marker in lines.items():
        texts = (f"{marker} &quot;w{number}&quot; w{number // 2}" for number in words.integers(0, 40, 400))
        (tmp_path / f"{name}.en").write_text("\n".join(texts) + "\n")
    files = [str(tmp_path / f"{name}.en") for name in lines]
    options = ["--dimension", "16", "--seeds", "2"]
    program("classifier").main([*files, *options, "--epochs", "60", "--types", "avg"])
    rows = [line.strip("| ").split(" | ") for line in capsys.readouterr().out.splitlines()]
    accuracies = {row[1]: [float(cell) for cell in row[2:]] for row in rows[2:4]}
    assert accuracies.keys() == {"one", "two"}
    for system, (valid, test, _, *of_sides) in accuracies.items():
        assert (min(valid, test, *of_sides) > 90) == (system == "one")
    correlations = [row for row in rows if row[0] == "avg" and row[2] in ("translations", "both sides")]
    # All sentences have the same length, and no trigram twice.
    assert [(row[1], row[4], row[6]) for row in correlations] == [
        (system, "0.0", "0.0") for system in ("one", "one", "two", "two")
    ]
    program("classifier").main([*files[:2], *options, "--epochs", "1"])
    (gaps,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("| one |"))
    assert gaps.count(",") == 1, "LSTM less AVG, for two seeds"
    program("classifier").main([*files[:2], *options, "--speed"])
    assert len(capsys.readouterr().out.splitlines()) == 4


Printed = Callable[..., list[str]]


@pytest.fixture
def printed(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Printed:
    """What a program prints, run in this process with these arguments."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PARANMT_CACHE", str(tmp_path / "cache"))

    def run(name: str, *arguments: object) -> list[str]:
        monkeypatch.setattr(sys, "argv", [f"{name}.py", *map(str, arguments)])
        main = program(name).main
        main(sys.argv[1:]) if inspect.signature(main).parameters else main()
        return capsys.readouterr().out.splitlines()

    return run


@pytest.fixture
def model(program: Program, tmp_path: Path) -> Path:
    folder: Path = program("scheduled").write_scheduled(tmp_path / "model", "tiny", 3000)
    return folder


@pytest.fixture
def sources(program: Program, tmp_path: Path) -> Path:
    file = tmp_path / "sources.txt"
    file.write_text("".join(f"{text}\n" for text in program("scheduled").sentences(30, 3000)))
    return file


@pytest.fixture
def sets(tmp_path: Path) -> Path:
    """Small sets with the names of those of STS 2012 to 2015, and of one to choose on."""
    of_years = [(f"STS{year}-gold", name) for year, name in SET_LISTS[SETS_22] if year is not None]
    for folder, name in [*of_years, ("STS2012-train", "MSRvid")]:
        write_sts(tmp_path / "made", pairs=6)
        (tmp_path / "sts" / folder).mkdir(parents=True, exist_ok=True)
        for kind in ("input", "gs"):
            file = tmp_path / "made" / f"STS.{kind}.phrases.txt"
            file.rename(tmp_path / "sts" / folder / f"STS.{kind}.{name}.txt")
    return tmp_path / "sts"


def test_steps_until_searches_are_complete(printed: Printed, model: Path, sources: Path) -> None:
    _, of_file, together = printed("completion", model, sources, "--sentences", 20, "--beam", 2)
    assert of_file.split()[:2] == ["sources.txt", "20"]
    assert together.split()[1:] == of_file.split()[1:]


def test_the_speed_of_recurrent_networks(printed: Printed) -> None:
    sizes = ("--sentences", 6, "--longest", 4, "--size", 5, "--rounds", 1)
    head, *lines = printed("encoders", *sizes)
    assert head.startswith("6 sentences, ") and [line.split(":")[0] for line in lines] == [
        "forwards",
        "forwards and backwards",
    ]


def test_what_paraphrasing_adds(printed: Printed, model: Path, sources: Path) -> None:
    sizes = ("--sentences", 4, "--rounds", 1, "--beam", 2)
    head, *lines = printed("paraphrase", model, sources, *sizes)
    assert head == "4 sentences, beam 2, 1 rounds"
    assert [line.split(":")[0] for line in lines] == ["seconds", "processor"]
    assert all("paraphrase over CTranslate2" in line for line in lines)


def test_the_overhead_of_parts(
    printed: Printed, program: Program, model: Path, sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("TINY_PARTS", 3), ("HUGE_ROWS", 20), ("LAYER_ROWS", 10)):
        monkeypatch.setattr(program("parts"), name, value)
    monkeypatch.setenv("PYTHONPATH", str(BENCHMARKS))  # for worker processes
    given = ("--rounds", 1, "--rows", 2, "--model", model, "--sentences", sources)
    lines = printed("parts", *given)
    names = ["stage", "stage", "tiny", "huge", "layer", "processes"]
    assert [line.split(":")[0] for line in lines] == names
    assert lines[2].startswith("tiny: 3 parts: ")


def test_texts_that_recur(printed: Printed, tmp_path: Path, sets: Path) -> None:
    files = []
    for number in range(3):
        of_seed = write_bitext(tmp_path / "texts", str(number), 60, seed=number // 2)
        files.append(of_seed["mt" if number else "en"])
    options = ("--dev", sets, "--tests", sets, "--dimension", 8, "--epochs", 1, "--seeds", 1)
    _, *rows = printed("recurring_texts", *options, "--", *files)
    assert [row.split()[:2] for row in rows] == [["1", "60"], ["1", "60"], ["2", "120"], ["2", "120"]]
    assert {row.split()[4] for row in rows} == {"own_pair", "equal_texts"}


def test_the_speed_of_encoding(printed: Printed, sources: Path) -> None:
    head, _, _, _, *rows = printed("encoding", sources, "--sentences", 20, "--rounds", 1, "--pieces", 80)
    assert head.startswith("20 sentences, ")
    lines = {row.strip("| ").split(" | ")[0]: row for row in rows if row.startswith("|")}
    assert {"words", "embed, words", "trigrams and subwords", "embed, trigrams and subwords"} <= lines.keys()
    assert lines["words"].split(" | ")[2].startswith("1.00 (1.00 to 1.00)")
    assert sum("of one sentence" in row for row in rows) == 2


PEERS = """\
workspace: work
bitext:
  - {corpus: news, format: tsv, path: news.tsv, translation: 3, source_language: cs}
scores: {reference_length: {}, trigram_overlap: {}}
select: {short: {where: reference_length <= 10}}
train:
  trigrams: {selection: short, encoder: {type: avg, dimension: 8}, text: {units: trigrams}, epochs: 1}
  subwords:
    selection: short
    encoder: {type: avg, dimension: 8}
    text: {units: subwords, subword_size: 80}
    epochs: 1
  static:
    selection: short
    encoder:
      type: mixed
      combine: concatenate_normalised
      parts:
        - {units: trigrams, encoder: {type: avg, dimension: 8}}
        - {units: subwords, encoder: {type: avg, dimension: 8}}
    start: [trigrams, subwords]
    epochs: 0
evaluate: {sts: {encoder: static, data: sts}}
"""


def test_static_encoders_of_the_same_pairs(printed: Printed, tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    write_release(tmp_path / "work" / "release", 300)
    (tmp_path / "recipe.yaml").write_text(PEERS)
    for folder in ("STS2012-gold", "STS2013-gold", "others"):
        write_sts(tmp_path / "sts" / folder, seed=len(folder))
    head, _, columns, _, *rows, seconds = printed("static_peers", "recipe.yaml", "--seeds", 2)
    pairs = open_release(tmp_path / "work").pairs("short", ["translation"]).to_table()["translation"]
    assert head == f"{len(pairs) - pairs.null_count} pairs, seeds: 2"
    names = ["set", "paranmt", "StaticEmbedding", "model2vec"]
    assert columns.strip("| ").split(" | ") == [*names, "ahead of StaticEmbedding", "ahead of model2vec"]
    assert seconds.startswith("| seconds | ")
    cells = {row.strip("| ").split(" | ")[0]: row.strip("| ").split(" | ")[1:] for row in rows}
    assert set(cells) == {"2012 phrases", "2013 phrases", "phrases"}
    for ours, static, _, ahead, _ in cells.values():
        first, second = (float(cell.split()[0]) for cell in (ours, static))
        difference, low, _, high = ahead.replace("(", "").replace(")", "").split()
        assert float(difference) == pytest.approx(first - second, abs=0.11)
        assert float(low) <= float(difference) <= float(high)


def test_batches_without_duplicates(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    peers = program("static_peers")
    monkeypatch.setattr(peers, "BATCH", 2)
    pairs = peers.PairList(["a", "a", "b", "c", "a"], ["x", "y", "z", "a", "w"])
    batches = list(peers.without_duplicates(pairs, "1"))
    assert sorted(row for batch in batches for row in batch) == [0, 1, 2, 3, 4]
    for batch in batches:
        texts = [text for row in batch for text in (pairs.references[row], pairs.translations[row])]
        assert len(batch) <= 2 and len(set(texts)) == len(texts)


def test_what_model2vec_makes_of_a_table(program: Program) -> None:
    """Two components, the first with most of the variance; later rows weigh more than earlier ones."""
    peers = program("static_peers")
    table = peers.torch.tensor([[3.0, 0.0], [-3.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    made = peers.as_model2vec(peers.WordPieceAverage(None, table)).table.abs()
    assert (made[:2, 1] < 1e-6).all() and (made[2:, 0] < 1e-6).all()
    # p is 1/2, 1/3, 1/4, 1/5 over their sum, and a far smaller: the weights are as 2 to 3 to 4 to 5.
    assert (made[1, 0] / made[0, 0]).item() == pytest.approx(3 / 2, rel=1e-3)
    assert (made[3, 1] / made[2, 1]).item() == pytest.approx(5 / 4, rel=1e-3)


def test_the_simulation_of_few_gpus(
    printed: Printed, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table has a line for each setting; the page gets it between its marks, and the plot is XML."""
    simulate = program("simulate")
    monkeypatch.setattr(simulate, "PART_ROWS", (simulate.DEFAULT_ROWS, 100_000))
    monkeypatch.setattr(simulate, "PREEMPTIONS", (0.0, 0.2))
    given = ("--rates", 5000, "--gpus", 4, "--seeds", 1)
    table = printed("simulate", *given, "--print")
    assert [line.split(" | ")[:3] for line in table[2:]] == [
        ["| part", "5,000", "0"],
        ["| part", "5,000", "0.2"],
        ["| region", "5,000", "0"],
        ["| region", "5,000", "0.2"],
    ]
    page, drawing = tmp_path / "experiments.md", tmp_path / "img" / "simulation.svg"
    page.write_text(f"before\n{simulate.BEGIN}\nold\n{simulate.END}\nafter\n")
    monkeypatch.setattr(simulate, "PAGE", page)
    monkeypatch.setattr(simulate, "PLOT", drawing)
    printed("simulate", *given)
    written = "\n".join(["before", simulate.BEGIN, *table, simulate.END, "after", ""])
    assert page.read_text() == written
    assert drawing.read_text().startswith("<svg ")


def test_the_cost_of_verifying_parts(printed: Printed) -> None:
    lines = printed("verifying", "--rows", 20, "--rounds", 1)
    stages = [f"score/{name}" for name in ("reference_length", "trigram_overlap", "sentence_bleu")]
    assert [line.split(" | ")[0][2:] for line in lines[2:]] == [*stages, "deciles/reference_length"]


def test_how_fast_a_release_is_read(
    printed: Printed, program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Streams end their process, so they run in one; everything else runs here."""
    release = program("release")
    in_own_process = release.measured

    def measured(folder: Path, name: str, seconds: float) -> dict[str, float]:
        if name.startswith("stream"):
            return {"pairs/s": 1.0} if name != "stream, paranmt" else in_own_process(folder, name, seconds)
        result: dict[str, float] = release.MEASURES[name](str(folder / "data"), seconds)
        return result

    monkeypatch.setattr(release, "measured", measured)
    given = ("--rounds", 1, "--seconds", 0.1)
    lines = printed("release", tmp_path / "all", "--pairs", 1000, *given)
    assert [line.split(" pairs")[0] for line in lines[1:7]] == list(release.MEASURES)[:6]
    assert all(f"pairs {count}" in line for line in lines[4:7] for count in ("1,000",))
    (previewed,) = printed("release", tmp_path / "columns", "--preview", 1000, *given)[1:]
    assert previewed.startswith("preview pairs ")
    verified, cut = printed("release", tmp_path / "whole", "--verify", 1000, *given)[1:]
    assert verified.startswith("whole, verify pairs 1,000.") and cut.startswith("whole, select --output ")


def test_transformers_beside_the_engines(program: Program, model: Path, sources: Path) -> None:
    pytest.importorskip("transformers")
    peer = program("transformers_peer").TransformersTranslator
    options = TranslateOptions(
        model=str(model), device="cpu", precision="float32", beam=2, max_length=30, batch_tokens=200
    )
    found = peer(options).translate(sources.read_text().splitlines()[:3], 2)
    assert [len(ranked) for ranked in found] == [2, 2, 2]
