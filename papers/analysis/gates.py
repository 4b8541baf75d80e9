"""How far the gates of a GRAN open for words of each part of speech and each dependency label.

Revisiting recurrent networks, section 5.2: a gate's L1 norm, averaged over the words with the same tag.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import numpy as np
import torch

from ...base.errors import InputError, ModelError
from ...models.encoders.gran import BiGran, GatedLayer, Gran
from ...models.encoders.recurrence import Steps
from ...models.encoders.sentence_encoder import SentenceEncoder
from ...models.encoders.token_ids import TokenIds
from ...models.evaluation.table import Column, Row, Table, Value
from ...tokens.definition import cut_and_case, tokenize
from .conllu import EMPTY, AnnotatedSentence, AnnotatedWord

# What each gate of a variant is multiplied by, in the order of the gates' numbers.
_GATES = {
    1: ("vectors",),
    2: ("states",),
    3: ("average", "vectors"),
    4: ("average", "vectors"),
    5: ("vectors", "states"),
}
_BATCH = 256


@dataclass(frozen=True)
class WordNorms:
    """The gates' L1 norms for the words of annotated sentences.

    words: those that have units of their own. norms: the norms of each gate for these, (words,), each the
    mean over a word's units. left_out: words without such units, because the encoder cuts the text elsewhere.
    size: how many numbers a gate has, which is the highest possible norm.
    """

    words: Sequence[AnnotatedWord]
    norms: Mapping[str, np.ndarray]
    left_out: int
    size: int


def word_norms(encoder: SentenceEncoder, sentences: Sequence[AnnotatedSentence]) -> WordNorms:
    """The gates' norms for each word of the sentences, which the encoder reads as it reads any text.

    A unit belongs to the word in whose characters it lies. A word can have several units (`well-known`), or
    none of its own: of `don't`, an encoder that splits at punctuation reads `don`, which lies in neither `do`
    nor `n't`. ModelError if the encoder has no gates that read words, InputError if no word has units.
    """
    layers = _layers(encoder)
    vocabulary = encoder.vocabularies["words"]
    cut, _ = cut_and_case(vocabulary.tokens)
    if cut == "moses":  # they are not always parts of the text
        raise ModelError("expected an encoder with tokens words or whitespace, got one with moses")
    ids = TokenIds.of([vocabulary.ids(sentence.text) for sentence in sentences])
    before = vocabulary.tags in ("start", "both")
    owned = [
        (word, [first + before + unit for unit in own])
        for sentence, first in zip(sentences, ids.starts[:-1], strict=True)
        for word, own in _units_of_words(sentence, tokenize(sentence.text, cut))
        if own
    ]
    if not owned:
        raise InputError("no word of the sentences has units of its own; expected sentences with words")
    norms = {
        name: np.array([values[own].mean() for _, own in owned])
        for name, values in _all_norms(layers, ids).items()
    }
    everything = sum(len(sentence.words) for sentence in sentences)
    size = max(layer.size for _, layer, _ in layers)
    return WordNorms([word for word, _ in owned], norms, everything - len(owned), size)


def gate_table(words: WordNorms, within: Sequence[str] = (), minimum: int = 1) -> Table:
    """The mean norms by tag and by dependency label, the highest first.

    within: tags for whose words alone the norms by dependency label are given too. minimum: tags and labels
    with fewer words are left out.
    """
    main, *others = sorted(words.norms, key=lambda name: not name.endswith("vectors"))
    groups = {
        "XPOS": [word.xpos for word in words.words],
        "UPOS": [word.upos for word in words.words],
        "DEPREL": [word.deprel for word in words.words],
    }
    for tag in within:
        groups[f"DEPREL of {tag}"] = [
            word.deprel if tag in (word.xpos, word.upos) else EMPTY for word in words.words
        ]
    rows = []
    for group, labels in groups.items():
        values, counts = np.unique(labels, return_counts=True)
        chosen = [
            value for value, count in zip(values, counts, strict=True) if count >= minimum and value != EMPTY
        ]
        found = [_row(group, str(value), np.array(labels) == value, words.norms, main) for value in chosen]
        rows += sorted(found, key=lambda row: -float(row.values[main] or 0))
    caption = (
        f"Mean L1 norms of gates of {words.size} numbers over {len(words.words):,} words; {words.left_out:,} "
        "words were left out, because the encoder cuts the text elsewhere."
    )
    return Table(caption=caption, columns=_columns(main, others), main=main, group="annotation", rows=rows)


def _columns(main: str, others: Sequence[str]) -> list[Column]:
    return [
        Column(name="annotation", type="text", meaning="the column of the CoNLL-U file"),
        Column(name="label", type="text", meaning="a tag or label in it"),
        Column(name="words", type="count", meaning="the words that have it"),
        Column(
            name=main,
            type="number",
            title=f"gate of {main}",
            meaning="the mean L1 norm of this gate",
            digits=2,
        ),
        Column(
            name="deviation",
            type="number",
            meaning="the standard deviation of this norm over the words",
            digits=2,
        ),
        *(
            Column(
                name=name, type="number", title=f"gate of {name}", meaning="the same of this gate", digits=2
            )
            for name in others
        ),
    ]


def _row(group: str, label: str, has_it: np.ndarray, norms: Mapping[str, np.ndarray], main: str) -> Row:
    means: dict[str, Value] = {name: float(values[has_it].mean()) for name, values in norms.items()}
    deviation = float(norms[main][has_it].std())
    counts: dict[str, Value] = {"words": int(has_it.sum()), "deviation": deviation}
    return Row({"annotation": group, "label": label, **counts, **means})


_Layers = Sequence[tuple[str, GatedLayer, Gran | BiGran]]


def _layers(encoder: SentenceEncoder) -> _Layers:
    """The gated layers, each with the beginning of its gates' names and the encoder that it is in."""
    parts = [
        (name, part) for name, part in encoder.encoder.named_modules() if isinstance(part, Gran | BiGran)
    ]
    layers: list[tuple[str, GatedLayer, Gran | BiGran]] = []
    for name, part in parts:
        numbers = [str(int(step) + 1) for step in name.split(".") if step.isdigit()]  # of parts.1
        before = f"part {'.'.join(numbers)} " if numbers else ""
        if part.units != "words" or (isinstance(part, Gran) and part.is_ungated):
            continue
        if isinstance(part, Gran):
            layers.append((before, part.gated, part))
        else:
            layers += [
                (f"{before}forwards ", part.forwards, part),
                (f"{before}backwards ", part.backwards, part),
            ]
    if not layers:
        kind = encoder.encoder.options.type
        reading = " that read words" if parts else ""
        raise ModelError(
            f"an encoder of type {kind!r} has no gates{reading}: expected gran or bigran, of any variant"
        )
    return layers


