import gzip
import json
from pathlib import Path

import numpy as np
import pytest
import torch

from paranmt.base.errors import InputError, ModelError, RecipeError
from paranmt.models.training import examples
from paranmt.models.training.examples import (
    NLI_LABELS,
    Examples,
    label_numbers,
    labels_of,
    read_examples,
    shortened,
)
from paranmt.models.training.head_options import ClassificationOptions, NliOptions, RelatednessOptions
from paranmt.models.training.heads import Head, HeadShape, divergence
from paranmt.models.training.train_options import TextOptions


def shape(
    objective: str, outputs: tuple, hidden: tuple[int, ...] = (), activation: str = "none"
) -> HeadShape:
    return HeadShape(objective=objective, dimension=2, hidden=hidden, activation=activation, outputs=outputs)  # type: ignore[arg-type]


def filled(head: Head, *layers: tuple[list[list[float]], list[float]]) -> Head:
    """The head with these weights (out, in) and biases."""
    with torch.no_grad():
        for layer, (weight, bias) in zip(head.layers, layers, strict=True):
            layer.weight.copy_(torch.tensor(weight))  # type: ignore[operator,union-attr]
            layer.bias.copy_(torch.tensor(bias))  # type: ignore[operator,union-attr]
    return head


U, V = torch.tensor([[1.0, -2.0]]), torch.tensor([[3.0, 0.5]])


def test_the_head_of_inference() -> None:
    """[u, v, |u − v|, u ⊙ v] = [1, −2, 3, .5, 2, 2.5, 3, −1] goes in; between layers is tanh or nothing."""
    head = Head(shape("nli", NLI_LABELS, (1,)))
    assert [tuple(layer.weight.shape) for layer in head.layers] == [(1, 8), (3, 1)]  # type: ignore[union-attr]
    numbers = [[1.0, 0.0, 0.0, 2.0, 1.0, 0.0, 0.0, 1.0]]
    layers = (numbers, [0.5]), ([[1.0], [2.0], [0.0]], [0.0, 0.0, 1.0])
    # 1 + 2 · .5 + 2 − 1 + .5 = 3.5
    assert filled(head, *layers)(U, V).tolist() == [[3.5, 7.0, 1.0]]
    tanh = filled(Head(shape("nli", NLI_LABELS, (1,), "tanh")), *layers)
    assert tanh(U, V)[0].tolist() == pytest.approx([np.tanh(3.5), 2 * np.tanh(3.5), 1.0])


def test_the_head_of_relatedness() -> None:
    """[u ⊙ v, |u − v|] = [3, −1, 2, 2.5], a sigmoid, and the expected score."""
    head = Head(shape("relatedness", (1, 2, 3), (1,), "sigmoid"))
    filled(head, ([[1.0, 1.0, -1.0, 0.0]], [0.0]), ([[0.0], [2.0], [0.0]], [0.0, 0.0, 0.0]))
    # The sigmoid of 3 − 1 − 2 = 0 is ½, so the logits are 0, 1 and 0.
    probabilities = head.probabilities(U, V)
    assert probabilities[0] == pytest.approx(np.array([1, np.e, 1]) / (2 + np.e))
    assert probabilities @ head.shape.levels == pytest.approx([2.0])


def test_features_are_divided_by_their_scale() -> None:
    head = Head(shape("relatedness", (1, 2)))
    head.fit_scales([(U, V), (U, V)])
    # √((9 + 1) / 2) and √((4 + 6.25) / 2)
    assert head.scales.tolist() == pytest.approx([5**0.5, 5.125**0.5])
    filled(head, ([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]], [0.0, 0.0]))
    assert head(U, V)[0].tolist() == pytest.approx([3 / 5**0.5, 2.5 / 5.125**0.5])
    head.fit_scales([(torch.zeros(1, 2), torch.zeros(1, 2))])
    assert head.scales.tolist() == [1.0, 1.0]


def test_the_divergence() -> None:
    """Of a label the cross-entropy; of 3.6, (0, 0, .4, .6, 0), from uniform .4 ln .4 + .6 ln .6 + ln 5."""
    logits = torch.tensor([[0.0, np.log(3.0)], [0.0, 0.0]])
    assert divergence(logits, torch.eye(2)).tolist() == pytest.approx([np.log(4), np.log(2)])
    target = torch.tensor([[0, 0, 0.4, 0.6, 0]])
    assert divergence(torch.zeros(1, 5), target).item() == pytest.approx(0.936426, abs=1e-6)


