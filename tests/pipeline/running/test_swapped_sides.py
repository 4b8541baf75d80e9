"""The warning about inputs whose source and reference are in each other's language."""

from pathlib import Path

import pytest

from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.plan import make_plan
from paranmt.pipeline.running.swapped_sides import swapped_sides

CZECH = [
    "Dva psi běží po pláži k moři.",
    "Včera jsme celý den čekali na vlak do Prahy.",
    "Zítra bude pršet a ochladí se.",
]
ENGLISH = [
    "Two dogs are running along the beach to the sea.",
    "Yesterday we waited all day for the train to Prague.",
    "It will rain tomorrow and get colder.",
]


@pytest.mark.parametrize(
    ("source", "reference", "languages", "is_swapped"),
    [
        (CZECH, ENGLISH, ("cs", "en"), False),
        (ENGLISH, CZECH, ("cs-CZ", "en"), True),
        ([*CZECH, ENGLISH[0]], [*ENGLISH, CZECH[0]], ("cs", "en"), False),
        (ENGLISH, CZECH, ("en", "cs"), False),
        (ENGLISH, CZECH, ("xx", "en"), False),  # a language that py3langid does not know
        (ENGLISH, ENGLISH, ("en", "en"), False),
    ],
)
def test_only_more_swapped_than_right_rows_are_warned_of(
    tmp_path: Path, source: list[str], reference: list[str], languages: tuple[str, str], is_swapped: bool
) -> None:
    (tmp_path / "a").write_text("".join(f"{text}\n" for text in source))
    (tmp_path / "b").write_text("".join(f"{text}\n" for text in reference))
    (tmp_path / "c").write_text("?\n" * len(source))
    (tmp_path / "recipe.yaml").write_text(
        f"""bitext: [{{corpus: news, format: moses, source: a, reference: b, translation: c,
          source_language: {languages[0]}, reference_language: {languages[1]}}}]\n"""
    )
    warnings = swapped_sides(make_plan(Recipe.load(tmp_path / "recipe.yaml")))
    expected = (
        "warning: corpus news: source and reference look swapped: of the first 3 pairs, 3 have a source in "
        "en and a reference in cs; correct the entry, unless this is how it should be"
    )
    assert warnings == ([expected] if is_swapped else [])
