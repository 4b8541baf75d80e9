"""`paranmt analyse`: gate norms by part of speech, and the pairs that one of two encoders gets wrong."""

import gzip
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
import torch
from commands import ok, paranmt

from paranmt.base.errors import InputError, ModelError
from paranmt.models.encoders.encoder_kinds import (
    AveragingOptions,
    BiGranOptions,
    Component,
    GranOptions,
    MixedOptions,
)
from paranmt.models.encoders.encoder_options import EncoderOptions
from paranmt.models.encoders.random_weights import draw_weights
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.models.encoders.vocabulary import Tags, Vocabulary
from paranmt.papers.analysis.conllu import read_conllu
from paranmt.papers.analysis.disagreements import Disagreements, disagreements
from paranmt.papers.analysis.gates import gate_table, word_norms
from paranmt.papers.analysis.negatives import nearest_negatives
from paranmt.tokens.definition import Tokens

# Two sentences: "They don't stay." with a token of two words and an empty node, and "Stay du jour".
CONLLU = """\
# sent_id = 1
1\tThey\tthey\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tstay\tstay\tVERB\tVB\t_\t0\troot\t_\tSpaceAfter=No
4.1\tstay\tstay\tVERB\tVB\t_\t_\t_\t0:root\t_
5\t.\t.\tPUNCT\t.\t_\t4\tpunct\t_\t_

# sent_id = 2
1\tStay\tstay\tVERB\tVB\t_\t0\troot\t_\t_
2-3\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=Yes
2\tde\tde\tADP\tIN\t_\t4\tcase\t_\t_
3\tle\tle\tDET\tDT\t_\t4\tdet\t_\t_
4\tjour\tjour\tNOUN\tNN\t_\t1\tobl\t_\t_
"""


def write(path: Path, text: str) -> str:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return str(path)


@pytest.mark.parametrize("change", [lambda text: text, lambda text: text.replace("\n", "\r\n"), str.rstrip])
def test_conllu(tmp_path: Path, change: type[str]) -> None:
    first, second = read_conllu(write(tmp_path / "a.conllu.gz", change(CONLLU)))
    assert (first.text, second.text) == ("They don't stay.", "Stay du jour")
    assert [first.text[slice(*word.span)] for word in first.words if word.span] == [
        "They",
        "do",
        "n't",
        "stay",
        ".",
    ]
    assert [word.span for word in second.words] == [(0, 4), None, None, (8, 12)]
    assert [word.upos for word in second.words] == ["VERB", "ADP", "DET", "NOUN"]
    assert (first.words[3].xpos, first.words[3].deprel) == ("VB", "root")


def test_conllu_composes_characters(tmp_path: Path) -> None:
    """A form in NFD, and a sign that would change the form before it if no space were between."""
    lines = [
        f"{n}\t{form}\t_\tX\t_\t_\t0\troot\t_\tSpaceAfter=No\n"
        for n, form in enumerate(["cafe\u0301", "de", "\u0301"], 1)
    ]
    (sentence,) = read_conllu(write(tmp_path / "a.conllu", "".join(lines)))
    assert sentence.text == "caf\u00e9de \u0301"
    assert [word.span for word in sentence.words] == [(0, 4), (4, 6), (7, 8)]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\tPRON\tPRP", " PRON PRP", "line 2: expected the ten columns"),
        ("1\tThey", "x\tThey", "line 2: expected the ten columns"),
        ("1\tThey", "1\t", "line 2: expected the ten columns"),
        ("2-3\tdon't", "2-9\tdon't", "line 3: the words 2-9 do not follow"),
        ("2-3\tdon't", "3-2\tdon't", "line 3: the words 3-2 do not follow"),
    ],
)
def test_what_is_not_conllu(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(read_conllu(write(tmp_path / "a.conllu", CONLLU.replace(old, new))))


def test_conllu_without_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a\.conllu has no sentence"):
        list(read_conllu(write(tmp_path / "a.conllu", "# a comment\n\n")))


def test_conllu_of_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "a.conllu").write_bytes(CONLLU.replace("jour", "été").encode("latin-1"))
    with pytest.raises(InputError, match="line 15 is not UTF-8"):
        list(read_conllu(str(tmp_path / "a.conllu")))


# --- gates

# The vectors of unknown words and of the entries; σ(0) is 0.5 and σ(ln 3) 0.75.
ENTRIES = ["they", "stay", "don", "jour"]
LN3 = math.log(3)
TABLE = torch.tensor([[0.0, 0.0], [LN3, LN3], [-LN3, 0.0], [0.0, LN3], [-LN3, -LN3]])
NORMS = {"they": 1.5, "stay": 0.75, "unknown": 1.0, "jour": 0.5}


