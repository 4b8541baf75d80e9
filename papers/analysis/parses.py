"""The entropy of parse trees (Wieting and Gimpel 2018, table 2), from given parses.

A tree is cut off two levels below its root, so that structures occur more than once: `S(NP VP .)` is left of
`(ROOT (S (NP …) (VP …) (. .)))`. The paper's parses are constituents of the Stanford Parser. For dependency
parses, which the paper does not have, the structure is the part of speech of the root word and the labels of
its dependents, in their order: `nsubj VERB obj punct`.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ...base.errors import InputError
from ...base.streams import numbered_lines, utf8_lines
from ...models.evaluation.table import Column, Row, Table, Value
from .conllu import AnnotatedSentence, read_conllu

_TOKEN = re.compile(r"[()]|[^\s()]+")
_ROOTS = frozenset({"", "ROOT", "TOP", "S1"})
_TRACE = "-NONE-"


@dataclass
class Constituent:
    """The label of a constituent and the constituents in it, without its words."""

    label: str = ""
    children: list["Constituent"] = field(default_factory=list)
    has_word: bool = False


def parse_table(files: Sequence[str]) -> Table:
    """The entropy of the structures in each file of parses, in nats."""
    rows = []
    for file in files:
        counts = Counter(structures(file))
        sentences = sum(counts.values())
        values: dict[str, Value] = {"file": file, "sentences": sentences, "structures": len(counts)}
        rows.append(Row({**values, "parse_entropy": entropy(counts)}))
    return Table(
        caption="Entropy of the parses, cut off two levels below the root, in nats.",
        columns=(
            Column(name="file", type="text", meaning="the file of parses"),
            Column(name="sentences", type="count", meaning="parses"),
            Column(name="structures", type="count", meaning="different structures"),
            Column(
                name="parse_entropy",
                title="parse ent.",
                type="number",
                digits=2,
                meaning="entropy of the structures, in nats",
            ),
        ),
        main="parse_entropy",
        rows=rows,
    )


def entropy(counts: Counter[str]) -> float:
    """The entropy of relative frequencies, in nats; 0.0 if there are none.

    >>> round(entropy(Counter("aabc")) / math.log(2), 12)
    1.5
    """
    total = counts.total()
    return max(0.0, -math.fsum(n / total * math.log(n / total) for n in counts.values()))


def structures(url: str) -> Iterator[str]:
    """The structure of each parse in a file, which is CoNLL-U or has trees in brackets; may be compressed.

    A file whose first character is an opening bracket has trees. InputError if it is neither, or damaged.
    """
    lines = (line.strip() for _, line in utf8_lines(url, numbered_lines(url)))
    if next(filter(None, lines), "").startswith("("):
        return map(_of_tree, read_trees(url))
    return (_of_dependencies(url, sentence) for sentence in read_conllu(url))


def read_trees(url: str) -> Iterator[Constituent]:
    """The trees of a file in brackets, as in the Penn Treebank; a tree may have several lines.

    Labels lose functions and indices (`NP-SBJ-1` is `NP`). Traces (`-NONE-`) and what has no other word are
    left out.
    """
    inside: list[Constituent] = []
    is_label, number = False, 0
    for number, line in utf8_lines(url, numbered_lines(url)):
        for token in _TOKEN.findall(line):
            if token == "(":
                inside.append(Constituent())
                is_label = True
                continue
            if not inside:
                raise InputError(
                    f"{url}, line {number}: expected a tree, which begins with a bracket, got {line[:60]!r}"
                )
            if token == ")":
                tree = inside.pop()
                if not inside:
                    yield tree
                elif tree.label != _TRACE and (tree.has_word or tree.children):
                    inside[-1].children.append(tree)
            elif is_label:
                inside[-1].label = _category(token)
            else:
                inside[-1].has_word = True
            is_label = False
    if inside:
        raise InputError(f"{url}, line {number}: the file ends within a tree; a closing bracket is missing")


def _category(label: str) -> str:
    """A label without its function and index; labels such as -LRB- stay.

    >>> _category("NP-SBJ-1"), _category("NP=2"), _category("-LRB-"), _category("-NONE-")
    ('NP', 'NP', '-LRB-', '-NONE-')
    """
    return label if label.startswith(("-", "=")) else re.split("[-=]", label)[0]


def _of_tree(tree: Constituent) -> str:
    """A tree's structure; a label that names no constituent (`ROOT`, or none) is the root itself.

    >>> leaf = Constituent("NN", has_word=True)
    >>> _of_tree(Constituent("ROOT", [Constituent("FRAG", [leaf, leaf])]))
    'FRAG(NN NN)'
    """
    below = tree.children if tree.label in _ROOTS else [tree]
    return " ".join(f"{node.label}({' '.join(child.label for child in node.children)})" for node in below)


def _of_dependencies(url: str, sentence: AnnotatedSentence) -> str:
    root = next((number for number, word in enumerate(sentence.words, 1) if word.head == 0), None)
    if root is None:
        raise InputError(
            f"{url}: expected dependency parses, but no word has the head 0 in {sentence.text[:60]!r}"
        )
    labels = {root: sentence.words[root - 1].upos}
    labels |= {n: word.deprel for n, word in enumerate(sentence.words, 1) if word.head == root}
    return " ".join(labels[number] for number in sorted(labels))
