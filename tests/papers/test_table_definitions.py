"""What each table trains, chooses and measures, against what the papers define, written out here.

Papers: A is Revisiting recurrent networks, E the paper on back-translated bitext, P is ParaNMT-50M, C is CSE
and I is InferSent; numbers are sections.
"""

from typing import Any

import pytest

from paranmt.models.encoders.encoder_kinds import MixedOptions
from paranmt.models.sts.set_lists import SET_LISTS
from paranmt.models.training.train_options import TrainOptions
from paranmt.papers.paper_table import Classification, Inference, Supervision, System
from paranmt.papers.paper_tables import TABLES

SETS = {  # the tasks of each year (A, table 4; C, table 2)
    2012: "MSRpar MSRvid SMTeuroparl OnWN SMTnews",
    2013: "headlines OnWN FNWN SMT",
    2014: "deft-forum deft-news headlines images OnWN tweet-news",
    2015: "answers-forums answers-students belief headlines images",
    2016: "answer-answer headlines plagiarism postediting question-question",
}

# A 4.1.2 and 4.2, E 5.2, P 6.2 and C, footnote 4: batches of 100, negatives of the mini-batch, δ 0.4, Adam
# with 0.001, no λ. The authors' code cuts sentences to 100 tokens.
COMMON: dict[str, Any] = {
    "batch": 100,
    "margin": 0.4,
    "learning_rate": 1e-3,
    "mega_batch": 1,
    "negatives": "max",
    "objective": "margin",
    "max_tokens": 100,
    "long_pairs": "cut",
    "units": "words",
    "tags": "none",
    "scramble": 0.0,
    "lambda_words": 0.0,
    "lambda_encoder": 0.0,
    "dropout": 0.0,
    "word_dropout": 0.0,
    "dimension": 300,
    "size": None,
    "variant": 1,
    "pooling": "mean",
    "before": "",
    "corpus": "",
    "where": "true",
    "pairs": None,
    "tokens_of": None,
    "choices": 0,
    "stops": False,
}
# A 4.1.2: averages 7 epochs, LSTMs 3. E 5.2: 20 and 3. P 6.2: 5. C 4.1: 10.
A_AVG, A_LSTM, A_LSTM_AVG, A_GRAN = (
    {"type": kind, "epochs": 7 if kind == "avg" else 3} for kind in ("avg", "lstm", "lstm_avg", "gran")
)
# E 5.3 and 5.5: the stopping epoch is tuned too.
E_AVG, E_GRAN = {"type": "avg", "epochs": 20, "stops": True}, {"type": "gran", "epochs": 3, "stops": True}
E_OF = {"AVG": E_AVG, "GRAN": E_GRAN}
SIMPWIKI, NMT, PPDB = {"role": "simplification"}, {"role": "translations"}, {"role": "ppdb"}
# A 4.2, the rates that its code names as the best.
RATES = {
    "none": {},
    "L2": {"lambda_encoder": 1e-5},
    "dropout": {"dropout": 0.4},
    "word dropout": {"word_dropout": 0.2},
    "scrambling": {"scramble": 0.5},
    "dropout, scrambling": {"dropout": 0.4, "scramble": 0.5},
}
BOTH = RATES["dropout, scrambling"]
# P 6.3: both sides have at most 30 tokens.
SHORT = {**NMT, "where": "reference_length <= 30 and translation_length <= 30", "epochs": 5}
P_AVG = {**SHORT, "type": "avg", "mega_batch": 40}
# P 6.2: recurrent networks are scrambled at 0.3, also in mixtures (6.6).
P_LSTM = {**SHORT, "mega_batch": 40, "scramble": 0.3, "type": "lstm_avg"}
P_BILSTM = {**P_LSTM, "type": "bilstm add"}
P_SYSTEMS = {
    "Word Avg.": P_AVG,
    "Trigram Avg.": {**P_AVG, "units": "trigrams"},
    "LSTM Avg.": P_LSTM,
    "LSTM Avg. (600)": {**P_LSTM, "size": 600},
    "LSTM Avg. (900)": {**P_LSTM, "size": 900},
    "BiLSTM Avg. (600)": {**P_BILSTM, "size": 600},
    "BiLSTM Avg. (900)": {**P_BILSTM, "size": 900},
    "Trigram-Word (addition)": {**P_AVG, "type": "add trigrams avg, words avg"},
    "Trigram-Word-LSTM (addition)": {**P_LSTM, "type": "add trigrams avg, words avg, words lstm_avg"},
    "Trigram-Word (concatenation)": {**P_AVG, "type": "concatenate trigrams avg, words avg"},
    "Trigram-Word-LSTM (concatenation)": {
        **P_LSTM,
        "type": "concatenate trigrams avg, words avg, words lstm_avg",
    },
}
# C, footnote 4: δ 0.6, λw 1e-6, λc 0; 4.1: widths 1, 2 and 3 of 100 filters.
CSE = {"type": "cse", "epochs": 10, "margin": 0.6, "lambda_words": 1e-6, "widths": (1, 2, 3), "filters": 100}
# I 3.2 and 3.3; the tags <s> and </s> are around each sentence. All have 4,096 dimensions, the LSTM 2,048.
NLI = {"role": "nli", "corpus": "SNLI", "epochs": 20, "tags": "both"}
BILSTM_MAX = {**NLI, "type": "bilstm concatenate", "size": 2048, "pooling": "max"}