def open_by_vectors(
    options: EncoderOptions, tags: Tags = "none", tokens: Tokens = "words"
) -> SentenceEncoder:
    """An encoder whose gates of vectors and states are σ(x), and whose gates of averages are σ(ln 3)."""
    vocabulary = Vocabulary(ENTRIES + (["<s>", "</s>"] if tags != "none" else []), "words", tokens, tags)
    encoder = options.build({"words": len(vocabulary)}, "words")
    with torch.no_grad():
        for name, parameter in encoder.named_parameters():
            parameter.zero_()
            if name.endswith("embedding.weight"):
                parameter[: len(TABLE)] = TABLE
            if name.endswith("gates.weight"):  # (size or 2 size, 2 + 2) of (x, h), and h is 0
                parameter[-2:, :2] = torch.eye(2)
                if len(parameter) == 4 and getattr(options, "variant", 1) == 5:
                    parameter[:2, :2] = torch.eye(2)
            if name.endswith("gates.bias") and len(parameter) == 4 and getattr(options, "variant", 1) != 5:
                parameter[:2] = LN3
    return SentenceEncoder(encoder, vocabulary)


GRAN_CASES: list[tuple[EncoderOptions, dict[str, dict[str, float]]]] = [
    (GranOptions(dimension=2), {"vectors": NORMS}),
    (GranOptions(dimension=2, variant=2), {"states": NORMS}),
    (GranOptions(dimension=2, variant=3), {"average": dict.fromkeys(NORMS, 1.5), "vectors": NORMS}),
    (GranOptions(dimension=2, variant=4), {"average": dict.fromkeys(NORMS, 1.5), "vectors": NORMS}),
    (GranOptions(dimension=2, variant=5), {"vectors": NORMS, "states": NORMS}),
    (BiGranOptions(dimension=2), {"forwards vectors": NORMS, "backwards vectors": NORMS}),
    (
        BiGranOptions(dimension=2, variant=3, combine="tanh"),
        {
            "forwards average": dict.fromkeys(NORMS, 1.5),
            "forwards vectors": NORMS,
            "backwards vectors": NORMS,
        },
    ),
    (
        MixedOptions(
            parts=(
                Component(encoder=AveragingOptions(dimension=2)),
                Component(encoder=GranOptions(dimension=2)),
            )
        ),
        {"part 2 vectors": NORMS},
    ),
]


@pytest.mark.parametrize(("options", "expected"), GRAN_CASES, ids=range(len(GRAN_CASES)))
@pytest.mark.parametrize("tags", ["none", "both"])
def test_norms_of_words(
    tmp_path: Path, options: EncoderOptions, expected: dict[str, dict[str, float]], tags: Tags
) -> None:
    """Of `don't` the encoder reads don, ' and t: the last two are in n't, don in neither word."""
    sentences = list(read_conllu(write(tmp_path / "a.conllu", CONLLU)))
    found = word_norms(open_by_vectors(options, tags), sentences)
    assert [word.xpos for word in found.words] == ["PRP", "RB", "VB", ".", "VB", "NN"]
    assert (found.left_out, found.size) == (3, 2)
    assert found.norms.keys() == expected.keys()
    for gate, norms in expected.items():
        words = [norms[word] for word in ("they", "unknown", "stay", "unknown", "stay", "jour")]
        assert found.norms[gate] == pytest.approx(words, abs=1e-6), gate


def test_a_words_norm_is_the_mean_of_its_units(tmp_path: Path) -> None:
    line = "1\tstay-jour\t_\tNOUN\tNN\t_\t0\troot\t_\t_\n"
    (sentence,) = read_conllu(write(tmp_path / "a.conllu", line))
    for tokens, norm in (("words", (0.75 + 1.0 + 0.5) / 3), ("whitespace", 1.0)):
        found = word_norms(open_by_vectors(GranOptions(dimension=2), tokens=tokens), [sentence])  # type: ignore[arg-type]
        assert found.norms["vectors"] == pytest.approx([norm], abs=1e-6)


def test_batches_change_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = BiGranOptions(dimension=2, variant=4, size=2)
    encoder = SentenceEncoder(draw_weights(options.build({"words": 5}, "words"), 1), Vocabulary(ENTRIES))
    sentences = list(read_conllu(write(tmp_path / "a.conllu", f"{CONLLU}\n" * 3)))
    whole = word_norms(encoder, sentences).norms
    monkeypatch.setattr("paranmt.papers.analysis.gates._BATCH", 1)
    for gate, norms in word_norms(encoder, sentences).norms.items():
        assert norms == pytest.approx(whole[gate], abs=1e-5)