def _all_norms(layers: _Layers, ids: TokenIds) -> dict[str, np.ndarray]:
    """`_unit_norms`, some sentences at a time; sentences may be empty."""
    some = np.flatnonzero(ids.lengths())
    batches = [
        _unit_norms(layers, ids.take(some[start : start + _BATCH])) for start in range(0, len(some), _BATCH)
    ]
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}


def _unit_norms(layers: _Layers, ids: TokenIds) -> dict[str, np.ndarray]:
    """The L1 norm of each gate at each unit, (units,), in the order of the ids."""
    norms = {}
    for part in dict.fromkeys(part for _, _, part in layers):
        steps = Steps(ids, part.embedding.weight.device)
        own = [(before, layer) for before, layer, owner in layers if owner is part]
        with torch.no_grad(), _watched([layer for _, layer in own]) as seen:
            part.compose(part.embedding(steps.unit_ids()), steps)
        for (before, layer), outputs in zip(own, seen, strict=True):
            opened = torch.cat(outputs)
            if isinstance(part, BiGran) and layer is part.backwards:
                opened = steps.mirrored(opened)
            names = _GATES[layer.variant]
            for name, gate in zip(names, steps.in_order(opened).chunk(len(names), dim=1), strict=True):
                norms[before + name] = gate.double().sum(dim=1).cpu().numpy()  # a gate's numbers are positive
    return norms


@contextmanager
def _watched(layers: Sequence[GatedLayer]) -> Iterator[list[list[torch.Tensor]]]:
    """What the gates of each layer were, one tensor a call, in the order of the steps."""
    seen: list[list[torch.Tensor]] = [[] for _ in layers]

    def keep(outputs: list[torch.Tensor], output: torch.Tensor) -> None:
        outputs.append(output)

    handles = [
        layer.open.register_forward_hook(
            lambda module, inputs, output, outputs=outputs: keep(outputs, output)
        )
        for layer, outputs in zip(layers, seen, strict=True)
    ]
    try:
        yield seen
    finally:
        for handle in handles:
            handle.remove()


def _units_of_words(
    sentence: AnnotatedSentence, units: Sequence[str]
) -> list[tuple[AnnotatedWord, list[int]]]:
    """Each word with the numbers of the units that lie in its characters."""
    owned: list[tuple[AnnotatedWord, list[int]]] = [(word, []) for word in sentence.words]
    spans = [(*word.span, own) for word, own in owned if word.span]
    place = word = 0
    for number, unit in enumerate(units):
        start = sentence.text.find(unit, place)
        if start < 0:  # a tokenizer can write a unit differently from the text
            continue
        place = start + len(unit)
        while word < len(spans) and spans[word][1] <= start:
            word += 1
        if word < len(spans) and spans[word][0] <= start and place <= spans[word][1]:
            spans[word][2].append(number)
    return owned
