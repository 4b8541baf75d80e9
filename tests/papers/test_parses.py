"""The entropy of parse trees, worked by hand and compared with scipy's (Wieting and Gimpel 2018, table 2)."""

import gzip
import math
from collections import Counter
from pathlib import Path

import pytest
import scipy.stats

from paranmt.base.errors import InputError
from paranmt.papers.analysis.parses import parse_table, structures

# The second tree has several lines, functions and traces; the third has an empty label, the fourth no root.
TREES = """\
(ROOT (S (NP (PRP They)) (VP (VBP stay)) (. .)))

(TOP
  (S (NP-SBJ-1 (DT The) (NN cat))
     (VP (VBD was) (VP (VBN seen) (NP (-NONE- *-1))))
     (NP=2 (-NONE- *T*))
     (. .)))
( (FRAG (NN yes) (-RRB- -RRB-)) )
(S (NP (NN x)))
(ROOT (UH yes))
(ROOT (S (NP (DT a))) (S (VP (VB go))))
"""
STRUCTURES = ["S(NP VP .)", "S(NP VP .)", "FRAG(NN -RRB-)", "S(NP)", "UH()", "S(NP) S(VP)"]

CONLLU = """\
1\tThey\tthey\tPRON\tPRP\t_\t4\tnsubj\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
2\tdo\tdo\tAUX\tVBP\t_\t4\taux\t_\t_
3\tn't\tnot\tPART\tRB\t_\t4\tadvmod\t_\t_
4\tstay\tstay\tVERB\tVB\t_\t0\troot\t_\t_
5\there\there\tADV\tRB\t_\t4\tadvmod\t_\t_
6\ttoo\ttoo\tADV\tRB\t_\t5\tadvmod\t_\t_

1\tYes\tyes\tINTJ\tUH\t_\t0\troot\t_\t_
"""


def write(path: Path, text: str) -> str:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return str(path)


@pytest.mark.parametrize("name", ["a.mrg", "a.txt.gz"])
def test_trees_in_brackets(tmp_path: Path, name: str) -> None:
    assert list(structures(write(tmp_path / name, "\n" + TREES))) == STRUCTURES


def test_dependencies(tmp_path: Path) -> None:
    """The root word has its part of speech, and only its own dependents count."""
    found = list(structures(write(tmp_path / "a.conllu", CONLLU)))
    assert found == ["nsubj aux advmod VERB advmod", "INTJ"]


def test_the_entropy(tmp_path: Path) -> None:
    files = [write(tmp_path / "a.mrg", TREES), write(tmp_path / "b.conllu", CONLLU)]
    trees, dependencies = (row.values for row in parse_table(files).rows)
    assert (trees["file"], trees["sentences"], trees["structures"]) == (files[0], 6, 5)
    # One structure has 2 of 6, and four have 1.
    assert trees["parse_entropy"] == pytest.approx(math.log(6) - 2 * math.log(2) / 6)
    assert trees["parse_entropy"] == pytest.approx(scipy.stats.entropy([*Counter(STRUCTURES).values()]))
    assert dependencies["parse_entropy"] == pytest.approx(math.log(2))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(ROOT (S (NP", "line 1: the file ends within a tree; a closing bracket is missing"),
        ("(ROOT (S (NN x))))\n", r"line 1: expected a tree, which begins with a bracket, got '\(ROOT"),
        ("(S (NN x))\nwords\n", "line 2: expected a tree, which begins with a bracket, got 'words'"),
        ("words\n", "line 1: expected the ten columns of CoNLL-U"),
        ("", "has no sentence"),
        (CONLLU.replace("\t0\troot", "\t_\troot"), 'no word has the head 0 in "They don\'t stay here too"'),
    ],
)
def test_what_is_no_parse(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        list(structures(write(tmp_path / "a.txt", text)))
