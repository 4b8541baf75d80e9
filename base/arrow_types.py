"""What counts as text in a column of an Arrow table or a Parquet file."""

import pyarrow as pa


def is_text(kind: pa.DataType) -> bool:
    """Whether a column holds strings, in any of Arrow's layouts or in a dictionary.

    >>> is_text(pa.dictionary(pa.int32(), pa.string_view())), is_text(pa.binary())
    (True, False)
    """
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    types = pa.types
    return bool(types.is_string(value) or types.is_large_string(value) or types.is_string_view(value))


def is_text_or_bytes(kind: pa.DataType) -> bool:
    """The same, or bytes, which some programs write for texts; a reader that decodes them itself takes both.

    >>> is_text_or_bytes(pa.binary()), is_text_or_bytes(pa.int8())
    (True, False)
    """
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    types = pa.types
    is_bytes = types.is_binary(value) or types.is_large_binary(value) or types.is_binary_view(value)
    return bool(is_bytes or is_text(value))
