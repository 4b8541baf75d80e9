"""Reproducing tables: the data's layouts, samples, claims, and runs that are killed."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import Mock

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from commands import heavy_imports, ok, paranmt
from corpus import OBJECTS, PLACES, SUBJECTS, VERBS, write_sts

from paranmt import __version__
from paranmt.base.errors import InputError, RecipeError
from paranmt.launch.runners.local import LocalRunner
from paranmt.models.encoders.encoder_kinds import (
    AveragingOptions,
    Component,
    CseOptions,
    LstmAveragingOptions,
    MixedOptions,
)
from paranmt.models.sts.development_sets import read_development
from paranmt.models.training.classifier import choose_classifier
from paranmt.models.training.pairs import PairList
from paranmt.models.training.train_options import TrainOptions
from paranmt.papers import paper_data
from paranmt.papers.pair_scores import PairScores
from paranmt.papers.paper_data import DataFiles, read_groups
from paranmt.papers.paper_sets import TRANSFER_TASKS
from paranmt.papers.paper_table import (
    EACH,
    Classification,
    Close,
    Greater,
    PaperTable,
    RoleSample,
    Supervision,
    System,
    grid,
    options,
    with_dimension,
)
from paranmt.papers.paper_tables import OTHERS, TABLES
from paranmt.papers.reproducing import reproduce
from paranmt.papers.run import Run
from paranmt.papers.table_results import Reproduction
from paranmt.papers.training_samples import Samples
from paranmt.papers.trainings import (
    EVALUATED,
    Outcome,
    PaperTraining,
    RunPaperTraining,
    classify,
    development_folders,
    evaluation_sets,
    key_of_tests,
    outcome_of,
    run_training,
    set_name,
    supervised_tasks,
    with_lists,
    write_sample,
)
from paranmt.pipeline.texts.paraphrase_evaluation import read_paraphrasing
from paranmt.transforms.beam.task_work import Task
from paranmt.transforms.pair_files import PairFileOptions, PairFiles
from paranmt.transforms.storage.dataset import part_file, write_part
from paranmt.transforms.storage.file_hashes import HashCache, hash_paths
from paranmt.transforms.storage.versions import source_commit
from paranmt.transforms.storage.workspace import Workspace

SMALL = ("--pairs", 60, "--dimension", 8, "--seeds", 2)


def write(file: Path, *lines: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def sentence(random: Random) -> str:
    return " ".join(random.choice(options) for options in (SUBJECTS, VERBS, OBJECTS, PLACES))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a subfolder for each role but phrasal PPDB."""
    folder, random = tmp_path_factory.mktemp("data"), Random(5)
    write_sts(folder / "sts" / "STS2014-gold", pairs=60)
    for kind in ("input", "gs"):
        file = folder / "sts" / "STS2014-gold" / f"STS.{kind}.phrases.txt"
        file.rename(file.with_name(f"STS.{kind}.images.txt"))
    write_sts(folder / "sts" / "STS2016-gold", pairs=60)
    for kind in ("input", "gs"):
        file = folder / "sts" / "STS2016-gold" / f"STS.{kind}.phrases.txt"
        file.rename(file.with_name(f"STS.{kind}.plagiarism.txt"))
    lines = [[f"{sentence(random)} {n} {m}" for n in range(40)] for m in range(3)]
    write(folder / "simplification" / "a.valid.orig", *lines[0])
    for version in (0, 1):
        write(folder / "simplification" / f"a.valid.simp.{version}", *lines[version + 1])
    write(folder / "translations" / "news.en", *lines[0])
    write(folder / "translations" / "news.first.en", *lines[1])
    write(folder / "translations" / "news.second.en", *lines[2])
    write(folder / "ppdb_lexical" / "words.txt", *(f"w{n} v{n} u{n}" for n in range(80)))
    for version in range(3):
        write(folder / "captions" / f"train.{version + 1}.en", *lines[version])
    return folder


# --- the tables