def test_the_table_of_norms(tmp_path: Path) -> None:
    sentences = list(read_conllu(write(tmp_path / "a.conllu", CONLLU)))
    norms = word_norms(open_by_vectors(GranOptions(dimension=2, variant=3)), sentences)
    table = gate_table(norms, within=["VERB"])
    rows = [tuple(row.values.values()) for row in table.rows]
    labels = {(group, label): rest for group, label, *rest in rows}
    assert labels["UPOS", "VERB"] == pytest.approx([2, 0.0, 1.5, 0.75], abs=1e-6)
    assert labels["DEPREL of VERB", "root"] == pytest.approx([2, 0.0, 1.5, 0.75], abs=1e-6)
    upos = [row.values["label"] for row in table.rows if row.values["annotation"] == "UPOS"]
    assert upos[0] == "PRON" and set(upos[1:3]) == {"PART", "PUNCT"} and upos[3:] == ["VERB", "NOUN"]
    assert {row.values["label"] for row in gate_table(norms, minimum=2).rows} == {"VB", "VERB", "root"}
    assert "3 words were left out" in table.caption


def test_what_has_no_gates(tmp_path: Path) -> None:
    sentences = list(read_conllu(write(tmp_path / "a.conllu", CONLLU)))
    average = SentenceEncoder(AveragingOptions(dimension=2).build({"words": 5}, "words"), Vocabulary(ENTRIES))
    with pytest.raises(ModelError, match="type 'avg' has no gates: expected gran or bigran"):
        word_norms(average, sentences)
    trigrams = SentenceEncoder(
        GranOptions(dimension=2).build({"trigrams": 2}, "trigrams"), Vocabulary(["abc"], "trigrams")
    )
    with pytest.raises(ModelError, match="type 'gran' has no gates that read words"):
        word_norms(trigrams, sentences)
    ungated = GranOptions(dimension=2, without_gate="tanh").build({"words": 5}, "words")
    with pytest.raises(ModelError, match="type 'gran' has no gates"):
        word_norms(SentenceEncoder(ungated, Vocabulary(ENTRIES)), sentences)
    with pytest.raises(InputError, match="no word of the sentences has units"):
        word_norms(open_by_vectors(GranOptions(dimension=2)), [])


def test_the_command_for_gates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    open_by_vectors(GranOptions(dimension=2)).save(Path("gran"))
    write(Path("a.conllu"), CONLLU)
    out = ok("analyse", "gates", "gran", "a.conllu", "--minimum", 1, "--output", "gates.json")
    assert out.splitlines()[0].split() == "annotation label words gate of vectors deviation".split()
    assert out.splitlines()[1].split() == ["XPOS", "PRP", "1", "1.50", "0.00"]
    assert json.loads(Path("gates.json").read_text())["rows"][0]["vectors"] == pytest.approx(1.5)
    ok("analyse", "gates", "gran", "a.conllu", "a.conllu", "--max-words", 4, "--output", "gates.tsv")
    heads = "annotation\tlabel\twords\tvectors\tdeviation\n"
    assert Path("gates.tsv").read_text() == heads, "every label has fewer than ten words"
    for arguments, message in (
        (["gran", "a.conllu", "--output", "gates.tsv"], "gates.tsv already exists"),
        (["gran", "a.conllu", "--output", "gates.txt"], "expected a file that ends in .json or .tsv"),
        (["gran", "nothing.conllu"], "nothing.conllu"),
        (["a.conllu", "a.conllu"], "a.conllu"),
    ):
        result = paranmt("analyse", "gates", *arguments)
        assert result.exit_code == 2 and message in result.stderr, result.output


# --- errors


class Chosen:
    """Vectors whose cosine with those of "x" is the number in the sentence."""

    def __init__(self, change: float = 0.0) -> None:
        self.change = change

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        cosines = [1.0 if text == "x" else float(text.split()[0]) for text in sentences]
        cosines = [value if value in (0.0, 1.0) else value + self.change for value in cosines]
        return np.array([[value, math.sqrt(1 - value * value)] for value in cosines], np.float32)


def write_sts(folder: Path, gold: dict[str, float], name: str = "STS2014/STS.{}.made.txt") -> str:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name.format("input")).write_text("".join(f"x\t{text}\n" for text in gold))
    (folder / name.format("gs")).write_text("".join(f"{score}\n" for score in gold.values()))
    return str(folder)


