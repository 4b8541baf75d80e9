"""Kernels in Triton; `kernels` decides when they run and documents them."""

import triton
import triton.language as tl


@triton.jit
def scan_kernel(  # type: ignore[no-untyped-def]
    logits, normalisers, maxima, types, blocks, first, second, BLOCK: tl.constexpr, TILE: tl.constexpr
):
    """`kernels.scan`, with one program for each row."""
    row = tl.program_id(0).to(tl.int64)
    start_of_row = logits + row * types
    highest = -float("inf")
    total = 0.0
    for start in range(0, types, TILE):
        columns = start + tl.arange(0, TILE)
        inside = columns < types
        values = tl.load(start_of_row + columns, mask=inside, other=-float("inf"))
        higher = tl.maximum(highest, tl.max(values, axis=0))
        # A tile with nothing but −inf must not lead to exp(−inf − −inf).
        base = tl.where(higher == -float("inf"), 0.0, higher)
        total = total * tl.exp(highest - base) + tl.sum(tl.exp(values - base), axis=0)
        highest = higher
        banned = (columns == first) | (columns == second)
        values = tl.where(banned, -float("inf"), values)
        tl.store(start_of_row + columns, values, mask=banned & inside)
        best = tl.max(tl.reshape(values, (TILE // BLOCK, BLOCK)), axis=1)
        places = start // BLOCK + tl.arange(0, TILE // BLOCK)
        tl.store(maxima + row * blocks + places, best, mask=places < blocks)
    tl.store(normalisers + row, highest + tl.log(total))
