"""The nearest of many vectors by cosine, by a product of small whole numbers: for x86 processors with AVX2.

The vectors, less their mean, are rounded to whole numbers of 7 or 8 bits. A tile of their products never
leaves the registers: it is compared there with the limits of its rows and columns. Only cells that reach a
limit are looked at one by one, by the product in float64, so the choice does not depend on the rounding.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.registry import cpu_target
from numba.extending import intrinsic

from ...base.compiled import compiled, unordered

_TORCH = torch.backends.cpu.get_cpu_capability()  # obeys ATEN_CPU_CAPABILITY
_NUMBA = cpu_target.target_context.codegen().magic_tuple()[2].split(",")  # obeys NUMBA_CPU_FEATURES
_WIDE = _TORCH == "AVX512" and "+avx512vnni" in _NUMBA
IS_AVAILABLE = _WIDE or (_TORCH in ("AVX2", "AVX512") and "+avx2" in _NUMBA)

# AVX-512 VNNI adds up products of numbers of 8 bits in 32 bits. AVX2 adds them up in 16 bits, which hold four
# products of numbers of 7 bits: 4 · 127 · 63 < 2^15. The left side has no sign, so _ZERO is added to it.
_LARGEST = 127 if _WIDE else 63
_ZERO = _LARGEST + 1
_LANES = 16 if _WIDE else 8  # sums of 32 bits in a register
_ROWS, _COLUMNS = (8, 32) if _WIDE else (4, 16)  # of a tile, whose sums fill half of the registers
_STEP = 8  # numbers of a vector that a tile multiplies at once
_BLOCK_ROWS, _BLOCK_COLUMNS = 64, 512  # rows stay in the L1 cache, columns in L2
_FINEST = 2.0**-12  # the smallest step of the rounding, so that cosines are below 2^25 steps²
_NEVER = 2**31 - 1  # no sum reaches it
_FAR = -(2**29)  # below all limits
_ROUNDED_ROWS = 512  # sentences that are rounded at once
_FEWEST = 2048  # sentences for which threads are worth their start
EQUAL = 1e-12  # cosines that differ by less are equal; float64 loses less


def nearest_by_products(
    units: np.ndarray,
    same_side: bool,
    labels: tuple[np.ndarray, np.ndarray],
    best: np.ndarray,
    nearest: np.ndarray,
) -> None:
    """For each of 2n vectors the nearest by cosine that is not excluded, the first of equals.

    units: (2n, dimension) float32, of length 1 or 0. same_side: whether a vector's own half is searched too.
    labels: two numbers for each vector; it excludes all whose first number is one of its two. best, nearest:
    (2n,) float64 and int64, a cosine and a choice to begin with, which are replaced by higher cosines.
    """
    search = _Search(units, labels, best, nearest)
    threads = torch.get_num_threads() if len(units) >= _FEWEST else 1
    if threads == 1:
        for pairs in search.rounds(same_side, 1):
            for pair in pairs:
                search.run(*pair)
    else:
        with ThreadPoolExecutor(threads) as pool:
            for pairs in search.rounds(same_side, threads):
                list(pool.map(lambda pair: search.run(*pair), pairs))
    nearest[:] = search.nearest[search.places]


class _Search:
    """The two sides of the product, and what each sentence has found.

    Each half of the sentences is filled up to whole tiles; `places` are the sentences' rows among all.
    """

    def __init__(
        self, units: np.ndarray, labels: tuple[np.ndarray, np.ndarray], best: np.ndarray, nearest: np.ndarray
    ) -> None:
        count = len(units)
        self._half = -(-(count // 2) // _COLUMNS) * _COLUMNS
        self.places = np.arange(count)
        self.places[count // 2 :] += self._half - count // 2
        self._units = units
        self._label, self._partner = (self._placed(numbers, -1) for numbers in labels)
        self._sentence = self._placed(np.arange(count), -1)
        self._best, self.nearest = self._placed(best, 0.0), self._placed(nearest, -1)
        self._round(units)
        lowest = np.floor((best - self._slack[self.places]) / self._step**2) - 2
        self._limit = self._placed(lowest.astype(np.int32), _NEVER)

    def _placed(self, values: np.ndarray, filling: float) -> np.ndarray:
        placed = np.full(2 * self._half, filling, values.dtype)
        placed[self.places] = values
        return placed

    def _round(self, units: np.ndarray) -> None:
        """Both sides of the product, what is added to it, and how far it may be from a cosine.

        With m the mean, x = u − m and q the whole numbers nearest to x / step, a cosine is
        m·m + m·x + m·x' + x·x', and |x·x' − step² q·q'| ≤ |x − step q| |step q'| + |x| |x' − step q'|.
        """
        count, dimension = units.shape
        mean = units.mean(axis=0)
        largest = max((units.max(axis=0) - mean).max(), (mean - units.min(axis=0)).max())
        self._step = max(float(largest) / _LARGEST, _FINEST)
        width = -(-dimension // _STEP) * _STEP
        numbers = np.zeros((2 * self._half, width), np.int8)
        base, offset = np.zeros(count, np.int32), np.zeros(count, np.int32)
        length, lost = np.zeros(count), np.zeros(count)
        for start in range(0, count, _ROUNDED_ROWS):
            rows = slice(start, start + _ROUNDED_ROWS)
            x = units[rows] - mean
            base[rows] = np.rint((x @ mean + mean @ mean / 2) / self._step**2)
            length[rows] = np.sqrt(np.einsum("ij,ij->i", x, x))
            q = x * np.float32(1 / self._step)
            np.rint(q, out=q)
            offset[rows] = _ZERO * q.sum(axis=1)
            numbers[self.places[rows], :dimension] = q.astype(np.int8)
            q *= np.float32(self._step)
            x -= q
            lost[rows] = np.sqrt(np.einsum("ij,ij->i", x, x))
        most = lost.max()
        # The last part is more than what float32 loses above.
        slack = lost * (length.max() + most) + length * most + dimension * 2.0**-21
        self._slack = self._placed(slack, 0.0)
        self._row_base = self._placed(base, _FAR)
        self._column_base = self._placed(base - offset, _FAR)
        self._left = numbers.view(np.uint8) + np.uint8(_ZERO)
        # For each tile's columns together: four numbers of each column, then the next four.
        fours = numbers.view(np.int32).reshape(-1, _COLUMNS, width // 4)
        self._right = np.ascontiguousarray(fours.swapaxes(1, 2))

    def rounds(self, same_side: bool, threads: int) -> Iterator[list[tuple[slice, slice]]]:
        """All rows and columns to search, in lists of pairs that have no sentence in common."""
        strips = threads if threads == 1 or not same_side else 2 * threads
        if not same_side:
            rows, columns = (
                self._strips(0, self._half, strips),
                self._strips(self._half, 2 * self._half, strips),
            )
            for turn in range(strips):
                yield list(zip(rows, columns[turn:] + columns[:turn], strict=True))
            return
        all_strips = self._strips(0, 2 * self._half, strips)
        yield [(strip, strip) for strip in all_strips]
        first, others = all_strips[0], all_strips[1:]
        for _ in others:  # as in a tournament, in which each meets each other once
            order = [first, *others]
            yield [
                (min(pair, key=lambda strip: strip.start), max(pair, key=lambda strip: strip.start))
                for pair in zip(order[: strips // 2], reversed(order[strips // 2 :]), strict=True)
            ]
            others = others[1:] + others[:1]

    def _strips(self, start: int, stop: int, number: int) -> list[slice]:
        cuts = [start + (stop - start) // _COLUMNS * turn // number * _COLUMNS for turn in range(number)]
        return [slice(*ends) for ends in zip(cuts, [*cuts[1:], stop], strict=True)]

    def run(self, rows: slice, columns: slice) -> None:
        """Compares all sentences of `rows` with all of `columns`, which lie behind or are the same."""
        _search(
            self._left,
            self._right,
            self._row_base,
            self._column_base,
            (rows.start, rows.stop),
            (columns.start, columns.stop),
            self._units,
            self._sentence,
            self._label,
            self._partner,
            self._slack,
            self._step**2,
            self._limit,
            self._best,
            self.nearest,
        )


class _Tile:
    """Writes the code of a tile: _ROWS vectors of the left side by _COLUMNS of the right."""

    def __init__(self, builder: Any) -> None:
        self.builder = builder
        self.byte, self.word, self.integer, self.address = (ir.IntType(bits) for bits in (8, 16, 32, 64))
        self.sums = ir.VectorType(self.integer, _LANES)
        self.bytes = ir.VectorType(self.byte, 4 * _LANES)
        self.words = ir.VectorType(self.word, 2 * _LANES)
        self.registers = _COLUMNS // _LANES

    def place(self, start: Any, offset: int) -> Any:
        return self.builder.add(start, ir.Constant(self.address, offset))

    def load(self, start: Any, offset: int, kind: Any) -> Any:
        place = self.builder.inttoptr(self.place(start, offset), kind.as_pointer())
        return self.builder.load(place, align=4)

    def store(self, value: Any, start: Any, offset: int) -> None:
        place = self.builder.inttoptr(self.place(start, offset), value.type.as_pointer())
        self.builder.store(value, place, align=4)

    def spread(self, start: Any, offset: int) -> Any:
        """A register whose parts are all the 32 bits at an address."""
        undefined = ir.Constant(self.sums, ir.Undefined)
        value = self.load(start, offset, self.integer)
        first = self.builder.insert_element(undefined, value, ir.Constant(self.integer, 0))
        order = ir.Constant(ir.VectorType(self.integer, _LANES), [0] * _LANES)
        return self.builder.shuffle_vector(first, undefined, order)

    def call(self, name: str, result: Any, *arguments: Any) -> Any:
        kind = ir.FunctionType(result, [argument.type for argument in arguments])
        function = cgutils.get_or_insert_function(self.builder.module, kind, name)
        return self.builder.call(function, arguments)

    def added(self, total: Any, left: Any, right: Any) -> Any:
        """`total` plus the products of two steps of four numbers."""
        if _WIDE:
            for one, other in zip(left, right, strict=True):
                other = self.builder.bitcast(other, self.sums)
                total = self.call("llvm.x86.avx512.vpdpbusd.512", self.sums, total, one, other)
            return total
        pairs = [
            self.call("llvm.x86.avx2.pmadd.ub.sw", self.words, self.builder.bitcast(one, self.bytes), other)
            for one, other in zip(left, right, strict=True)
        ]
        ones = ir.Constant(self.words, [1] * 2 * _LANES)
        fours = self.call("llvm.x86.avx2.pmadd.wd", self.sums, self.builder.add(*pairs), ones)
        return self.builder.add(total, fours)

    def products(self, left: Any, stride: Any, right: Any, steps: Any) -> list[Any]:
        """The products of all rows with all columns, a register for LANES columns of a row."""
        builder = self.builder
        before, loop, end = builder.block, builder.append_basic_block(), builder.append_basic_block()
        rows = [
            builder.add(left, builder.mul(stride, ir.Constant(self.address, row))) for row in range(_ROWS)
        ]
        builder.branch(loop)
        builder.position_at_end(loop)
        step = builder.phi(self.address)
        totals = [builder.phi(self.sums) for _ in range(_ROWS * self.registers)]
        place = builder.mul(step, ir.Constant(self.address, _STEP))
        panel = builder.add(right, builder.mul(step, ir.Constant(self.address, _STEP * _COLUMNS)))
        columns = [
            [self.load(panel, half * 4 * _COLUMNS + 4 * _LANES * k, self.bytes) for half in range(2)]
            for k in range(self.registers)
        ]
        added = []
        for row, start in enumerate(rows):
            numbers = [self.spread(builder.add(start, place), 4 * half) for half in range(2)]
            for k, column in enumerate(columns):
                added.append(self.added(totals[row * self.registers + k], numbers, column))
        following = builder.add(step, ir.Constant(self.address, 1))
        step.add_incoming(ir.Constant(self.address, 0), before)
        step.add_incoming(following, loop)
        for total, sum_ in zip(totals, added, strict=True):
            total.add_incoming(ir.Constant(self.sums, [0] * _LANES), before)
            total.add_incoming(sum_, loop)
        builder.cbranch(builder.icmp_unsigned("<", following, steps), loop, end)
        builder.position_at_end(end)
        return added

    def compared(self, products: list[Any], arguments: Any) -> Any:
        builder = self.builder
        row_base, column_base, row_limit, column_limit, out, hits = arguments
        some = ir.Constant(self.integer, 0)
        for row in range(_ROWS):
            bits = ir.Constant(self.integer, 0)
            base, limit = self.spread(row_base, 4 * row), self.spread(row_limit, 4 * row)
            for k in range(self.registers):
                at = 4 * _LANES * k
                value = builder.add(products[row * self.registers + k], self.load(column_base, at, self.sums))
                value = builder.add(value, base)
                self.store(value, out, 4 * _COLUMNS * row + at)
                theirs = self.load(column_limit, at, self.sums)
                lower = builder.select(builder.icmp_signed("<", limit, theirs), limit, theirs)
                hit = builder.icmp_signed(">=", value, lower)
                part = builder.zext(builder.bitcast(hit, ir.IntType(_LANES)), self.integer)
                bits = builder.or_(bits, builder.shl(part, ir.Constant(self.integer, _LANES * k)))
            self.store(bits, hits, 4 * row)
            some = builder.or_(some, bits)
        return some


def _typed_tile(
    typing: Any,
    left: Any,
    stride: Any,
    right: Any,
    steps: Any,
    row_base: Any,
    column_base: Any,
    row_limit: Any,
    column_limit: Any,
    out: Any,
    hits: Any,
) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        tile = _Tile(builder)
        return tile.compared(tile.products(*arguments[:4]), arguments[4:])

    return types.uint32(*[types.uintp] * 10), code


def _typed_lowest_bit(typing: Any, bits: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 1))

    return types.uint32(types.uint32), code


_tile: Any = intrinsic(_typed_tile)
_lowest_bit: Any = intrinsic(_typed_lowest_bit)


@unordered
def _exact_cosine(left: np.ndarray, right: np.ndarray) -> float:
    """The product of two vectors, added up in float64."""
    total = 0.0
    for i in range(len(left)):
        total += np.float64(left[i]) * np.float64(right[i])
    return total


@compiled
def _search(
    left: np.ndarray,
    right: np.ndarray,
    row_base: np.ndarray,
    column_base: np.ndarray,
    rows: tuple[int, int],
    columns: tuple[int, int],
    units: np.ndarray,
    sentence: np.ndarray,
    label: np.ndarray,
    partner: np.ndarray,
    slack: np.ndarray,
    quantum: float,
    limit: np.ndarray,
    best: np.ndarray,
    nearest: np.ndarray,
) -> None:
    """Replaces `best` and `nearest` of the sentences in `rows` and in `columns` by what is nearer.

    quantum: the cosine that a sum of 1 stands for. limit: the lowest sum of a cosine that may reach `best`.
    """
    sums, hits = np.empty((_ROWS, _COLUMNS), np.int32), np.empty(_ROWS, np.uint32)
    width = left.shape[1]
    for block_column in range(columns[0], columns[1], _BLOCK_COLUMNS):
        end_column = min(block_column + _BLOCK_COLUMNS, columns[1])
        for block_row in range(rows[0], min(rows[1], end_column), _BLOCK_ROWS):
            end_row = min(block_row + _BLOCK_ROWS, rows[1])
            for column in range(block_column, end_column, _COLUMNS):
                for row in range(block_row, min(end_row, column + _COLUMNS), _ROWS):
                    some = _tile(
                        left.ctypes.data + row * width,
                        width,
                        right.ctypes.data + column * width,
                        width // _STEP,
                        row_base.ctypes.data + 4 * row,
                        column_base.ctypes.data + 4 * column,
                        limit.ctypes.data + 4 * row,
                        limit.ctypes.data + 4 * column,
                        sums.ctypes.data,
                        hits.ctypes.data,
                    )
                    if some == 0:
                        continue
                    for i in range(_ROWS):
                        bits = hits[i]
                        while bits:
                            j = np.int64(_lowest_bit(bits))
                            bits &= bits - np.uint32(1)
                            own, other = np.int64(row + i), column + j
                            if own >= other:  # the other half of a tile on the diagonal
                                continue
                            is_known = False
                            cosine = 0.0
                            for _ in range(2):
                                own, other = other, own
                                if sums[i, j] < limit[own]:
                                    continue
                                if label[other] == label[own] or label[other] == partner[own]:
                                    continue
                                if not is_known:
                                    is_known = True
                                    cosine = _exact_cosine(units[sentence[own]], units[sentence[other]])
                                if cosine > best[own] + EQUAL:
                                    nearest[own] = sentence[other]
                                elif cosine >= best[own] - EQUAL:
                                    nearest[own] = min(nearest[own], sentence[other])
                                if cosine > best[own]:
                                    best[own] = cosine
                                    limit[own] = np.int32(np.floor((cosine - slack[own]) / quantum)) - 2