GOLD = {"0.0 a": 0.0, "0.2 b": 1.0, "0.6 c": 2.9, "0.6 d": 0.5, "1.0 e": 5.0}


def compared(folder: Path, scale: Literal["range", "fit"] = "range") -> Disagreements:
    data = write_sts(folder, GOLD)
    return disagreements({"first": Chosen(), "second": Chosen(-0.2)}, data, scale=scale, tolerance=0.5)


def test_errors_by_hand(tmp_path: Path) -> None:
    """0 to 1 become 0 to 5. The first finds c 3 and d 3, the second b 0, c 2 and d 2."""
    found = compared(tmp_path)
    assert found.predicted == pytest.approx(np.array([[0, 1, 3, 3, 5], [0, 0, 2, 2, 5]]), abs=1e-5)
    assert found.errors[1] == pytest.approx([0, -1, -0.9, 1.5, 0], abs=1e-5)
    assert [pair.right for pair in found.worst(1, "under", 9)] == ["0.2 b", "0.6 c"]
    assert [pair.right for pair in found.worst(1, "under", 1)] == ["0.2 b"]
    assert found.worst(1, "over", 9) == [], "both find d too similar"
    (pair,) = found.worst(1, "under", 1)
    assert (pair.dataset, pair.left, pair.gold) == ("2014 made", "x", 1.0)
    assert pair.predicted == pytest.approx({"first": 1.0, "second": 0.0}, abs=1e-5)


def test_the_table_of_errors(tmp_path: Path) -> None:
    table = compared(tmp_path).table()
    rows = {(row.values["property"], row.values["value"]): row.values for row in table.rows}
    everything = rows["all pairs", ""]
    assert everything["pairs"] == 5
    assert everything["only_first"] == pytest.approx(40) and everything["only_second"] == 0
    assert [everything[f"second_{side}"] for side in ("over", "under")] == [20, 40]
    assert everything["first_error"] == pytest.approx((0 + 0 + 0.1 + 2.5 + 0) / 5, abs=1e-5)
    # One against three or four tokens: `0`, `.`, a figure and the letter. None is shared.
    assert rows["words, the difference", "over 2 to 5"]["pairs"] == 5
    assert rows["shared words", "up to 0.2"]["pairs"] == 5
    assert rows["people's score", "up to 1"]["pairs"] == 3
    assert rows["people's score", "over 4"]["only_first"] == 0


def test_shared_words(tmp_path: Path) -> None:
    """`A b b.` and `b, a a b`: of the four tokens of the first, a, b and b are in the second."""
    folder = tmp_path / "STS2014"
    folder.mkdir()
    (folder / "STS.input.made.txt").write_text("A b b.\tb, a a b\na b\tb a\n")
    (folder / "STS.gs.made.txt").write_text("1\n5\n")
    found = disagreements({"a": Letters("ab"), "b": Letters(",b")}, str(tmp_path))
    rows = {row.values["value"] for row in found.table().rows if row.values["property"] == "shared words"}
    assert rows == {"over 0.6 to 0.8", "over 0.8"}


class Letters:
    """Counts of letters."""

    def __init__(self, letters: str) -> None:
        self.letters = letters

    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        return np.array(
            [[text.lower().count(letter) for letter in self.letters] for text in sentences], np.float32
        )


def test_a_fitted_scale_has_no_mean_error(tmp_path: Path) -> None:
    """The least squares for cosines 0, 0.5 and 1 with scores 1, 3 and 2 lead from 1.5 to 2.5."""
    data = write_sts(tmp_path, {"0.0": 1.0, "0.5": 3.0, "1.0": 2.0})
    found = disagreements({"a": Chosen(), "b": Chosen(0.1)}, data, scale="fit")
    assert found.predicted[0] == pytest.approx([1.5, 2.0, 2.5], abs=1e-5)
    assert found.errors.mean(axis=1) == pytest.approx([0, 0], abs=1e-5)


def test_sets_by_year_and_name(tmp_path: Path) -> None:
    data = write_sts(tmp_path, GOLD)
    write_sts(tmp_path, GOLD, "STS2015/STS.{}.other.txt")
    header = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
    (tmp_path / "SICK_trial.txt").write_text(f"{header}1\tx\t0.0\t1\tN\n2\tx\t1.0\t5\tN\n3\tx\t0.5\t3\tN\n")
    encoders = {"a": Chosen(), "b": Chosen(0.1)}
    assert len(disagreements(encoders, data).gold) == 13
    for only, sets in (("2014", {"2014 made"}), ("other", {"2015 other"}), ("SICK-trial", {"SICK-trial"})):
        assert set(disagreements(encoders, data, [only]).datasets) == sets
    assert disagreements(encoders, data, ["SICK-trial"]).gold.tolist() == [0, 5, 2.5], "1 to 5 become 0 to 5"
    with pytest.raises(InputError, match="has no set 2016; there are: 2014 made, 2015 other, SICK-trial"):
        disagreements(encoders, data, ["2016"])


