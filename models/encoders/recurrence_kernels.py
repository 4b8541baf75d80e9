"""The compiled steps of `PeepholeLstm` on a CPU: all of a step but its product of matrices, in one pass.

Every operation is rounded as IEEE 754 says, so each processor gives the same bits.
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import types
from numba.extending import intrinsic

from ...base.compiled import compiled, fused, helper

# Of exp on ±ln 2 / 2, and of tanh on ±0.625: polynomials fitted for the smallest relative error, below 2⁻²⁷.
_E2, _E3, _E4, _E5, _E6 = map(np.float32, (0.49999994, 0.1666652, 0.041668393, 0.008368782, 0.0013814458))
_T3, _T5, _T7, _T9, _T11 = map(np.float32, (-0.33333284, 0.13331491, -0.05374348, 0.020650532, -0.005716989))
_SMALL = np.float32(0.625)
_LOWEST, _HIGHEST = np.float32(-87), np.float32(88)  # exp is a normal number in between
_PER_OCTAVE = np.float32(1 / np.log(2))
_OCTAVE = np.float32(0.693359375)  # ln 2 in two parts; the first has few enough bits to be multiplied exactly
_OCTAVE_REST = np.float32(np.log(2) - 0.693359375)
# Added to a small number, it leaves the nearest integer in the lowest bits.
_ROUNDER = np.float32(1.5 * 2**23)
_ZERO, _ONE, _TWO = map(np.float32, (0, 1, 2))


def _typed_power(typing: Any, number: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        integer = ir.IntType(32)
        exponent = builder.shl(builder.bitcast(arguments[0], integer), integer(23))
        return builder.bitcast(builder.add(exponent, integer(127 << 23)), ir.FloatType())

    return types.float32(types.float32), code


# 2ⁿ, for the n that adding _ROUNDER has left in the lowest bits of a float32.
_power: Any = intrinsic(_typed_power)


@helper
def _exp(x: np.float32) -> np.float32:
    """e to the x; NaN for NaN."""
    x = _LOWEST if x < _LOWEST else x
    x = _HIGHEST if x > _HIGHEST else x
    rounded = fused(x, _PER_OCTAVE, _ROUNDER)
    octaves = rounded - _ROUNDER
    r = fused(-octaves, _OCTAVE_REST, fused(-octaves, _OCTAVE, x))
    tail = fused(fused(fused(fused(_E6, r, _E5), r, _E4), r, _E3), r, _E2)
    return fused(tail * r, r, r + _ONE) * _power(rounded)


@helper
def _sigmoid(x: np.float32) -> np.float32:
    return _ONE / (_ONE + _exp(-x))


@helper
def _tanh(x: np.float32) -> np.float32:
    z = x * x
    tail = fused(fused(fused(fused(_T11, z, _T9), z, _T7), z, _T5), z, _T3)
    small = fused(tail * z, x, x)
    size = abs(x)
    large = _ONE - _TWO / (_exp(_TWO * size) + _ONE)
    return small if size < _SMALL else (large if x > 0 else -large)


@compiled
def forward_step(
    gates: np.ndarray,
    cells: np.ndarray,
    squashed: np.ndarray,
    states: np.ndarray,
    peepholes: np.ndarray,
    span: tuple[int, int, int],
    output_gate: bool,
) -> None:
    """A step of all sentences that have it.

    span: the first place of the step before, of this step, and behind it; equal first two: there is none
    before. gates: (units, 4 size); at these places, what i, f, o and the new content get from the vectors and
    states; it becomes what they are. cells, squashed (tanh of the cells), states: (units, size), filled.
    peepholes: (3, size), of i, f and o. All are contiguous float32.
    """
    before, start, end = span
    size = cells.shape[1]
    for place in range(start, end):
        row = gates[place]
        i, f, o, content = row[:size], row[size : 2 * size], row[2 * size : 3 * size], row[3 * size :]
        cell, tanh, state = cells[place], squashed[place], states[place]
        if start > before:
            former = cells[place - start + before]
            for k in range(size):
                i[k] = fused(former[k], peepholes[0, k], i[k])
            for k in range(size):
                f[k] = fused(former[k], peepholes[1, k], f[k])
        for k in range(2 * size):
            row[k] = _sigmoid(row[k])
        for k in range(size):
            content[k] = _tanh(content[k])
        for k in range(size):
            cell[k] = i[k] * content[k]
        if start > before:
            former = cells[place - start + before]
            for k in range(size):
                cell[k] = fused(f[k], former[k], cell[k])
        for k in range(size):
            o[k] = _sigmoid(fused(cell[k], peepholes[2, k], o[k]))
        for k in range(size):
            tanh[k] = _tanh(cell[k])
        for k in range(size):
            state[k] = o[k] * tanh[k] if output_gate else tanh[k]


@compiled
def backward_step(
    gates: np.ndarray,
    cells: np.ndarray,
    squashed: np.ndarray,
    peepholes: np.ndarray,
    of_states: np.ndarray,
    of_gates: np.ndarray,
    of_later_states: np.ndarray,
    of_later_cells: np.ndarray,
    span: tuple[int, int, int],
    later: int,
    output_gate: bool,
) -> None:
    """The gradients of a step, given those of the step after it, which has `later` sentences.

    of_states: (units, size), the gradients of the states from outside. of_later_states: (later, size), what
    the next step adds. of_later_cells: (sentences, size), the gradients that cells get from the next step;
    it becomes those that the cells of the step before get. of_gates: (units, 4 size), filled at these
    places: the gradients before the squashing functions. The rest as for `forward_step`.
    """
    before, start, end = span
    size = cells.shape[1]
    of_cell = np.empty(size, np.float32)
    for place in range(start, end):
        row, slopes, tanh, given = gates[place], of_gates[place], squashed[place], of_states[place]
        i, f, o, content = row[:size], row[size : 2 * size], row[2 * size : 3 * size], row[3 * size :]
        di, df = slopes[:size], slopes[size : 2 * size]
        do, dcontent = slopes[2 * size : 3 * size], slopes[3 * size :]
        number = place - start
        from_later = of_later_cells[number]
        for k in range(size):
            of_cell[k] = given[k]
        if number < later:
            of_state = of_later_states[number]
            for k in range(size):
                of_cell[k] += of_state[k]
        if output_gate:
            for k in range(size):
                do[k] = of_cell[k] * tanh[k] * (o[k] - o[k] * o[k])
            for k in range(size):
                of_cell[k] = of_cell[k] * (_ONE - tanh[k] * tanh[k]) * o[k]
            for k in range(size):
                of_cell[k] = fused(do[k], peepholes[2, k], of_cell[k])
        else:
            for k in range(size):
                do[k] = _ZERO
            for k in range(size):
                of_cell[k] *= _ONE - tanh[k] * tanh[k]
        if number < later:
            for k in range(size):
                of_cell[k] += from_later[k]
        for k in range(size):
            dcontent[k] = of_cell[k] * i[k] * (_ONE - content[k] * content[k])
        for k in range(size):
            di[k] = of_cell[k] * content[k] * (i[k] - i[k] * i[k])
        if start == before:
            for k in range(size):
                df[k] = _ZERO
            continue
        former = cells[place - start + before]
        for k in range(size):
            df[k] = of_cell[k] * former[k] * (f[k] - f[k] * f[k])
        for k in range(size):
            from_later[k] = fused(di[k], peepholes[0, k], of_cell[k] * f[k])
        for k in range(size):
            from_later[k] = fused(df[k], peepholes[1, k], from_later[k])
