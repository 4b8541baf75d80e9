"""The page on which people judge pairs: one HTML file that needs no network."""

import json
from collections.abc import Sequence

from markupsafe import Markup

from ...base.templates import environment, resource, script_hash
from .answers import FORMAT, QUESTIONS
from .judged_pairs import JudgedPair, sample_hash

_PACKAGE = "paranmt.pipeline.judging"

# The scale is that of ParaNMT-50M as published (Wieting and Gimpel 2018, table 3), 1 to 3 for both questions;
# the words are ours.
CHOICES = {
    "strength": (
        "Do both sentences mean the same?",
        ("no: the meaning differs", "mostly: something is added, lost or changed", "yes: they mean the same"),
    ),
    "fluency": (
        "How fluent is the marked sentence?",
        (
            "hardly: hard to understand or broken",
            "some errors, but clear",
            "fluent: as a native speaker writes",
        ),
    ),
}
assert CHOICES.keys() == QUESTIONS.keys()


def judging_page(pairs: Sequence[JudgedPair], judges: int) -> str:
    """The page for these pairs. Each judge has an order of their own; no score is in the page."""
    data = {
        "format": FORMAT,
        "sample": sample_hash(pairs),
        # Sorted, because the sample's order follows the deciles.
        "pairs": sorted([pair.pair_id, pair.reference, pair.translation] for pair in pairs),
        "questions": [{"ask": ask, "choices": choices} for ask, choices in CHOICES.values()],
        "judges": judges,
    }
    # Inside a script element nothing but "<" could end it.
    inside = json.dumps(data, ensure_ascii=False).replace("<", "\\u003c").replace("\u2028", "\\u2028")
    script = resource(_PACKAGE, "judging.js")
    return (
        environment(_PACKAGE)
        .get_template("judging.html.jinja")
        .render(
            data=Markup(inside),
            script=script,
            script_hash=script_hash(script),
            style=resource(_PACKAGE, "judging.css"),
            pairs=len(pairs),
        )
    )