def test_targets_and_quality() -> None:
    scores = Examples((("a", "b"), ("c", "d")), ("3.6", "1"), ("f, line 1", "f, line 2"))
    of_scores = shape("relatedness", (1, 2, 3, 4, 5))
    targets = of_scores.targets(scores)
    assert targets == pytest.approx(np.array([[0, 0, 0.4, 0.6, 0], [1, 0, 0, 0, 0]]))
    assert of_scores.quality(targets[::-1], targets) == pytest.approx(-1)
    assert of_scores.quality(np.full((2, 5), 0.2), targets) is None
    with pytest.raises(InputError, match=r"f, line 1: expected a score from 1 to 3, got 3\.6"):
        shape("relatedness", (1, 2, 3)).targets(scores)
    labels = shape("nli", NLI_LABELS)
    gold = labels.targets(Examples((("a",) * 3, ("b",) * 3), ("neutral", "entailment", "2"), ("",) * 3))
    assert gold.argmax(axis=1).tolist() == [1, 0, 2]
    assert labels.quality(np.array([[0.2, 0.5, 0.3]] * 3), gold) == pytest.approx(1 / 3)


def test_shapes_of_the_options() -> None:
    nli = HeadShape.of(
        NliOptions(examples="e", dev="d"), 7, Examples((("a",) * 2,) * 2, ("1", "0"), ("",) * 2)
    )
    assert (nli.hidden, nli.activation, nli.outputs) == ((512,), "tanh", ("0", "1"))
    scored = Examples((("a",) * 2,) * 2, ("1.5", "4.2"), ("",) * 2)
    options = RelatednessOptions(examples="e", dev="d")
    shaped = HeadShape.of(options, 7, scored)
    assert (shaped.hidden, shaped.activation, shaped.outputs) == ((50,), "sigmoid", (1, 2, 3, 4, 5))
    given = RelatednessOptions(examples="e", dev="d", levels=(0, 5))
    assert HeadShape.of(given, 7, scored).outputs == (0, 1, 2, 3, 4, 5)
    label = HeadShape.of(
        ClassificationOptions(examples="e", dev="d"), 7, Examples((("a", "b"),), ("x", "y"), ())
    )
    assert label.hidden == () and Head(label)(torch.zeros(3, 7)).shape == (3, 2)
    with pytest.raises(InputError, match="different answers"):
        HeadShape.of(NliOptions(examples="e", dev="d"), 7, Examples((("a",),) * 2, ("1",), ("",)))


def test_a_head_is_stored(tmp_path: Path) -> None:
    head = Head(shape("relatedness", (0, 1, 2), (3,), "sigmoid"))
    head.fit_scales([(U, V)])
    head.save(tmp_path)
    again = Head.load(tmp_path)
    assert again.shape == head.shape and torch.equal(again(U, V), head(U, V))
    content = bytearray((tmp_path / "head.safetensors").read_bytes())
    content[-1] ^= 1
    (tmp_path / "head.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match="checksum"):
        Head.load(tmp_path)
    (tmp_path / "head.json").write_text('{"format": "paranmt-head-1"}')
    with pytest.raises(ModelError, match="damaged"):
        Head.load(tmp_path)
    with pytest.raises(ModelError, match="has no head"):
        Head.load(tmp_path / "nowhere")


def test_a_head_with_nan(tmp_path: Path) -> None:
    head = Head(shape("relatedness", (0, 1, 2), (3,), "sigmoid"))
    next(head.parameters()).data[0, 0] = torch.nan
    head.save(tmp_path)
    with pytest.raises(ModelError, match="not finite"):
        Head.load(tmp_path)


def snli(*labels: str) -> str:
    lines = [
        {"annotator_labels": ["x"], "gold_label": label, "sentence1": f"A \u2028 man {i}.", "sentence2": "B"}
        for i, label in enumerate(labels)
    ]
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_the_lines_of_snli(tmp_path: Path) -> None:
    """Examples on whose label people did not agree ("-") are counted and left out."""
    file = tmp_path / "snli_1.0_dev.jsonl"
    file.write_text(snli("neutral", "-", "contradiction", "entailment", "-"))
    found = read_examples([str(file)], "nli")
    assert found.sides == (("A \u2028 man 0.", "A \u2028 man 2.", "A \u2028 man 3."), ("B", "B", "B"))
    assert (found.answers, found.unlabelled) == (("neutral", "contradiction", "entailment"), 2)
    assert found.places[1] == f"{file}, line 3"
    assert labels_of(found) == NLI_LABELS and label_numbers(found, NLI_LABELS).tolist() == [1, 2, 0]


@pytest.mark.parametrize(
    ("objective", "content", "sides", "answers"),
    [
        ("nli", "a man\ta person\t0\nit is\tnot\t2\n", [("a man", "it is"), ("a person", "not")], ("0", "2")),
        (
            "nli",
            "gold_label\tsentence1_parse\tsentence1\tsentence2\nneutral\t( a )\ta\tb\n-\tx\tc\td\n",
            [("a",), ("b",)],
            ("neutral",),
        ),
        (
            "nli",
            "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\r\n1\ta\tb\t4.5\tNEUTRAL\r\n",
            [("a",), ("b",)],
            ("NEUTRAL",),
        ),
        (
            "relatedness",
            "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\r\n1\ta\tb\t4.5\tNEUTRAL\r\n",
            [("a",), ("b",)],
            ("4.5",),
        ),
        ("relatedness", 'main\tx\t2012\t1\t3.2\ta "b\tc\n', [('a "b',), ("c",)], ("3.2",)),
        ("relatedness", "a\tb\t3\n\nc\td\t-1\n", [("a", "c"), ("b", "d")], ("3", "-1")),
        (
            "classification",
            '{"text": "a b", "label": 1}\n{"label": "-", "sentence": "c"}\n',
            [("a b", "c")],
            ("1", "-"),
        ),
    ],
)
def test_forms_of_examples(
    tmp_path: Path, objective: str, content: str, sides: list[tuple[str, ...]], answers: tuple[str, ...]
) -> None:
    file = tmp_path / "examples.gz"
    file.write_bytes(gzip.compress(content.encode()))
    found = read_examples([str(file)], objective)
    assert (list(found.sides), found.answers) == (sides, answers)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a\tb\n", "line 1: expected sentence1, sentence2, gold_label with tabs between"),
        ('{"sentence1": "a", "gold_label": "neutral"}\n', "line 1: .* at the key sentence2 or"),
        ('a\tb\t0\n{"sentence1": \n', "line 2: expected a JSON object"),
        ("a\tb\t-\n", "expected examples with a label or a score, found none"),
    ],
)
def test_files_that_are_no_examples(tmp_path: Path, content: str, message: str) -> None:
    file = tmp_path / "examples.txt"
    file.write_text(content)
    with pytest.raises(InputError, match=message):
        read_examples([str(file)], "nli")


