"""The tags that control paraphrases: which pairs get which, in both directions, and which are held out."""

import random
import re
from pathlib import Path

import pytest

from paranmt.base.errors import RecipeError
from paranmt.models.paraphrasing.control import REVERSIBLE, all_tags, check_control, tagged, training_pairs
from paranmt.models.translation.nmt_text import prepare_text
from paranmt.tokens.definition import normalise

REFERENCES = [f"reference {number}" for number in range(1_000)]
TRANSLATIONS = [f"translation {number}" for number in range(1_000)]


def test_each_direction_has_the_deciles_as_seen_from_its_sentence() -> None:
    deciles = {"trigram_overlap": [1 + row % 10 for row in range(1_000)], "length_ratio": [10, None] * 500}
    found = list(training_pairs(REFERENCES, TRANSLATIONS, deciles, (False, True), REVERSIBLE, 7))
    assert len(found) == 2_000
    with_tags = 0
    for row, (reference, translation) in enumerate(zip(REFERENCES, TRANSLATIONS, strict=True)):
        (forth, to_translation), (back, to_reference) = found[2 * row : 2 * row + 2]
        assert (to_translation, to_reference) == (translation, reference)
        if forth == reference:
            assert back == translation, "tags are left out for both directions of a pair"
            continue
        with_tags += 1
        overlap = f"<trigram_overlap={1 + row % 10}>"
        longer, shorter = ("<length_ratio=10> ", "<length_ratio=1> ") if row % 2 == 0 else ("", "")
        assert forth == f"{overlap} {longer}{reference}"
        assert back == f"{overlap} {shorter}{translation}"
    assert 870 <= with_tags <= 930
    again = training_pairs(REFERENCES[::-1], TRANSLATIONS[::-1], deciles, (False,), REVERSIBLE, 7)
    plain = {source for source, _ in again if not source.startswith("<")}
    assert plain == {source for source, _ in found[::2] if not source.startswith("<")}


@pytest.mark.parametrize("directions", [(False,), (True,), (False, True)])
@pytest.mark.parametrize("control", [(), ("trigram_overlap", "length_ratio")])
@pytest.mark.parametrize("systems", [1, 3])
def test_no_held_out_sentence_is_trained_on(
    directions: tuple[bool, ...], control: tuple[str, ...], systems: int, tmp_path: Path
) -> None:
    """Whatever its tags, its side and the system. Systems sometimes agree, and copy the reference."""
    choose = random.Random(systems)
    references, translations = [], []
    for number in range(200):
        for system in range(systems):
            references.append(f"The reference {number} stands here.")
            version = choose.choice((number, number, f"{number} of {system}"))
            other = f"Here stands the translation {version}."
            translations.append(references[-1] if choose.random() < 0.1 else other)
    deciles = {column: [choose.randint(1, 10) for _ in references] for column in control}
    tags = all_tags(control)
    prepare_text(
        training_pairs(references, translations, deciles, directions, REVERSIBLE, 7),
        tmp_path,
        vocabulary=120,
        dev_pairs=30,
        seed=7,
        symbols=tags,
    )
    dev, train = (
        {
            normalise(re.sub(r"<\w+=\d+> ", "", line))
            for side in ("source", "reference")
            for line in (tmp_path / f"{name}.{side}").read_text().splitlines()
        }
        for name in ("dev", "train")
    )
    assert len(dev) > 10 and not dev & train
    assert dev | train == {normalise(text) for text in (*references, *translations)}


def test_an_empty_sentence_has_no_tags() -> None:
    assert tagged("", {"trigram_overlap": 1}) == "" and tagged(" \t", {"trigram_overlap": 1}) == " \t"


def test_tags_are_those_of_ten_deciles() -> None:
    assert len(all_tags(["trigram_overlap", "length_ratio"])) == 20
    assert tagged("A dog.", {}) == "A dog."


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ({"perplexity": 1}, "knows no 'perplexity'; there are: trigram_overlap"),
        ({"trigram_overlap": 11}, "expected a decile of trigram_overlap from 1 to 10, got 11"),
        ({"trigram_overlap": 0}, "from 1 to 10, got 0"),
    ],
)
def test_what_cannot_be_asked_for(wanted: dict[str, int], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        check_control(wanted, ("trigram_overlap",))
