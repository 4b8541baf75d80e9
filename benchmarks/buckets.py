"""Computes how often the sizes of decode steps return, to choose the sizes that are recorded as CUDA graphs.

    python benchmarks/buckets.py

Needs neither a model nor a GPU: batches follow from the lengths of the sentences and the steps of their
searches, which are drawn as for the other benchmarks. The nodes of a tree are taken to be a path and one more
node for each beam. For each way to round sizes it prints: the steps of a part; the share of the computed rows
that are padding; how many nodes of the tree a step reads; how many sizes ten parts have; and of the steps
after the first ten parts, the share that is played from a graph, with as many graphs as the engine keeps.
"""

import argparse
from collections import Counter
from collections.abc import Iterator

import numpy as np
import scheduled

from paranmt.models.translation.batching import Budget
from paranmt.models.translation.torch_engine.buffers import EXACT, Buckets, rounded
from paranmt.models.translation.torch_engine.capture import MOST, WARM
from paranmt.models.translation.torch_engine.network import MASK_MULTIPLE
from paranmt.models.translation.torch_engine.search import POLICIES
from paranmt.models.translation.torch_engine.state import ROOM_STEPS

BEAM, PART, PARTS = 12, 10_000, 30
CHOICES = (
    EXACT,
    *(Buckets(octave, 32, nodes) for octave in (8, 16) for nodes in (64, 96, 128)),
    Buckets(16, 16, 96),
)

Sizes = tuple[int, int, int, int]


def steps(seed: int, buckets: Buckets, budget: Budget) -> Iterator[tuple[Sizes, int]]:
    """The sizes of each step of a part as in `State.bucket`, and how many sentences it has."""
    sources, wanted = scheduled.lengths(np.random.default_rng(seed), PART)
    policy = POLICIES["cuda"]
    waiting = np.argsort(-sources, kind="stable")
    batch, made, keep = waiting[:0], np.zeros(PART, int), 1
    while len(waiting) or len(batch):
        count = budget.admitted(sources[waiting] + 1, sources[batch] + 1, keep)
        if count < len(waiting):
            count = max(0, buckets.full_rows(len(batch) + count) - len(batch))
        batch, waiting = np.concatenate([batch, waiting[:count]]), waiting[count:]
        made[batch] = np.maximum(made[batch], 1)
        keep = int(made[batch].max()) + BEAM
        room = rounded(keep + ROOM_STEPS * BEAM, int(np.lcm(MASK_MULTIPLE, buckets.nodes)))
        width = rounded(int(sources[batch].max()) + 1, buckets.tokens)
        for step in range(1, ROOM_STEPS + 1):
            read = min(rounded(keep + step * BEAM, buckets.nodes), room)
            yield (buckets.rows(len(batch)), width, read, room), len(batch)
            made[batch] += 1
            done = (made[batch] - policy.lag >= wanted[batch]).sum()
            if done >= max(1, policy.share * len(batch)):
                break
        batch = batch[made[batch] < wanted[batch]]


def main() -> None:
    """Compute and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--batch-tokens", type=int, nargs="+", default=[16_384, 65_536])
    print("batch_tokens  octave tokens nodes  steps  padding  read  sizes  from a graph")
    for tokens in parser.parse_args().batch_tokens:
        for buckets in CHOICES:
            print(f"{tokens:12,}  {_row(buckets, Budget(tokens, 49_152 // BEAM))}", flush=True)


def _row(buckets: Buckets, budget: Budget) -> str:
    seen: Counter[Sizes] = Counter()
    recorded: set[Sizes] = set()
    sentences = rows = nodes = total = played = sizes = 0
    for part in range(PARTS):
        for size, count in steps(part, buckets, budget):
            seen[size] += 1
            if seen[size] > WARM and len(recorded) < MOST:
                recorded.add(size)
            total += 1
            sentences, rows, nodes = sentences + count, rows + size[0], nodes + size[2]
            played += part >= 10 and size in recorded
        if part == 9:
            sizes, before = len(seen), total
    return (
        f"{buckets.octave:6} {buckets.tokens:6} {buckets.nodes:5} {total / PARTS:6.0f} "
        f"{1 - sentences / rows:8.1%} {nodes / total:5.0f} {sizes:6} {played / (total - before):13.0%}"
    )


if __name__ == "__main__":
    main()
