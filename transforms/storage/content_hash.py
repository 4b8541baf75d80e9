"""Hashes of content: of a part's columns, whichever versions wrote them, and of a JSON object in itself.

The hash of a column does not depend on how Arrow chunks, slices or encodes it, so parts with the same hashes
hold the same values. A JSON object contains a hash of itself, which shows whether it has changed since.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import xxhash

_SEAL = "xxh3"


def seal(content: Mapping[str, Any]) -> dict[str, Any]:
    """The same object with a hash of its content."""
    content = {name: value for name, value in content.items() if name != _SEAL}
    return {**content, _SEAL: _json_hash(content)}


def unseal(content: object) -> dict[str, Any]:
    """The object that was sealed; ValueError if it has changed since, or has no seal."""
    if not isinstance(content, dict):
        raise ValueError("it does not contain a JSON object")
    opened = {name: value for name, value in content.items() if name != _SEAL}
    if content.get(_SEAL) != _json_hash(opened):
        raise ValueError("it has changed since it was written")
    return opened


def _json_hash(content: Mapping[str, Any]) -> str:
    return xxhash.xxh3_64_hexdigest(json.dumps(content, sort_keys=True).encode())


def column_hashes(table: pa.Table) -> dict[str, str]:
    """Column → xxh3-64 (hex) of its type and values."""
    return {name: _column_hash(table[name]) for name in table.column_names}


def _column_hash(column: pa.ChunkedArray) -> str:
    state = xxhash.xxh3_64()
    _add(state, column.combine_chunks() if column.num_chunks != 1 else column.chunk(0))
    return state.hexdigest()


def _add(state: "xxhash.xxh3_64", array: pa.Array) -> None:
    """Add an array's type and values to the hash.

    The bytes that Arrow keeps in place of nulls may differ, and so may names inside lists: neither is hashed.
    """
    import pyarrow.compute as pc

    state.update(f"{array.type.id}\0{len(array)}\0".encode())
    if array.null_count:
        state.update(np.packbits(_values(array.is_valid())).tobytes())
    else:
        state.update(b"\0")
    kind = array.type
    if pa.types.is_struct(kind):
        for index in range(kind.num_fields):
            _add(state, pc.struct_field(array, index))
    elif pa.types.is_list(kind):
        state.update(_values(pc.list_value_length(array)).tobytes())
        _add(state, array.flatten())
    elif pa.types.is_string(kind):
        array = _without_nulls(array) if array.null_count else array
        offsets = np.frombuffer(array.buffers()[1] or b"\0\0\0\0", np.int32)
        offsets = offsets[array.offset : array.offset + len(array) + 1]
        state.update(np.diff(offsets).tobytes())
        text = array.buffers()[2]
        if text is not None and len(array):
            state.update(memoryview(text)[int(offsets[0]) : int(offsets[-1])])
    elif pa.types.is_null(kind):
        pass
    else:
        state.update(_values(array).tobytes())


def _without_nulls(texts: pa.StringArray) -> pa.StringArray:
    """Texts, empty in place of null; see `_values`."""
    import pyarrow.compute as pc

    offsets = pa.py_buffer(bytes(4 * (len(texts) + 1)))
    return pc.coalesce(texts, pa.StringArray.from_buffers(len(texts), offsets, pa.py_buffer(b"")))


def _values(array: pa.Array) -> np.ndarray:
    """Numbers or truth values (as 0 and 1), with 0 in place of null.

    `to_numpy` and `fill_null` would import pandas, which takes longer than a plan and 80 MB.
    """
    import pyarrow.compute as pc

    if pa.types.is_boolean(array.type):
        array = array.cast(pa.uint8())
    if array.null_count:
        zeros = pa.py_buffer(bytes(len(array) * array.type.byte_width))
        array = pc.coalesce(array, pa.Array.from_buffers(array.type, len(array), [None, zeros]))
    return np.from_dlpack(array)