def test_the_command_for_errors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_sts(tmp_path / "sts", GOLD)
    (tmp_path / "chosen_by_hand.py").write_text(
        "import math\n"
        "def first(texts, change=0):\n"
        "    cosines = [1 if t == 'x' else float(t.split()[0]) for t in texts]\n"
        "    cosines = [c if c in (0, 1) else c + change for c in cosines]\n"
        "    return [[c, math.sqrt(1 - c * c)] for c in cosines]\n"
        "def second(texts):\n    return first(texts, -0.2)\n"
    )
    both = ["chosen_by_hand:first", "chosen_by_hand:second", "sts", "--tolerance", 0.5]
    out = ok("analyse", "errors", *both, "--output", "errors.json")
    title = "chosen_by_hand:second finds them too different, and chosen_by_hand:first is right"
    assert (
        f"\n{title}\n  2014 made: people 1.0  chosen_by_hand:first 1.0  chosen_by_hand:second 0.0\n    x\n"
        in out
    )
    content = json.loads(Path("errors.json").read_text())
    assert [pair["right"] for pair in content["pairs"][title]] == ["0.2 b", "0.6 c"]
    assert content["table"]["rows"][0]["pairs"] == 5
    ok("analyse", "errors", *both, "--output", "errors.tsv")
    lines = Path("errors.tsv").read_text().splitlines()
    assert len(lines) == 6 and lines[0].split("\t")[:2] == ["dataset", "gold"]
    for arguments, message in (
        (both[:2], "expected two encoders and a folder of STS data, got 2 arguments"),
        ([*both, "--scale", "log"], "expected range or fit, got 'log'"),
        ([both[0], *both[:1], "sts"], "name two encoders"),
        ([*both, "--output", "errors.tsv"], "already exists"),
    ):
        result = paranmt("analyse", "errors", *arguments)
        assert result.exit_code == 2 and message in result.stderr, result.output


def test_an_encoder_that_finds_all_pairs_alike(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="all pairs equally similar"):
        disagreements({"a": Letters("z"), "b": Chosen()}, write_sts(tmp_path, GOLD))


# --- negatives

ANGLES = {"a": 0, "b": 5, "x": 60, "y": 62, "p": 30, "q": 33, "r": 8, "s": 100}
"""Pairs a–b, x–y, p–q and r–s of a batch each; r is nearest to b, and p the next."""


class Angles:
    def encode(self, sentences: Sequence[str]) -> np.ndarray:
        degrees = np.radians([ANGLES[sentence] for sentence in sentences])
        return 3 * np.stack([np.cos(degrees), np.sin(degrees)], axis=1).astype(np.float32)


def test_larger_mega_batches_have_nearer_negatives() -> None:
    references, translations = ["a", "x", "p", "r", "a"], ["b", "y", "q", "s", "b"]
    table = nearest_negatives(Angles(), references, translations, [4, 2, 3, 5], batch=1)
    found = [(row.values["sentence"], row.values["mega_batch"], row.values["negative"]) for row in table.rows]
    # The copy of the pair in the fifth mini-batch is no negative.
    assert found == [("a", 2, "x"), ("a", 3, "p"), ("a", 4, "r"), ("a", 5, "r")]
    assert [row.values["cosine"] for row in table.rows[:2]] == pytest.approx([0.5, 0.8660], abs=1e-4)
    with pytest.raises(InputError, match="there are 5 pairs, fewer than the 6 of a mega-batch of 6"):
        nearest_negatives(Angles(), references, translations, [6], batch=1)


def test_the_command_for_negatives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("by_length.py").write_text("def encode(texts):\n    return [[1.0, len(t)] for t in texts]\n")
    Path("pairs.tsv").write_text("dog\tdogs\nelephant\televators\ncat\tbirds\n")
    sizes = ["--mega-batch", 2, "--mega-batch", 3, "--batch", 1]
    out = ok("analyse", "negatives", "by_length:encode", "pairs.tsv", *sizes, "--output", "found.tsv")
    lines = [line.split("\t")[:3] for line in Path("found.tsv").read_text().splitlines()]
    assert lines[1:] == [["dog", "2", "elephant"], ["dog", "3", "cat"]]
    assert "elephant" in out and "cat" in out
