"""Table 5 of ParaNMT-50M: the size of mega-batches."""

from ..models.sts.set_lists import SETS_25
from .encoders import AVG, BILSTM_AVG, P_EPOCHS, P_SCRAMBLE
from .p_table_3 import SHORT
from .paper_table import Close, Greater, PaperTable, System, options

_ENCODERS = (
    ("Word Avg.", AVG, 0.0, (82.3, 84.0, 84.1)),
    ("BiLSTM Avg.", BILSTM_AVG, P_SCRAMBLE, (82.4, 85.0, 85.1)),
)

TABLE = PaperTable(
    name="p-table-5",
    paper="Wieting and Gimpel 2018, ParaNMT-50M",
    number=5,
    title="the number of mini-batches in a mega-batch",
    systems=tuple(
        System(
            name=f"mega-batch {size}",
            group=group,
            paper=paper,
            sets={"2017": paper},
            source=SHORT,
            options=options(encoder, epochs=P_EPOCHS, mega_batch=size, scramble=scramble),
        )
        for group, encoder, scramble, figures in _ENCODERS
        for size, paper in zip((1, 20, 40), figures, strict=True)
    ),
    claims=tuple(
        claim
        for group, *_ in _ENCODERS
        for claim in (
            Greater(
                claim=f"{group}: 20 is better than 1",
                left=(group, "mega-batch 20"),
                right=(group, "mega-batch 1"),
            ),
            Close(
                claim=f"{group}: 40 is as good as 20",
                left=(group, "mega-batch 40"),
                right=(group, "mega-batch 20"),
            ),
        )
    ),
    set_list=SETS_25,
    dev_sets="sts2017",
    differs=(
        "the paper's figures are of the 250 pairs of STS 2017, after training on 5,000,000 pairs, which are "
        "also of the best two tenths by a score",
    ),
)