def test_every_table_is_listed_with_its_data() -> None:
    listed = ok("reproduce")
    papers = {
        "a": (1, 2, 3, 4, 5, 6, 7, 8),
        "c": (1, 2, 3, 4, 5, 6),
        "e": (4, 5, 6, 7, 8, 9, 10, 12, 13),
        "p": (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
        "i": (3, 4),
    }
    names = {f"{paper}-table-{number}" for paper, numbers in papers.items() for number in numbers}
    assert TABLES.keys() | OTHERS.keys() == names | {"i-figure-5"} and not TABLES.keys() & OTHERS.keys()
    assert {line.split()[0] for line in listed.splitlines()[1:]} == names | {"i-figure-5"}
    assert "simplification, ppdb, ppdb_lexical, translations, captions" in listed
    assert heavy_imports(["reproduce"]) == []


def test_the_docs_have_every_table_and_every_command_exists() -> None:
    document = Path(__file__).resolve().parents[2] / "docs" / "experiments.md"
    if not document.exists():
        pytest.skip("no docs beside the tests: they run against a wheel")
    docs = document.read_text("utf-8")
    listed = ok("--help").split()
    assert all(f"`{name}`" in docs for name in TABLES.keys() | OTHERS.keys())
    for other in OTHERS.values():
        words = other.how.split()
        assert words[0] == "as" or (words[0] == "paranmt" and words[1] in listed), other


def test_figures_are_the_papers() -> None:
    figures = {
        ("a-table-2", "LSTM", "scrambling"): 65.1,
        ("a-table-3", "", "GRAN-5"): 64.8,
        ("p-table-5", "BiLSTM Avg.", "mega-batch 20"): 85.0,
        ("e-table-4", "GRAN", "PPDB"): 64.5,
        ("e-table-5", "NMT, GRAN", "30–100"): 64.8,
        ("e-table-5", "SimpWiki, AVG", "10–20"): 65.7,
        ("c-table-5", "", "combined"): 70.40,
        ("a-table-8", "STS, GRAN", "dropout, scrambling, universal"): 82.7,
        ("a-table-8", "SICK, AVG", "dropout"): 84.5,
        ("a-table-5", "STS, LSTM", "word dropout"): 68.0,
        ("a-table-5", "SICK, GRAN", "dropout, scrambling"): 85.1,
        ("a-table-6", "STS", "GRAN-5"): 70.9,
        ("e-table-6", "SimpWiki, AVG", "length"): 66.2,
        ("e-table-7", "NMT, GRAN", "reference classification"): 67.0,
        ("e-table-12", "SimpWiki, GRAN", "bigram overlap"): 68.0,
        ("e-table-12", "NMT, AVG", "BLEU"): 65.3,
        ("e-table-8", "FR, EP", "LSTM"): 79.3,
        ("e-table-8", "DE, News", "AVG"): 87.6,
        ("e-table-13", "GRAN", "NMT"): 68.5,
        ("p-table-3", "Trigram Avg.", "Europarl"): 78.0,
        ("p-table-4", "", "para. sim."): 83.8,
        ("c-table-1", "", "CSE"): 68.5,
        ("e-table-9", "FR, Giga", "repetition of trigrams"): -7.74,
        ("e-table-10", "", "idf"): 27.8,
        ("i-table-3", "NLI dev", "BiLSTM-Mean"): 79.0,
        ("i-table-3", "NLI test", "HConvNet"): 83.4,
        ("i-table-3", "micro average", "BiLSTM-Max"): 85.2,
        ("i-table-3", "macro average", "Inner-attention"): 81.0,
        ("p-table-9", "", "Trigram-Word (addition)"): 79.9,
        ("p-table-12", "Tr. (No Cap.)", "InferSent (AllNLI)"): 64.8,
        ("p-table-12", "Cos. (Cap.)", "InferSent (SNLI)"): 83.4,
    }
    for (name, *key), figure in figures.items():
        assert {system.key: system.paper for system in TABLES[name].systems}[tuple(key)] == figure  # type: ignore[index]
    sets = {
        ("a-table-4", "", "GRAN", "tweet-news 2014"): 78.7,
        ("a-table-4", "", "AVG", "2015"): 77.9,
        ("a-table-4", "", "LSTMAVG", "Twitter"): 52.1,
        ("c-table-1", "", "PP", "FNWN 2013"): 43.9,
        ("c-table-2", "", "CSE", "2014"): 76.3,
        ("p-table-7", "", "Trigram-Word (concatenation)", "2015"): 80.3,
        ("e-table-8", "FR, Giga", "AVG", "translations"): 93.4,
        ("i-table-4", "", "BiLSTM-Max (on SNLI)", "TREC"): 88.7,
        ("p-table-8", "", "BiLSTM Avg. (900)", "SICK-E"): 84.4,
        ("p-table-8", "", "Trigram-Word (addition)", "MRPC"): 71.4,
    }
    for (name, *key, row), figure in sets.items():
        assert {system.key: system.sets for system in TABLES[name].systems}[tuple(key)][row] == figure  # type: ignore[index]
    gaps = {claim.claim: claim.paper for claim in TABLES["p-table-11"].claims}
    assert gaps["images 2014: Trigram-Word (concatenation) is better than InferSent (SNLI)"] == 4.8
    distances = {(pair.left[1], pair.right[1]): pair.paper for pair in TABLES["p-table-10"].distances}
    assert distances["Word Avg.", "LSTM Avg."] == 2.17


def test_the_sets_of_single_figures_are_those_of_the_evaluation() -> None:
    names = {set_name(key) for key in EVALUATED if key[0] != 2017}
    years = {"2012", "2013", "2014", "2015", "2016", "2017"}
    assert {
        row for table in TABLES.values() for system in table.systems for row in system.sets
    } == names | years | {"references", "translations", "SICK, ρ", "SICK, MSE × 100", *TRANSFER_TASKS}


def test_ranges_are_chosen_from_the_papers_grids() -> None:
    of = {system.key: system.choices for system in TABLES["e-table-12"].systems}
    assert of["NMT, AVG", "random"] == () and len(of["NMT, AVG", "unigram overlap"]) == 20
    lengths = [system.choices for system in TABLES["e-table-6"].systems if system.choices]
    assert [choice.where for choice in lengths[0]][:2] == [
        "translation_length between 0 and 10",
        "translation_length between 0 and 15",
    ]
    assert all(system.stops for name in (4, 5, 6, 7, 12, 13) for system in TABLES[f"e-table-{name}"].systems)
    folds = {system.name: len(system.choices) for system in TABLES["p-table-4"].systems}
    assert folds == {"random": 0, "para. sim.": 10, "trigram ovl.": 10, "trans. score": 10}


def test_systems_differ_in_what_the_papers_change() -> None:
    of = {system.key: system.options for system in TABLES["a-table-2"].systems}
    assert (of["LSTM", "scrambling"].scramble, of["LSTM", "none"].scramble) == (0.5, 0.0)
    assert of["LSTM", "L2"] == replace(of["LSTM", "none"], lambda_encoder=1e-5)
    both = of["LSTM", "dropout, scrambling"]
    assert (both.encoder.dropout, both.encoder.word_dropout, both.scramble) == (0.4, 0.0, 0.5)  # type: ignore[attr-defined]
    rates = {
        "none": (0, 0),
        "L2": (0, 0),
        "dropout": (0.4, 0),
        "word dropout": (0, 0.2),
        "scrambling": (0, 0),
    }
    for (group, row), given in of.items():
        name = row.removesuffix(", oracle")
        encoder, expected = given.encoder, rates.get(name, (0.4, 0))
        assert (encoder.dropout, encoder.word_dropout) == expected, (group, name)  # type: ignore[attr-defined]
        assert (given.scramble, given.lambda_encoder) == (
            0.5 * ("scrambling" in name),
            1e-5 * (name == "L2"),
        ), (group, name)
    assert {name: o.epochs for (name, _), o in of.items()} == {
        "AVG": 7,
        "LSTM": 3,
        "LSTMAVG": 3,
        "BiLSTMAVG": 3,
    }
    run = Run(pairs=1, seeds=1, dimension=1, only="LSTM, dropout")
    trained = [system.name for system in TABLES["a-table-2"].systems if run.trains(system)]
    assert trained == [
        *("dropout", "dropout, scrambling"),
        *("dropout, oracle", "dropout, scrambling, oracle"),
    ]
    sizes = [s.options.mega_batch for s in TABLES["p-table-5"].systems]
    assert sizes == [1, 20, 40] * 2


def test_tables_compare_what_the_papers_compare() -> None:
    def of(name: str) -> dict[tuple[str, str], Any]:
        return {system.key: system for system in TABLES[name].systems}

    phrases = of("a-table-1")["LSTM", "PPDB"].source
    assert (phrases.role, phrases.tokens_of) == ("ppdb", "simplification")
    types = {group: system.options.encoder.type for (group, _), system in of("a-table-1").items()}
    assert types == {"AVG": "avg", "LSTM": "lstm", "LSTMAVG": "lstm_avg"}

    variants = {name: system.options for (_, name), system in of("a-table-3").items()}
    assert [variants[f"GRAN-{n}"].encoder.variant for n in (2, 3, 4, 5)] == [2, 3, 4, 5]
    assert (variants["GRAN"].encoder.variant, variants["BiGRAN"].encoder.type) == (1, "bigran")
    regularised = {name: (own.encoder.dropout, own.scramble) for name, own in variants.items()}
    assert regularised.pop("GRAN (no reg.)") == regularised.pop("GRAN (no reg.), oracle") == (0, 0)
    assert set(regularised.values()) == {(0.4, 0.5)}

    roles = {name: system.source.role for (_, name), system in of("e-table-4").items()}
    assert (roles["SimpWiki"], roles["PPDB"], roles["NMT"]) == ("simplification", "ppdb", "translations")
    lengths = {system.source.where for system in of("e-table-5").values()}
    bounds = ((0, 10), (10, 20), (20, 30), (30, 100))
    assert lengths == {f"translation_length between {low} and {high}" for low, high in bounds}

    corpora = {name: (s.before and s.before.role, s.source.role) for (_, name), s in of("c-table-4").items()}
    assert corpora == {
        "phrase": (None, "ppdb"),
        "sentence": (None, "simplification"),
        "cumulative": ("ppdb", "simplification"),
    }
    widths = {name: system.options.encoder.widths for (_, name), system in of("c-table-5").items()}
    assert widths == {**{f"{n}-gram": (n,) for n in (1, 2, 3, 4)}, "combined": (1, 2, 3)}


def test_filters_change_with_the_dimension() -> None:
    wide = TrainOptions(encoder=CseOptions(dimension=300, filters=100))
    assert with_dimension(wide, 60).encoder == CseOptions(dimension=60, filters=20)
    large = TrainOptions(encoder=LstmAveragingOptions(dimension=300, size=900))
    assert with_dimension(large, 100).encoder == replace(large.encoder, dimension=100, size=300)
    parts = TrainOptions(encoder=MixedOptions(parts=(Component(encoder=AveragingOptions(dimension=300)),)))
    encoder = with_dimension(parts, 8).encoder
    assert isinstance(encoder, MixedOptions) and encoder.parts[0].encoder == AveragingOptions(dimension=8)


def test_epochs_are_the_papers_unless_others_are_given() -> None:
    system = TABLES["e-table-6"].systems[-1]
    runs = [Run(pairs=1, seeds=1, dimension=1, epochs=epochs) for epochs in (None, 2)]
    assert [run.planned(system, 300).options.epochs for run in runs] == [20, 2]


def test_options_are_chosen_from_the_papers_grids_if_asked() -> None:
    fixed, tuned = (Run(pairs=1, seeds=1, dimension=8, epochs=2, grid=grid) for grid in (False, True))
    of = {system.key: system for system in TABLES["a-table-2"].systems}
    assert fixed.planned(of["LSTM", "dropout, scrambling"], 8).grid == ()
    sizes = {
        ("AVG", "none"): 24,
        ("LSTM", "L2"): 96,
        ("LSTM", "word dropout"): 72,
        ("LSTM", "dropout, scrambling"): 432,
        ("BiLSTMAVG", "dropout, scrambling"): 864,
    }
    grids = {key: tuned.planned(of[key], 8).grid for key in sizes}
    assert {key: len(set(grid)) for key, grid in grids.items()} == sizes
    assert {(each.epochs, each.encoder.dimension) for each in grids["LSTM", "L2"]} == {(2, 8)}  # type: ignore[attr-defined]
    assert {each.scramble for each in grids["LSTM", "dropout, scrambling"]} == {0.25, 0.5, 0.75}
    assert {len(system.grid) for system in TABLES["c-table-1"].systems} == {0, 144}
    *_, universal = TABLES["a-table-8"].systems
    tasks = [run.planned(universal, 8).task for run in (fixed, tuned)]
    assert [len(task.grid) for task in tasks if isinstance(task, Supervision)] == [0, 99]
    assert {len(system.grid) for system in TABLES["a-table-1"].systems} == {72}


# --- data


def groups(role: str, folder: Path) -> dict[str, list[tuple[str, str]]]:
    return dict(read_groups(role, [str(folder)]))


def test_layouts_of_simplifications(tmp_path: Path) -> None:
    write(tmp_path / "asset" / "asset.test.orig", "A dog , which barks .", "")
    write(tmp_path / "asset" / "asset.test.simp.0", "A dog barks .", "Nothing.")
    write(tmp_path / "asset" / "asset.test.simp.1", "It barks .", "Nothing.")
    write(tmp_path / "turk" / "tune.8turkers.tok.norm", "a cat -lrb- old -rrb-", "one")
    write(tmp_path / "turk" / "tune.8turkers.tok.turk.3", "an old cat", "")
    write(tmp_path / "turk" / "tune.8turkers.tok.simp", "a cat", "1")
    write(tmp_path / "large" / "valid.src", "Fish &amp; chips-lrb-s")
    write(tmp_path / "large" / "valid.dst", "Fish and chips")
    write(tmp_path / "mine.tsv", "Long one\tShort\textra")
    assert groups("simplification", tmp_path) == {
        "A dog , which barks .": [
            ("A dog , which barks .", "A dog barks ."),
            ("A dog , which barks .", "It barks ."),
        ],
        "a cat ( old )": [("a cat ( old )", "a cat"), ("a cat ( old )", "an old cat")],
        "one": [("one", "1")],
        "Fish & chips-lrb-s": [("Fish & chips-lrb-s", "Fish and chips")],
        "Long one": [("Long one", "Short")],
    }


def test_layouts_of_translations_and_captions(tmp_path: Path) -> None:
    write(tmp_path / "mt" / "wmt08.cs", "pes")
    write(tmp_path / "mt" / "wmt08.en", "a dog")
    write(tmp_path / "mt" / "wmt08.google.en", "the dog")
    write(tmp_path / "mt" / "wmt08.base-memory.en", "dog")
    write(tmp_path / "mt" / "wmt20.google.en", "no reference")
    found = groups("translations", tmp_path / "mt")
    assert {ref: sorted(pairs) for ref, pairs in found.items()} == {
        "a dog": [("a dog", "dog"), ("a dog", "the dog")]
    }
    for number, caption in enumerate(("a dog", "an animal", "a pet")):
        write(tmp_path / "captions" / f"val.{number}.en", caption)
    pairs = [("a dog", "an animal"), ("a dog", "a pet"), ("an animal", "a pet")]
    assert groups("captions", tmp_path / "captions") == {"val:1": pairs}
    with pytest.raises(InputError, match=r"references NAME\.en"):
        groups("translations", tmp_path / "captions")


def test_layouts_of_ppdb(tmp_path: Path) -> None:
    write(tmp_path / "phrases", "[NP] ||| the end ||| the close ||| p=1 ||| 0-0", "at once ||| immediately")
    assert groups("ppdb", tmp_path / "phrases") == {
        "the end": [("the end", "the close")],
        "at once": [("at once", "immediately")],
    }
    write(tmp_path / "words", "fawn crawl creep", "alone", "big\tlarge")
    assert groups("ppdb_lexical", tmp_path / "words") == {
        "fawn": [("fawn", "crawl"), ("fawn", "creep")],
        "big": [("big", "large")],
    }


def test_ppdb_is_read_as_train_reads_it(tmp_path: Path) -> None:
    lines = (
        "[NP] ||| the [NP,1] of ||| [NP,1] 's ||| p=1 ||| 0-0",
        "[NP] ||| big -lrb- dog ||| x-lrb-y ||| p=1 ||| 0-0",
        "a line without phrases",
    )
    write(tmp_path / "ppdb" / "p.txt", *lines)
    write(tmp_path / "words" / "w.txt", "360\u00a000 three", "alone")
    for role, format, folder, expected in (
        ("ppdb", "ppdb", "ppdb/p.txt", [("big ( dog", "x-lrb-y")]),
        ("ppdb_lexical", "lexical", "words/w.txt", [("360\u00a000", "three")]),
    ):
        trained = PairFiles(PairFileOptions(path=str(tmp_path / folder), format=format))
        pairs = [pair for sides in trained for pair in zip(*sides, strict=True)]
        assert (
            pairs == [pair for each in groups(role, tmp_path / folder).values() for pair in each] == expected
        )


def test_texts_are_those_of_the_pairs_of_train_and_ingest(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "n.en", "cafe\u0301\x0bau", "x-lrb-y &amp; z")
    write(tmp_path / "n.first.en", "b", "c -rrb-")
    write(tmp_path / "mine.tsv", "x-lrb-y &amp;\tcafe\u0301\x0bau", "one column", "a\tb")
    pairs = [
        ("café au", "b"),
        ("x-lrb-y & z", "c -rrb-"),
        ("x-lrb-y &amp;", "café au"),
        ("a", "b"),
    ]
    with caplog.at_level("INFO"):
        assert groups("translations", tmp_path) == {pair[0]: [pair] for pair in pairs}
    assert "left out 1 records: expected 2 columns between tabs" in caplog.text
    found = read_paraphrasing(str(tmp_path))
    assert (found.sentences, found.references) == (("café au", "x-lrb-y & z"), (("b",), ("c -rrb-",)))


def test_captions_are_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    for number in (2, 10, 1):
        write(tmp_path / f"v.{number}.en", f"c{number}")
    assert groups("captions", tmp_path) == {"v:1": [("c1", "c2"), ("c1", "c10"), ("c2", "c10")]}
    found = read_paraphrasing(str(tmp_path))
    assert (found.sentences, found.references) == (("c1",), (("c2", "c10"),))


def test_papers_have_no_reader_of_their_own() -> None:
    """Whoever reads pairs takes the readers of `transforms` and `models`; parses have no other user."""
    folder = Path(paper_data.__file__).parent
    for module in folder.glob("*.py"):
        names = {
            alias.name
            for node in ast.walk(ast.parse(module.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
        }
        own = {"file_lines", "numbered_lines", "utf8_lines", "LineReader", "open_stream", "html", "csv"}
        assert not names & own, module.name


def test_files_with_different_numbers_of_lines_are_an_error(tmp_path: Path) -> None:
    write(tmp_path / "a.src", "one", "two")
    write(tmp_path / "a.dst", "one")
    with pytest.raises(InputError, match=r"as many lines as each other, got a\.src 2, a\.dst 1"):
        groups("simplification", tmp_path)


def test_a_file_names_the_data(tmp_path: Path) -> None:
    write(tmp_path / "data.yaml", "sts: [a, s3://bucket/b]", "captions: /c", "vectors: v.txt")
    files = DataFiles.read(tmp_path)
    assert files == DataFiles.read(tmp_path / "data.yaml")
    assert files.tests == [str(tmp_path / "a"), "s3://bucket/b"]
    assert (files.roles, files.vectors) == ({"captions": ["/c"]}, str(tmp_path / "v.txt"))
    for content, message in (
        ("caption: a", "no role caption; there are: simplification"),
        ("captions: a", "add the role `sts`"),
        ("sts: 3", "expected a path"),
    ):
        write(tmp_path / "data.yaml", content)
        with pytest.raises(RecipeError, match=message):
            DataFiles.read(tmp_path)


# --- samples


def test_groups_that_share_a_sentence_with_the_evaluation_are_left_out(tmp_path: Path) -> None:
    test = tmp_path / "sts" / "STS2014-gold"
    write(test / "STS.input.images.txt", "Two dogs run fast.\tA cat sleeps here.", "A man.\tA woman.")
    write(test / "STS.gs.images.txt", "1", "2")
    write(tmp_path / "captions" / "a.1.en", "Dogs.", "A boat sails off.", "A man.")
    write(tmp_path / "captions" / "a.2.en", "two dogs run fast", "It sails.", "He runs home.")
    write(tmp_path / "captions" / "a.3.en", "Some dogs.", "The sea.", "He is outside.")
    role = Samples(DataFiles.read(tmp_path)).role("captions")
    assert (role.left_out, role.groups, len(role.pairs)) == (1, 3, 6)
    assert all("dogs" not in text.lower() for pair in role.pairs for text in pair)
    assert ("A man.", "He runs home.") in role.pairs  # two words are no sentence


def test_every_group_has_a_pair_before_one_has_two(data: Path) -> None:
    samples, source = Samples(DataFiles.read(data)), RoleSample(role="simplification")
    role, order = samples.role("simplification"), samples.draw(source, 1)
    assert sorted(order) == list(range(80))
    assert set(role.group[order[:40]]) == set(role.group[order[40:]]) == set(range(40))
    assert not np.array_equal(order, samples.draw(source, 2))
    assert samples.sample(source, 50, 1).references == Samples(samples.data).sample(source, 50, 1).references
    with pytest.raises(InputError, match="80 pairs .* fewer than 81"):
        samples.sample(source, 81, 1)


def test_samples_by_length_and_by_tokens(tmp_path: Path) -> None:
    write_sts(tmp_path / "sts" / "STS2014-gold")
    write(tmp_path / "translations" / "a.tsv", *(f"r{n}\t{'x ' * n}" for n in range(1, 9)))
    write(tmp_path / "ppdb" / "p.txt", *(f"a{n} b ||| c" for n in range(30)))
    samples = Samples(DataFiles.read(tmp_path))
    kept = samples.sample(
        RoleSample(role="translations", where="translation_length between 3 and 5"), 3, 1
    ).translations
    assert sorted(map(len, kept)) == [5, 7, 9]
    # 8 references of a token and translations of 1 + … + 8: 44 tokens, which are 14.7 pairs of 3
    assert len(samples.sample(RoleSample(role="ppdb", tokens_of="translations"), 8, 1).references) == 15


def test_a_set_that_is_there_twice_is_an_error(data: Path) -> None:
    folder = str(data / "sts")
    assert [test.name for test in evaluation_sets([folder])] == ["images", "plagiarism"]
    with pytest.raises(InputError, match="images 2014 twice"):
        evaluation_sets([folder, folder])


def test_data_is_chosen_by_scores() -> None:
    pairs = [("a b c d", "a b c d"), ("a b c d", "a b e f"), ("a b c d", "e f g h i")]
    scores = PairScores(pairs, np.arange(3), None)
    assert scores.fits("unigram_overlap between 0.3 and 0.6").tolist() == [False, True, False]
    assert scores.fits("translation_length > 4 or trigram_overlap = 1").tolist() == [True, False, True]
    assert scores.fits("unigram_overlap_decile = 1").tolist() == [False, False, True]
    with pytest.raises(RecipeError, match="no_such"):
        scores.fits("no_such = 1")


def test_pairs_that_a_scores_model_was_trained_on_have_no_score() -> None:
    random = Random(1)
    pairs = [(sentence(random), sentence(random)) for _ in range(60)]
    group = np.repeat(np.arange(30), 2)
    scores = PairScores(pairs, group, None)
    for score in ("perplexity", "reference_probability", "paraphrase_similarity"):
        scored = scores.fits(f"{score} is not null")
        assert scored.sum() == 40 and (scored[::2] == scored[1::2]).all()
        assert np.array_equal(scored, scores.fits("perplexity is not null"))


def test_a_table_has_a_row_for_each_corpus_of_the_data(tmp_path: Path) -> None:
    write_sts(tmp_path / "sts" / "STS2014-gold")
    write(tmp_path / "data.yaml", "sts: sts", "translations: {News: [a, b], Films: c}")
    files = DataFiles.read(tmp_path)
    assert files.roles["translations"] == [str(tmp_path / name) for name in "abc"]
    table = TABLES["p-table-3"].for_corpora(files.corpora)
    names = ["Common-crawl", "Czeng1.6", "Europarl", "News", "Films"]
    assert [system.name for system in table.systems if system.group == "LSTM Avg."] == names
    assert {system.name: system.source.corpus for system in table.systems} == dict(
        zip(names, names, strict=True)
    )
    assert all(system.source.corpus != EACH for system in TABLES["p-table-3"].for_corpora({}).systems)
    classifiers = TABLES["e-table-8"].for_corpora(files.corpora)
    assert [system.key for system in classifiers.systems[-4:]] == [
        ("News", "LSTM"),
        ("News", "AVG"),
        ("Films", "LSTM"),
        ("Films", "AVG"),
    ]
    assert classifiers.claims[-1] == Greater(
        claim="Films: the LSTM is better than AVG", left=("Films", "LSTM"), right=("Films", "AVG")
    )


# --- claims


def outcome(mean: float, *resampled: float) -> Outcome:
    samples = np.array(resampled or (mean,))
    return Outcome(mean, {"images 2014": mean}, samples, 10, of_sets={"images 2014": samples})


def table(*claims: Greater | Close) -> PaperTable:
    systems = [
        System(name=name, paper=figure, source=RoleSample(role="captions"), options=TrainOptions())
        for name, figure in (("a", 60.0), ("b", 58.5))
    ]
    return PaperTable(
        name="t", paper="paper", number=1, title="a title", systems=tuple(systems), claims=claims
    )


A, B = ("", "a"), ("", "b")
GREATER, CLOSE = Greater(claim="a > b", left=A, right=B), Close(claim="a = b", left=A, right=B)


@pytest.mark.parametrize(
    ("claim", "gaps", "items", "verdict"),
    [
        (GREATER, (2.0, 2.1, 1.9), (1.0, 2.0, 3.0), "holds"),
        (GREATER, (2.0, 2.1, 1.9), (-1.0, 2.0, 5.0), "within noise"),  # the items disagree
        (GREATER, (6.0, 0.1, -0.1), (1.0, 2.0, 3.0), "within noise"),  # the seeds disagree
        (GREATER, (-2.0, -2.1, -1.9), (-3.0, -2.0, -1.0), "does not hold"),
        (replace(GREATER, by=1.5), (2.0, 2.1, 1.9), (1.0, 2.0, 3.0), "within noise"),
        (replace(GREATER, by=0.5), (2.0, 2.1, 1.9), (1.0, 2.0, 3.0), "holds"),
        (GREATER, (2.0,), (1.0, 2.0, 3.0), "within noise"),  # one seed says nothing about seeds
        (CLOSE, (0.1, 0.2, 0.0), (-0.4, 0.1, 0.6), "holds"),
        (CLOSE, (0.1, 0.2, 0.0), (-1.4, 0.1, 1.6), "within noise"),
        (CLOSE, (3.0, 3.1, 2.9), (2.0, 3.0, 4.0), "does not hold"),
        (CLOSE, (-3.0, -3.1, -2.9), (-4.0, -3.0, -2.0), "does not hold"),
        (replace(CLOSE, within=5.0), (3.0, 3.1, 2.9), (2.0, 3.0, 4.0), "holds"),
    ],
)
def test_a_claim_holds_only_beyond_both_intervals(
    claim: Greater | Close, gaps: tuple[float, ...], items: tuple[float, ...], verdict: str
) -> None:
    left = {seed: outcome(50 + gap, *(50 + item for item in items)) for seed, gap in enumerate(gaps)}
    right = {seed: outcome(50.0, *(50.0 for _ in items)) for seed in [*left, 99]}  # seed 99 has no partner
    result = Reproduction(table(claim), {A: left, B: right}, {}, ())
    row = result.claims.rows[0].values
    assert result.verdict(claim) == row["verdict"] == verdict
    assert row["ours"] == pytest.approx(np.mean(gaps))
    assert row["paper"] == 1.5


def test_rows_have_the_paper_beside_our_mean_and_both_intervals() -> None:
    # Student's t of 2 degrees of freedom at 95 %: 4.302653; the deviation of 60, 62, 64 is 2.
    seeds = {n: outcome(value, value - 1, value, value + 1) for n, value in enumerate((60.0, 62.0, 64.0))}
    result = Reproduction(table(GREATER), {A: seeds, B: {}}, {B: "no data"}, ())
    first, second = result.systems.rows
    assert (first.values["paper"], first.values["ours"], first.values["seeds"]) == (60.0, 62.0, 3)
    assert first.values["over_seeds"] == pytest.approx(4.302653 * 2 / 3**0.5, abs=1e-4)
    assert (first.values["low"], first.values["high"]) == pytest.approx((61.05, 62.95))
    assert second.note == "not run: no data" and second.values["ours"] is None
    assert result.verdict(GREATER) == "not run"


def test_single_sets_and_years_have_the_papers_figures() -> None:
    seeds = {
        n: replace(outcome(0.0), sets={"a 2012": value, "b 2012": value + 4, "c": None})
        for n, value in enumerate((60.0, 62.0))
    }
    named = System(
        name="s",
        sets={"a 2012": 50.0, "2012": 55.0, "c": 1.0, "d": 2.0},
        source=RoleSample(role="captions"),
        options=TrainOptions(),
    )
    result = Reproduction(replace(table(), systems=(named,)), {("", "s"): seeds}, {}, ())
    rows = {row.values["set"]: row.values for row in result.sets.rows}
    assert [(row["paper"], row["ours"]) for row in rows.values()] == [
        (50.0, 61.0),
        (55.0, 63.0),
        (1.0, None),
        (2.0, None),
    ]


def test_a_set_without_a_correlation_leaves_no_mean(tmp_path: Path) -> None:
    """A mean of the other sets would look better or worse than the paper's, and zeros are no measurement."""
    random = np.random.default_rng(1)
    gold = random.random(30)
    sets = {"flat": (np.full(30, 0.5), gold), "good": (gold + 0.1 * random.random(30), gold)}
    flat, good = outcome_of(sets, 10), outcome_of({"good": sets["good"]}, 10)
    flat, good = replace(flat, of_sets={}), replace(good, of_sets={})
    assert (flat.mean, flat.sets["flat"]) == (None, None) and flat.sets["good"] == good.mean
    assert np.isnan(flat.resampled).all() and not np.isnan(good.resampled).any()
    workspace = Workspace(str(tmp_path))
    write_part(workspace, "trainings", "avg", "k", flat.to_table())
    again = Outcome.read(workspace, part_file("trainings", "avg", "k"))
    assert (again.mean, again.sets, again.pairs) == (None, flat.sets, 10)
    assert np.isnan(again.resampled).all()
    result = Reproduction(table(GREATER), {A: {1: good, 2: again}, B: {1: good, 2: good}}, {}, ())
    first, second = result.systems.rows
    assert [first.values[name] for name in ("ours", "low", "high", "over_seeds")] == [None] * 4
    assert first.note == "no mean: no correlation for flat" and second.values["ours"] == good.mean
    claim = result.claims.rows[0].values
    assert (claim["verdict"], claim["ours"], claim["low"]) == ("no mean", None, None)


def test_means_are_over_the_table_s_list_of_sets() -> None:
    """Three sets, of which the papers' 22 and 25 have two each; ParaNMT's mean has STS 2016."""
    values = {"MSRpar 2012": 30.0, "SICK": 50.0, "plagiarism 2016": 80.0, "track5.en-en 2017": 7.0}
    of_sets = {name: np.array([value, value + 1]) for name, value in values.items()}
    found = with_lists(Outcome(1.0, dict(values), np.zeros(2), 10, of_sets=of_sets))
    means = {"STS 2012–2015, SICK, Twitter": 40.0, "STS 2012–2016": 55.0}
    for name, mean in means.items():
        assert found.figure(name).mean == mean and found.figure(name).resampled.tolist() == [mean, mean + 1]
    assert (found.of("2016"), found.of("2017"), found.of("2012")) == (80.0, 7.0, 30.0)
    flat = with_lists(replace(found, sets=values | {"SICK": None}, of_sets=of_sets))
    first, second = (flat.figure(name) for name in means)
    assert (first.mean, second.mean) == (None, 55.0)
    assert first.without_correlation("STS 2012–2015, SICK, Twitter") == ["SICK"]
    assert second.without_correlation("STS 2012–2016") == []


# --- runs


def test_the_key_of_a_training_changes_with_what_changes_its_result() -> None:
    pairs = PairList(["a"], ["b"])
    first = PaperTraining(options(AveragingOptions(), epochs=2), ("sts",), "1")
    keys = {
        training.task(samples).key
        for training, samples in (
            (first, [pairs]),
            (first, [PairList(["a"], ["c"])]),
            (first, [pairs, pairs]),
            (replace(first, options=replace(first.options, seed=3)), [pairs]),
            (replace(first, options=options(AveragingOptions(dropout=0.1), epochs=2)), [pairs]),
            (replace(first, options=options(CseOptions(), epochs=2)), [pairs]),
            (replace(first, tests_key="2"), [pairs]),
            (replace(first, vectors_hash="2"), [pairs]),
            (replace(first, other=Supervision(setting="random", sets="STS")), [pairs]),
            (replace(first, dev_key="3"), [pairs]),
            (replace(first, dev_key="3", stops=True), [pairs]),
        )
    }
    assert len(keys) == 11
    elsewhere = replace(first, options=replace(first.options, vectors="/v"), tests=("/moved",))
    assert elsewhere.task([pairs]) == first.task([pairs])


def test_a_killed_run_continues(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ["p-table-5", "--data", data, "--output", tmp_path, *SMALL, "--only", "Word"]
    command = [sys.executable, "-m", "paranmt", "reproduce", *map(str, arguments)]
    done = tmp_path / "trainings"
    process = subprocess.Popen(command, env={**os.environ, "OMP_NUM_THREADS": "1"})
    while process.poll() is None and not any(done.glob("*.parquet")):
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.wait()
    finished = {file.name: file.read_bytes() for file in done.glob("*.parquet")}
    assert finished
    trained = []
    trial = RunPaperTraining.trial

    def counted(work: RunPaperTraining, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        trained.append(part_file("", task.part, task.key)[1:])
        return trial(work, workspace, task)

    monkeypatch.setattr(RunPaperTraining, "trial", counted)
    arguments += ["--workers", 1]
    result = paranmt("reproduce", *arguments, "--markdown")
    text = result.stdout
    assert f"trainings: started, 6 parts ({len(finished)} already finished)" in result.stderr
    assert not finished.keys() & set(trained)
    assert len(finished) + len(trained) == 6
    assert all((done / name).read_bytes() == content for name, content in finished.items())
    assert not any((tmp_path / "_temporary").iterdir())
    written = json.loads((tmp_path / "p-table-5.json").read_text())
    assert [(entry["system"], entry["seed"]) for entry in written["trainings"]] == [
        (f"mega-batch {size}", seed) for size in (1, 20, 40) for seed in (1, 2)
    ]
    assert (tmp_path / "p-table-5.md").read_text().startswith(text.rstrip())
    page = (tmp_path / "p-table-5.html").read_text()
    assert '<th scope="row">mega-batch 20</th>' in page and "Word Avg.: 20 is better than 1" in page
    assert (
        "| BiLSTM Avg. | mega-batch 1 | 82.4 |  |  |  |  |  | 0 |  | not run: no seed is finished |" in text
    )
    assert "not there: MSRpar 2012" in text
    trained.clear()
    assert ok("reproduce", *arguments, "--show", "--markdown") == text
    assert not trained
    damaged = next(done.glob("*.parquet"))
    whole = damaged.read_bytes()
    damaged.write_bytes(whole[:100] + b"!" + whole[101:])
    assert "| Word Avg. | mega-batch" in ok("reproduce", *arguments, "--show", "--markdown")
    assert not trained
    result = paranmt("reproduce", *arguments, "--markdown")
    assert result.stdout == text and trained == [damaged.name]
    assert f"{damaged} is damaged and will be made again" in result.stderr


def test_what_the_data_lacks_is_not_run(data: Path, tmp_path: Path) -> None:
    text = ok("reproduce", "c-table-4", "--data", data, "--output", tmp_path, *SMALL, "--markdown")
    assert text.count("not run: the data has no `ppdb`, phrase pairs of PPDB, in its own format") == 2
    assert "| sentence | 71.0 |" in text
    text = ok("reproduce", "e-table-5", "--data", data, "--output", tmp_path, *SMALL, "--show")
    assert text.count("not run: `translations` has no such pairs") == 2 * 2
    text = ok("reproduce", "a-table-8", "--data", data, "--output", tmp_path, "--show")
    assert text.count("not run: `sts` has no SICK with its three parts") == 6


def test_data_is_chosen_on_development_sets(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Seed by seed, and never by the result on the test sets, unless a row is an oracle's."""
    write_sts(tmp_path / "dev" / "STS2012-train", pairs=60)
    choices = tuple(
        RoleSample(role="captions", where=f"translation_length {x}") for x in ("> 0", "<= 9", "> 90")
    )
    source = RoleSample(role="captions")
    system = System(name="chosen", source=source, choices=choices, options=TrainOptions())
    files = replace(DataFiles.read(data), tests=(str(data / "sts"), str(tmp_path / "dev")))
    seen = []

    def trial(work: RunPaperTraining, workspace: Workspace, task: Task) -> tuple[pa.Table, dict[str, int]]:
        training = work.trainings[task.key]
        assert (training.dev, training.dev_sets) == ((str(tmp_path / "dev"),), "standard")
        seen.append(task.key)
        result = with_lists(replace(outcome(float(-len(seen))), dev=float(len(seen))))
        return result.to_table(), {"pairs": 1}

    monkeypatch.setattr(RunPaperTraining, "trial", trial)
    chosen = replace(table(), systems=(system,))
    run = Run(pairs=40, seeds=2, dimension=8, dev_sets="standard")
    result = reproduce(chosen, files, tmp_path / "out", run, LocalRunner(workers=1), Mock())
    assert len(seen) == 4  # no caption has more than 90 tokens
    last = {seed: outcome.mean for seed, outcome in result.outcomes["", "chosen"].items()}
    assert last == {1: -2.0, 2: -4.0}
    assert result.systems.rows[0].note == "chosen: translation_length <= 9 (2)"
    varied = replace(system, choices=(), grid=grid(TrainOptions(), margin=(0.1, 0.2), dropout=(0.0, 0.5)))
    chosen = replace(table(), systems=(varied,))
    result = reproduce(
        chosen, files, tmp_path / "out", replace(run, grid=True), LocalRunner(workers=1), Mock()
    )
    assert len(seen) == 4 + 2 * 4
    assert result.systems.rows[0].note == "chosen: margin 0.2, dropout 0.5 (2)"
    assert result.setting[-1] == (
        "chosen seed by seed on the train part of STS 2012 and SICK's trial part: the options"
    )
    oracle = replace(chosen, systems=(varied, replace(varied, name="oracle", is_oracle=True)))
    result = reproduce(
        oracle, files, tmp_path / "out", replace(run, grid=True), LocalRunner(workers=1), Mock()
    )
    assert len(seen) == 4 + 2 * 4, "the same trainings"
    assert result.systems.rows[1].note == "chosen: margin 0.1, dropout 0.0 (2)"
    run = replace(run, show=True)
    result = reproduce(oracle, files, tmp_path / "out", run, LocalRunner(workers=1), Mock())
    assert [row.values["system"] for row in result.systems.rows] == ["chosen"]
    files = replace(files, tests=(str(data / "sts" / "STS2014-gold"), str(tmp_path / "dev")))
    run = replace(run, grid=True, dev_sets=None)
    result = reproduce(oracle, files, tmp_path / "out", run, LocalRunner(workers=1), Mock())
    assert result.systems.rows[0].note == (
        "not run: `sts` has no development sets (STS 2016; `--dev-sets standard` takes others)"
    )


def test_results_say_where_they_come_from(data: Path, tmp_path: Path) -> None:
    arguments = ("--data", data, "--output", tmp_path, *SMALL, "--workers", 1)
    text = ok("reproduce", "p-table-5", *arguments, "--only", "Word Avg., mega-batch 1", "--markdown")
    origin = json.loads((tmp_path / "p-table-5.json").read_text("utf-8"))["origin"]
    assert origin["command"] == (
        "paranmt reproduce p-table-5 --data data.yaml --output reproduction --pairs 60 --seeds 2 "
        "--dimension 8 --only 'Word Avg., mega-batch 1'"
    )
    last = max(file.stat().st_mtime for file in (tmp_path / "trainings").glob("*.parquet"))
    trained = datetime.fromtimestamp(last, UTC).date().isoformat()
    assert (origin["seeds"], origin["date"], origin["version"]) == (2, trained, __version__)
    assert origin["commit"] == source_commit()
    assert re.fullmatch(r"[0-9a-f]{12}(-dirty)?", source_commit() or "0" * 12)
    sizes = {entry["role"]: (entry["names"], entry["size"]) for entry in origin["data"]}
    assert sizes == {
        "translations": (["translations"], "80 pairs"),  # two systems' translations of 40 references
        "sts": (["sts"], "2 sets, 120 pairs"),
    }
    paths = [str(data / "translations")]
    assert origin["data"][0]["hash"] == hash_paths(paths, HashCache())
    assert f"`{origin['command']}` on {trained}, with paranmt" in text
    assert "bilstm" not in text.partition("- epochs: ")[2].partition("\n")[0], "what was not trained"
    written = "".join(
        (tmp_path / f"p-table-5.{ending}").read_text("utf-8") for ending in ("json", "md", "html")
    )
    assert str(data) not in written and str(tmp_path) not in written


@pytest.mark.parametrize("ending", ["json", "md", "html"])
def test_files_of_others_stay(data: Path, tmp_path: Path, ending: str) -> None:
    file = tmp_path / f"a-table-8.{ending}"
    file.write_text("mine")
    arguments = ["reproduce", "a-table-8", "--data", data, "--output", tmp_path, "--show"]
    result = paranmt(*arguments)
    assert result.exit_code == 2 and f"{file} is not, or no longer, as paranmt wrote it" in result.stderr
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine"]
    file.unlink()
    ok(*arguments)
    written = file.read_bytes()
    ok(*arguments)
    assert file.read_bytes() == written
    file.write_bytes(written.replace(b"table", b"TABLE", 1))
    assert paranmt(*arguments).exit_code == 2 and b"TABLE" in file.read_bytes()


def test_one_corpus_after_another(data: Path, tmp_path: Path) -> None:
    """The second training starts where the first ended: with no step to take, its result is the first's."""
    samples = Samples(DataFiles.read(data))
    words, sentences = (samples.sample(RoleSample(role=role), 60, 1) for role in ("ppdb_lexical", "captions"))
    common = replace(
        options(AveragingOptions(dimension=8), epochs=1), margin=0.0, negatives="rand", learning_rate=1e-12
    )
    tests = (str(data / "sts"),)
    training = PaperTraining(common, tests, key_of_tests(evaluation_sets(tests)))
    alone, after = run_training(training, [sentences]), run_training(training, [sentences, words])
    assert after.sets == pytest.approx(alone.sets, abs=1e-4)
    assert (alone.pairs, after.pairs) == (60, 120)


def test_the_epoch_is_chosen_on_development_sets(data: Path) -> None:
    """Of steps that are far too long the last is not the best (Wieting et al. 2017, section 5.3)."""
    pairs = Samples(DataFiles.read(data)).sample(RoleSample(role="captions"), 60, 1)
    tests = (str(data / "sts"),)
    dev = tuple(development_folders(tests, "sts2016"))
    common = replace(options(AveragingOptions(dimension=8), epochs=6), learning_rate=1.0, batch=10)
    last = PaperTraining(
        common,
        tests,
        key_of_tests(evaluation_sets(tests)),
        dev=dev,
        dev_key=key_of_tests(read_development(dev, "sts2016")),
        dev_sets="sts2016",
    )
    outcomes = [run_training(training, [pairs]) for training in (last, replace(last, stops=True))]
    worth = [outcome.dev or 0.0 for outcome in outcomes]
    assert worth[1] > worth[0]
    assert worth == pytest.approx([outcome.sets["plagiarism 2016"] for outcome in outcomes])


def test_supervised_training(data: Path) -> None:
    pairs = Samples(DataFiles.read(data)).sample(RoleSample(role="captions"), 60, 1)
    common = options(AveragingOptions(dimension=8), epochs=3)
    tests = (str(data / "sts"),)
    fixed = Supervision(setting="universal", sets="STS", lambda_words=1e6, epochs=9)
    (task,) = supervised_tasks(tests, "STS")
    universal, free, random = (
        PaperTraining(common, tests, key_of_tests([task]), other=supervision)
        for supervision in (
            fixed,
            replace(fixed, lambda_words=0.0),
            Supervision(setting="random", sets="STS", epochs=9),
        )
    )
    outcomes = [run_training(training, [pairs]) for training in (universal, free, random)]
    assert [outcome.pairs for outcome in outcomes] == [60, 60, 0]
    assert len({outcome.mean for outcome in outcomes}) == 3
    name = f"{task.name} {task.year}"
    assert {name, f"{name}, ρ", f"{name}, MSE × 100"} == outcomes[0].sets.keys()
    assert 0 < outcomes[0].sets[f"{name}, MSE × 100"] < 2500  # scores from 0 to 5
    of_heads = [
        run_training(replace(universal, other=replace(fixed, batch=batch, lambda_head=weight)), [pairs])
        for batch, weight in ((25, 5e-6), (7, 0.0))
    ]
    tuned = replace(universal, other=replace(fixed, heads=((25, 5e-6), (7, 0.0))))
    best = max(of_heads, key=lambda outcome: outcome.dev or 0.0)
    assert run_training(tuned, [pairs]).mean == pytest.approx(best.mean)
    assert outcomes[0].mean == pytest.approx(run_training(universal, [pairs]).mean)
    tuned = replace(universal, other=replace(fixed, grid=((0.0, 0.0),)))
    assert run_training(tuned, [pairs]).mean == pytest.approx(outcomes[1].mean)


def test_the_accuracy_of_a_classifier() -> None:
    """References have cats and translations dogs, but for one pair of the test."""
    cats, dogs = ([f"a {animal} {n // 10} {n % 10}" for n in range(70)] for animal in ("cat", "dog"))
    pairs = PairList([*cats[:-1], dogs[-1]], [*dogs[:-1], cats[-1]])
    task = Classification(negatives=("random",), lambda_words=(1e-6,))
    training = PaperTraining(options(AveragingOptions(dimension=8), epochs=200), (), "", other=task)
    outcome = run_training(training, [pairs])
    assert outcome.pairs == 56  # of 70 references seven are tested, the last ones, and seven choose
    assert [outcome.sets[name] for name in ("references", "translations")] == pytest.approx([600 / 7] * 2)
    assert outcome.figure("length").mean is None  # all have four words
    assert outcome.mean == pytest.approx(600 / 7) and outcome.resampled.mean() == pytest.approx(
        600 / 7, abs=1
    )


@pytest.mark.parametrize(("several", "count"), [(False, 5), (True, 10)])
def test_a_classifier_is_chosen_on_a_validation_part(
    several: bool, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40,000, 5,000 and 5,000 pairs are eight tenths and twice one (Wieting et al. 2017, section 5.6.1).

    Without a reference of several translations the hardest of them is the only one, and is not tried.
    """
    references = [f"a cat {n}" for n in range(50)]
    pairs = PairList([*references, *references[:several]], [f"a dog {n}" for n in range(50 + several)])
    seen: list[Any] = []

    def choose(*given: Any) -> Any:
        seen.append(given)
        return choose_classifier(*given)

    monkeypatch.setattr("paranmt.models.training.classifier.choose_classifier", choose)
    found = classify(pairs, AveragingOptions(dimension=2), 1, 3, Classification(), None)
    ((train, validation, test, trials, _),) = seen
    assert [len(part) for part in (train, validation, test)] == [40, 5, 5]
    assert (found.trained_on, found.references) == (40, references[45:])
    kinds = ("random", "hardest") if several else ("random",)
    weights = (1e-5, 1e-6, 1e-7, 1e-8, 0.0)
    assert [(each.negatives, each.lambda_words) for each in trials] == [
        (kind, weight) for kind in kinds for weight in weights
    ]
    assert len(trials) == count and {(each.epochs, each.seed) for each in trials} == {(1, 3)}


def test_other_processes_give_the_same_result(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["reproduce", "p-table-5", "--data", data, *SMALL, "--seeds", 1, "--only", "Word Avg."]
    ok(*arguments, "--output", tmp_path / "one", "--workers", 1)
    monkeypatch.setattr("paranmt.launch.runners.local.WORTH_SECONDS", 0.0)
    ok(*arguments, "--output", tmp_path / "two", "--workers", 2)
    # Not the files' bytes: they also say with how many threads they were made.
    one, two = (
        {
            file.name: pq.read_table(file).to_pylist()
            for file in (tmp_path / name / "trainings").glob("*.parquet")
        }
        for name in ("one", "two")
    )
    assert one == two and len(one) == 3


def test_an_evaluation_that_changed_since_the_run_began_is_an_error(data: Path, tmp_path: Path) -> None:
    pairs = Samples(DataFiles.read(data)).sample(RoleSample(role="captions"), 60, 1)
    workspace = Workspace(str(tmp_path))
    write_sample(workspace, pairs)
    common = options(AveragingOptions(dimension=8), epochs=1)
    training = PaperTraining(common, (str(data / "sts"),), "another")
    task = training.task([pairs])
    with pytest.raises(InputError, match="sts: changed since the run began; run again"):
        RunPaperTraining("trainings", {task.key: training})(workspace, task)


def test_mistakes_have_errors(data: Path, tmp_path: Path) -> None:
    for arguments, message in (
        (["p-table-6"], "computed by another command: paranmt analyse negatives"),
        (["b-table-1"], "no table 'b-table-1'; there are: a-table-1"),
        (["a-table-2", "--data", data], "give --data and --output"),
        (["a-table-2", "--data", tmp_path / "x", "-o", tmp_path], "there is no"),
        (["a-table-2", "--data", data, "-o", tmp_path, "--seeds", 10**12], "--seeds"),
        (["a-table-2", "--data", data, "-o", tmp_path, "--workers", 10**12], "--workers"),
    ):
        result = paranmt("reproduce", *arguments)
        assert result.exit_code == 2 and message in result.stderr