def unnamed(rows: dict[str, dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    return {("", name): row for name, row in rows.items()}


def with_oracles(rows: dict[tuple[str, str], dict[str, Any]]) -> dict[tuple[str, str], dict[str, Any]]:
    """A 4.2: the same with the options that the test sets choose."""
    return rows | {(group, f"{name}, oracle"): row for (group, name), row in rows.items()}


TABLE_2 = {
    **{("AVG", name): {**A_AVG, **SIMPWIKI, **RATES[name]} for name in ("none", "dropout", "word dropout")},
    **{("LSTM", name): {**A_LSTM, **SIMPWIKI, **rate} for name, rate in RATES.items()},
    **{
        ("LSTMAVG", name): {**A_LSTM_AVG, **SIMPWIKI, **RATES[name]}
        for name in ("none", "dropout, scrambling")
    },
    ("BiLSTMAVG", "dropout, scrambling"): {**A_LSTM, **SIMPWIKI, **BOTH, "type": "bilstm add"},
}
TABLE_3 = {
    ("", "GRAN (no reg.)"): {**A_GRAN, **SIMPWIKI},
    ("", "GRAN"): {**A_GRAN, **SIMPWIKI, **BOTH},
    **{("", f"GRAN-{n}"): {**A_GRAN, **SIMPWIKI, **BOTH, "variant": n} for n in (2, 3, 4, 5)},
    ("", "BiGRAN"): {**A_GRAN, **SIMPWIKI, **BOTH, "type": "bigran add"},
}
SUPERVISED = {  # A 4.3
    (f"{sets}, {group}", name): {**options, **SIMPWIKI, **rate}
    for sets in ("STS", "SICK")
    for group, options in (("AVG", A_AVG), ("LSTM", A_LSTM), ("LSTMAVG", A_LSTM_AVG), ("GRAN", A_GRAN))
    for name, rate in RATES.items()
    if name != "L2" and (group != "AVG" or "scrambling" not in name)
}
LENGTHS = ((0, 10), (10, 20), (20, 30), (30, 100))


def chosen(scores: dict[str, int], groups: tuple[str, ...], where: str) -> dict[tuple[str, str], Any]:
    """Random pairs, and for each score as many ranges as the paper has."""
    rows = {}
    for group in groups:
        data, encoder = group.split(", ")
        common = {**E_OF[encoder], **(NMT if data == "NMT" else SIMPWIKI), "where": where}
        rows[group, "random"] = common
        rows |= {
            (group, name): {**common, "where": "true", "choices": count} for name, count in scores.items()
        }
    return rows


E_GROUPS = ("NMT, GRAN", "NMT, AVG", "SimpWiki, GRAN", "SimpWiki, AVG")

DEFINITIONS: dict[str, dict[tuple[str, str], dict[str, Any]]] = {
    "a-table-1": {
        (group, data): {**options, **source}
        for group, options in (("AVG", A_AVG), ("LSTM", A_LSTM), ("LSTMAVG", A_LSTM_AVG))
        for data, source in (("PPDB", {**PPDB, "tokens_of": "simplification"}), ("SimpWiki", SIMPWIKI))
    },
    "a-table-2": with_oracles(TABLE_2),
    "a-table-3": with_oracles(TABLE_3),
    "a-table-4": {
        ("", "LSTMAVG"): TABLE_2["LSTMAVG", "dropout, scrambling"],
        ("", "AVG"): TABLE_2["AVG", "none"],
        ("", "GRAN"): TABLE_3["", "GRAN"],
    },
    "a-table-5": SUPERVISED,
    "a-table-6": {
        (sets, "GRAN" if n == 1 else f"GRAN-{n}"): {**A_GRAN, **SIMPWIKI, **BOTH, "variant": n}
        for sets in ("STS", "SICK")
        for n in (1, 2, 3, 4, 5)
    },
    "a-table-8": {
        (f"{sets}, {group}", name + end): {**options, **SIMPWIKI, **RATES[name]}
        for sets in ("STS", "SICK")
        for group, options, name in (
            ("AVG", A_AVG, "dropout"),
            ("LSTMAVG", A_LSTM_AVG, "dropout, scrambling"),
            ("GRAN", A_GRAN, "dropout, scrambling"),
        )
        for end in ("", ", universal")
    },
    "p-table-3": {
        (group, corpus): {**row, **NMT, "where": "true", "mega_batch": 1, "corpus": corpus}
        for group, row in list(P_SYSTEMS.items())[:3]
        for corpus in ("Common-crawl", "Czeng1.6", "Europarl", "News", "*")
    },
    # P 6.3: an LSTM average, one epoch, each of ten folds.
    "p-table-4": {
        ("", name): {**P_LSTM, "epochs": 1, "where": "paraphrase_similarity is not null", "choices": choices}
        for name, choices in (("random", 0), ("para. sim.", 10), ("trigram ovl.", 10), ("trans. score", 10))
    },
    "p-table-5": {
        (group, f"mega-batch {size}"): {**row, "mega_batch": size}
        for group, row in (("Word Avg.", P_AVG), ("BiLSTM Avg.", P_BILSTM))
        for size in (1, 20, 40)
    },
    "p-table-7": unnamed(P_SYSTEMS),
    "p-table-8": unnamed(
        {
            **P_SYSTEMS,
            "BiLSTM Avg. (4096)": {**P_BILSTM, "type": "bilstm concatenate", "size": 2048},
            "BiLSTM Max (4096)": {**P_BILSTM, "type": "bilstm concatenate", "size": 2048, "pooling": "max"},
        }
    ),
    "p-table-9": unnamed(P_SYSTEMS),
    "p-table-10": unnamed(dict(list(P_SYSTEMS.items())[:3])),
    **{
        table: {
            (group, name): row
            for group in groups
            for name, row in (
                ("InferSent (AllNLI)", {**BILSTM_MAX, "corpus": "AllNLI"}),
                ("InferSent (SNLI)", BILSTM_MAX),
                ("Trigram-Word (concatenation)", P_SYSTEMS["Trigram-Word (concatenation)"]),
            )
        }
        for table, groups in (
            ("p-table-11", ("mean", "MSRvid 2012", "images 2014", "images 2015")),
            (
                "p-table-12",
                [f"{kind} ({part})" for kind in ("Tr.", "Cos.") for part in ("All", "Cap.", "No Cap.")],
            ),
        )
    },
    "e-table-4": {
        (group, name): {**options, "role": role}
        for group, options in E_OF.items()
        for name, role in (
            ("SimpWiki", "simplification"),
            ("PPDB", "ppdb"),
            ("PPDB, words only", "ppdb_lexical"),
            ("NMT", "translations"),
            ("captions", "captions"),
        )
    },
    "e-table-5": {
        (f"{data}, {group}", f"{low}–{high}"): {
            **options,
            **source,
            "where": f"translation_length between {low} and {high}",
        }
        for data, source in (("NMT", NMT), ("SimpWiki", SIMPWIKI))
        for group, options in E_OF.items()
        for low, high in LENGTHS
    },
    "e-table-6": chosen({"length": 14}, E_GROUPS, "true"),
    "e-table-7": chosen(
        {"translation cost": 9, "language model": 7, "reference classification": 10},
        E_GROUPS[:2],
        "perplexity is not null",
    ),
    "e-table-12": chosen(
        {"unigram overlap": 20, "bigram overlap": 20, "trigram overlap": 20, "BLEU": 20}, E_GROUPS, "true"
    ),
    "e-table-13": {
        (group, name): {**E_OF[group], **source, "pairs": None if "24" in name else pairs}
        for group, pairs in (("GRAN", 100_000), ("AVG", 168_000))
        for name, source in (
            ("PPDB", {**PPDB, "tokens_of": "simplification"}),
            ("SimpWiki", SIMPWIKI),
            ("NMT, 24,000", NMT),
            ("NMT", NMT),
        )
    },
    "c-table-1": unnamed({"PP": {**PPDB, "type": "avg", "epochs": 10}, "CSE": {**CSE, **PPDB}}),
    "c-table-2": {
        ("", "GRAN"): TABLE_3["", "GRAN"],
        ("", "CSE"): {**CSE, **SIMPWIKI, "before": "ppdb"},
        ("", "CSE, words of PPDB first"): {**CSE, **SIMPWIKI, "before": "ppdb_lexical"},
        ("", "CSE, sentences alone"): {**CSE, **SIMPWIKI},
    },
    "c-table-3": {
        ("", "CSE, random"): {**CSE, **SIMPWIKI},
        ("", "CSE, universal"): {**CSE, **SIMPWIKI, "before": "ppdb"},
        ("", "CSE, universal, sentences alone"): {**CSE, **SIMPWIKI},
    },
    "c-table-4": {
        ("", "phrase"): {**CSE, **PPDB},
        ("", "sentence"): {**CSE, **SIMPWIKI},
        ("", "cumulative"): {**CSE, **SIMPWIKI, "before": "ppdb"},
    },
    "c-table-5": {
        **{("", f"{n}-gram"): {**CSE, **SIMPWIKI, "widths": (n,), "filters": 300} for n in (1, 2, 3, 4)},
        ("", "combined"): {**CSE, **SIMPWIKI},
    },
    "i-table-3": {
        (figure, name): {**NLI, **row}
        for figure in ("NLI dev", "NLI test", "micro average", "macro average")
        for name, row in (
            ("LSTM", {"type": "lstm", "size": 2048}),
            ("GRU", {"type": "gru", "size": 4096}),
            ("BiGRU-last", {"type": "bigru", "size": 2048}),
            ("BiLSTM-Mean", {**BILSTM_MAX, "pooling": "mean"}),
            ("Inner-attention", {"type": "inner_attention", "size": 512}),
            ("HConvNet", {"type": "convnet", "filters": 1024}),
            ("BiLSTM-Max", BILSTM_MAX),
        )
    },
    "i-table-4": {
        ("", "GloVe BOW"): {**NLI, "type": "avg", "tags": "none"},
        ("", "GloVe Positional Encoding"): {**NLI, "type": "positional", "tags": "none"},
        ("", "BiLSTM-Max (untrained)"): BILSTM_MAX,
        ("", "BiLSTM-Max (on SNLI)"): BILSTM_MAX,
        ("", "BiLSTM-Max (on AllNLI)"): {**BILSTM_MAX, "corpus": "AllNLI"},
    },
}


def settings(system: System) -> dict[str, Any]:
    """What a system is trained on, and how."""
    source, options = system.source, system.options
    encoder = options.encoder
    values = {**vars(options.text), **vars(options), **vars(encoder)}
    found = {name: values.get(name, default) for name, default in COMMON.items()}
    parts = encoder.parts if isinstance(encoder, MixedOptions) else ()
    combine = getattr(encoder, "combine", "")
    kind = combine if parts else f"{encoder.type} {combine}".strip()
    named = ", ".join(f"{part.units} {part.encoder.type}" for part in parts)
    dimensions = {part.encoder.dimension for part in parts} or {values["dimension"]}  # type: ignore[attr-defined]
    found |= {name: values[name] for name in ("widths", "filters") if name in values}
    return found | {
        "type": f"{kind} {named}".strip(),
        "epochs": options.epochs,
        "dimension": max(dimensions),
        "role": source.role,
        "corpus": source.corpus,
        "where": source.where,
        "pairs": source.pairs,
        "tokens_of": source.tokens_of,
        "before": system.before.role if system.before else "",
        "choices": len(system.choices),
        "stops": system.stops,
    }


@pytest.mark.parametrize("name", DEFINITIONS)
def test_systems_are_trained_as_the_paper_says(name: str) -> None:
    found = {system.key: settings(system) for system in TABLES[name].systems}
    assert found.keys() == DEFINITIONS[name].keys()
    for key, row in DEFINITIONS[name].items():
        assert found[key] == COMMON | row, key
    oracles = {system.key for system in TABLES[name].systems if system.is_oracle}
    assert oracles == {key for key in found if key[1].endswith("oracle")}


def test_every_table_that_trains_an_encoder_is_defined_here() -> None:
    """Those of classifiers and statistics, and the figure of dimensions, are below."""
    assert TABLES.keys() - DEFINITIONS.keys() == {"e-table-8", "e-table-9", "e-table-10", "i-figure-5"}


def test_the_lists_of_sets_are_the_papers() -> None:
    keys = {year: {(year, name) for name in names.split()} for year, names in SETS.items()}
    assert [len(names) for names in keys.values()] == [5, 4, 6, 5, 5]
    four = keys[2012] | keys[2013] | keys[2014] | keys[2015]
    sick, twitter, smt = {(None, "SICK")}, {(None, "Twitter")}, {(2013, "SMT")}
    wanted = (four | sick | twitter, four | keys[2016], (four - smt) | sick, four - smt)
    assert [len(sets) for sets in wanted] == [22, 25, 20, 19]
    assert tuple(map(set, SET_LISTS.values())) == wanted


def test_means_and_development_sets_are_the_papers() -> None:
    """A 4.1.1 and E 5.1: 22 sets and STS 2016. P 6.1.1 and 6.6: 25 and STS 2017. C 4.1 and 5.2: 2016."""
    of_c = {1: 20, 2: 20, 4: 19, 5: 19}  # the totals of tables 1 and 5 are means of 20 and 19 sets
    for name, table in TABLES.items():
        paper, number = name[0], int(name.rpartition("-")[2])
        listed = {"p": 25, "c": of_c.get(number, 22)}.get(paper, 22)
        assert len(SET_LISTS[table.set_list]) == listed, name
        assert table.dev_sets == ("sts2017" if paper == "p" else "sts2016"), name


def varied(grid: tuple[TrainOptions, ...]) -> dict[str, set[Any]]:
    """The options that differ in a grid, with their values."""
    flat = [{**vars(each.text), **vars(each), **vars(each.encoder)} for each in grid]
    found = {name: {values[name] for values in flat} for name in flat[0] if name not in ("encoder", "text")}
    return {name: values for name, values in found.items() if len(values) > 1 and name != "embedding_updates"}


MARGINS, TAGS = {0.4, 0.6, 0.8}, {"none", "start", "end", "both"}
A_COMMON = {"margin": MARGINS, "lambda_words": {1e-5, 0.0}, "tags": TAGS}
A_RATES = {
    "none": {},
    "L2": {"lambda_encoder": {1e-3, 1e-4, 1e-5, 1e-6}},
    "dropout": {"dropout": {0.2, 0.4, 0.6}},
    "word dropout": {"word_dropout": {0.2, 0.4, 0.6}},
    "scrambling": {"scramble": {0.25, 0.5, 0.75}},
    # "we tune over scrambling with either word dropout or dropout"; the 0 is that of the other one
    "dropout, scrambling": {
        "scramble": {0.25, 0.5, 0.75},
        "dropout": {0.0, 0.2, 0.4, 0.6},
        "word_dropout": {0.0, 0.2, 0.4, 0.6},
    },
}


def test_grids_are_the_papers() -> None:
    """A 4.1.2 with footnote 4, and 4.2; C 4.1."""
    lambdas = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 0.0}
    for system in TABLES["a-table-1"].systems:
        assert varied(system.grid) == {"margin": MARGINS, "lambda_words": lambdas, "tags": TAGS}
        assert len(set(system.grid)) == 3 * 6 * 4
    sizes = {"none": 1, "L2": 4, "dropout, scrambling": 2 * 9}
    for table in ("a-table-2", "a-table-3"):
        for system in TABLES[table].systems:
            name = system.name.removesuffix(", oracle")
            rate = name if table == "a-table-2" else "none" if "no reg" in name else "dropout, scrambling"
            both = {"combine": {"add", "tanh"}} if "Bi" in system.label else {}
            assert varied(system.grid) == A_COMMON | A_RATES[rate] | both, system.key
            assert len(set(system.grid)) == 3 * 2 * 4 * sizes.get(rate, 3) * (2 if both else 1)
    cse = {"margin": MARGINS, "lambda_words": {1e-4, 1e-5, 1e-6}, "lambda_encoder": {1e-5, 1e-6, 1e-7, 0.0}}
    cse["batch"] = {32, 64, 128, 256}
    for table, name in (("c-table-1", "CSE"), ("c-table-2", "CSE")):
        (system,) = (system for system in TABLES[table].systems if system.name == name)
        assert varied(system.grid) == cse and len(set(system.grid)) == 3 * 3 * 4 * 4


def test_supervised_training_is_the_papers() -> None:
    """A 4.3: the rates of 4.2, λw 1e-5 or 0, and from universal encoders the weights of footnote 7."""
    powers = {10.0**power for power in range(1, -9, -1)}
    for table in ("a-table-5", "a-table-6", "a-table-8"):
        for system in TABLES[table].systems:
            task, is_universal = system.task, system.name.endswith("universal")
            assert isinstance(task, Supervision) and system.group.startswith(task.sets)
            assert task.setting == ("universal" if is_universal else "random")
            name = "dropout, scrambling" if table == "a-table-6" else system.name
            rates = {} if is_universal else A_RATES[name]
            assert (varied(system.grid) if system.grid else {}) == rates, system.key
            words, others = ({pair[place] for pair in task.grid} for place in (0, 1))
            if is_universal:
                assert (words, others) == (powers | {0.0}, {p for p in powers if p > 5e-7} | {0.0})
                assert len(task.grid) == 11 * 9
            else:
                assert task.grid == ((0.0, 0.0), (1e-5, 0.0))


def test_supervised_training_of_cse_is_the_papers() -> None:
    """C 4.2: λw, λc and batches as in 4.1, and λ of equation 6, which has λ / 2."""
    figures = {
        "CSE, random": {"SICK, ρ": 80.59, "SICK, MSE × 100": 27.30},
        "CSE, universal": {"SICK, ρ": 80.87, "SICK, MSE × 100": 24.80},
    }
    for system in TABLES["c-table-3"].systems:
        task = system.task
        assert isinstance(task, Supervision) and task.sets == "SICK" and task.epochs == 10
        assert set(task.heads) == {
            (batch, weight / 2) for batch in (32, 64, 128, 256) for weight in (1e-5, 1e-6, 1e-7, 0.0)
        }
        assert (task.batch, task.lambda_head) == (32, 1e-7 / 2)  # the authors' code
        assert system.sets == figures.get(system.name, {})
        if task.setting == "universal":
            assert set(task.grid) == {
                (words, others) for words in (1e-4, 1e-5, 1e-6) for others in (1e-5, 1e-6, 1e-7, 0.0)
            }


def test_classifiers_are_the_papers() -> None:
    """E 5.6.1: 40,000, 5,000 and 5,000 pairs, 10 epochs; negatives and the L2 weight are chosen."""
    for table in ("e-table-8", "e-table-10"):
        for system in TABLES[table].systems:
            task = system.task
            assert isinstance(task, Classification)
            assert (task.validation, task.test) == (5_000 / 50_000, 5_000 / 50_000)
            assert set(task.negatives) == {"random", "hardest"}
            assert set(task.lambda_words) == {1e-5, 1e-6, 1e-7, 1e-8, 0.0}
            assert (system.options.epochs, system.options.encoder.type) == (
                10,
                "lstm" if system.name == "LSTM" else "avg",
            )


def test_what_is_frozen_and_what_is_evaluated() -> None:
    """I, tables 3 and 4: means of vectors and an untrained BiLSTM; P, tables 8, 9 and 12."""
    systems = [system for system in TABLES["i-table-4"].systems if isinstance(system.task, Inference)]
    frozen = {system.name: system.task.is_frozen for system in systems}  # type: ignore[union-attr]
    assert [name for name, is_frozen in frozen.items() if is_frozen] == [
        *("GloVe BOW", "GloVe Positional Encoding"),
        "BiLSTM-Max (untrained)",
    ]
    kinds = {"i-table-3": ("nli", "transfer"), "i-table-4": ("transfer",), "i-figure-5": ("nli", "transfer")}
    kinds |= {"p-table-8": ("transfer",), "p-table-9": ("sts",), "p-table-12": ("sts", "supervised")}
    for name, table in TABLES.items():
        assert {system.evaluations for system in table.systems} == {kinds.get(name, ())}