def test_more_examples_than_memory_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(examples, "_MOST_CHARACTERS", 20)
    file = tmp_path / "examples.txt"
    file.write_text("a\tb\tneutral\n" * 2)
    read_examples([str(file)], "nli")
    with pytest.raises(
        InputError, match=r"examples\.txt, line 1: expected at most 20 characters of examples"
    ):
        read_examples([str(file)] * 2, "nli")


def test_each_file_of_examples_has_some(tmp_path: Path) -> None:
    full, empty = tmp_path / "full.txt", tmp_path / "empty.txt"
    full.write_text("a\tb\tneutral\n")
    empty.write_text("")
    with pytest.raises(
        InputError, match=r"empty\.txt: expected examples with a label or a score, found none"
    ):
        read_examples([str(full), str(empty)], "nli")


def test_labels_of_another_model() -> None:
    examples = Examples((("a",), ("b",)), ("entails",), ("f, line 7",))
    with pytest.raises(
        InputError, match="f, line 7: expected a label entailment, neutral, contradiction, got 'ent"
    ):
        label_numbers(examples, NLI_LABELS)


def test_long_examples() -> None:
    examples = Examples((("one two", "three"), ("a", "b c d")), ("0", "1"), ("f, line 1", "f, line 2"), 4)
    dropped = shortened(examples, TextOptions(max_tokens=2))
    assert dropped == Examples((("one two",), ("a",)), ("0",), ("f, line 1",), 4, 1)
    cut = shortened(examples, TextOptions(max_tokens=2, long_pairs="cut"))
    assert (cut.sides, cut.too_long) == ((("one two", "three"), ("a", "b c")), 1)
    with pytest.raises(InputError, match="all 1 examples are longer than 1 tokens"):
        shortened(dropped, TextOptions(max_tokens=1))


@pytest.mark.parametrize(
    ("scores", "place"), [(("0", "1", "1e9"), "f, line 3"), (("-1e9", "0", "5"), "f, line 1")]
)
def test_a_score_that_would_make_a_billion_classes(scores: tuple[str, ...], place: str) -> None:
    sides = (("a",) * 3, ("b",) * 3)
    examples = Examples(sides, scores, tuple(f"f, line {number}" for number in (1, 2, 3)))
    with pytest.raises(InputError, match=rf"{place}: expected scores at most 1,000 apart"):
        HeadShape.of(RelatednessOptions(examples="f", dev="f"), 2, examples)
    with pytest.raises(RecipeError, match="levels must be at most 1,000 apart"):
        RelatednessOptions(examples="f", dev="f", levels=(0, 10**9))
