"""Table 12 of ParaNMT-50M: captions and other pairs of the STS Benchmark."""

from dataclasses import replace

from . import p_table_7
from .i_table_3 import BILSTM_MAX, SNLI, training
from .i_table_4 import ALL_NLI
from .paper_table import Greater, Inference, PaperTable, System

TRIGRAM_WORD = next(
    system for system in p_table_7.TABLE.systems if system.name == "Trigram-Word (concatenation)"
)
INFERSENT = tuple(
    System(name=f"InferSent ({source.corpus})", source=source, options=training(BILSTM_MAX), task=Inference())
    for source in (ALL_NLI, SNLI)
)
"""InferSent, trained on both corpora and on SNLI alone."""
INFERSENT_DIFFERS = (
    "InferSent is trained here as in its table 3, instead of taken from its authors, and on as many pairs as "
    "Trigram-Word"
)
# The columns: the result, then the figures of AllNLI, of SNLI and of Trigram-Word.
_COLUMNS: dict[str, tuple[str, tuple[float | None, ...]]] = {
    "Tr. (All)": ("STSB, trained", (75.9, 75.9, None)),
    "Tr. (Cap.)": ("STSB captions, trained", (85.4, 86.4, None)),
    "Tr. (No Cap.)": ("STSB non-captions, trained", (64.8, 63.1, None)),
    "Cos. (All)": ("STSB-test", (70.6, 67.3, 79.9)),
    "Cos. (Cap.)": ("STSB-test captions", (83.0, 83.4, 87.1)),
    "Cos. (No Cap.)": ("STSB-test non-captions", (56.6, 51.7, 71.7)),
}

TABLE = PaperTable(
    name="p-table-12",
    paper=p_table_7.TABLE.paper,
    number=12,
    title="the STS Benchmark with and without captions",
    systems=tuple(
        replace(system, group=group, paper=paper, sets={}, evaluations=("sts", "supervised"), figure=figure)
        for group, (figure, column) in _COLUMNS.items()
        for system, paper in zip((*INFERSENT, TRIGRAM_WORD), column, strict=True)
    ),
    claims=tuple(
        Greater(
            claim=f"{group}: Trigram-Word is better than {other.name}",
            left=(group, TRIGRAM_WORD.name),
            right=(group, other.name),
        )
        for group in _COLUMNS
        for other in INFERSENT
    ),
    set_list=p_table_7.TABLE.set_list,
    dev_sets=p_table_7.TABLE.dev_sets,
    differs=(
        INFERSENT_DIFFERS,
        "the paper does not have the rows of Trigram-Word under Tr.",
    ),
)
