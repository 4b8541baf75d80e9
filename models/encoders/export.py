"""Encoders as folders that sentence-transformers loads.

An average of words becomes a `StaticEmbedding`: the mean of the rows whose numbers a `tokenizers.Tokenizer`
gives. Its rules are written with Python's own tables of characters, so they cut text, and lower-case it, as
`words` does. For all other encoders the folder names a module of this package.
"""

import json
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

import numpy as np
import safetensors.torch

from ...base.errors import ModelError
from ...base.outputs import new_folder
from ...tokens.characters import SPACE, WORD, classes
from ...tokens.definition import Tokens, cut_and_case
from .encoder_kinds import AveragingOptions
from .sentence_encoder import SentenceEncoder
from .sentence_transformer import MODULES, OWN_MODULE, SentenceTransformerEncoder
from .stored_weights import Precision
from .vocabulary import Vocabulary

_STATIC = "sentence_transformers.models.StaticEmbedding"
_CODES = 0x110000


def export_encoder(
    encoder: SentenceEncoder | SentenceTransformerEncoder,
    folder: Path,
    precision: Precision = "float32",
    others: Mapping[str, bytes] = MappingProxyType({}),
) -> bool:
    """Write a folder that sentence-transformers loads, and that gives the same vectors.

    precision: of the weights in the folder; with less than float32 the vectors are a little different.
    others: further files of the folder. Returns whether sentence-transformers needs this package to load it.
    The folder appears once it is complete. InputError if it exists, ModelError if the encoder is one of
    sentence-transformers already.
    """
    if isinstance(encoder, SentenceTransformerEncoder):
        raise ModelError("the encoder is already a model of sentence-transformers: copy its folder")
    vocabulary = _static(encoder) if precision == "float32" else None
    with new_folder(folder) as scratch:
        if vocabulary is None:
            encoder.save(scratch, precision)
        else:
            weights = encoder.encoder.get_parameter("embedding.weight").detach().cpu().contiguous()
            (scratch / "model.safetensors").write_bytes(safetensors.torch.save({"embedding.weight": weights}))
            write_json(scratch / "tokenizer.json", tokenizer(vocabulary))
        module = OWN_MODULE if vocabulary is None else _STATIC
        write_json(scratch / MODULES, [{"idx": 0, "name": "0", "path": "", "type": module}])
        write_others(scratch, others)
    return vocabulary is None


def write_others(folder: Path, others: Mapping[str, bytes]) -> None:
    """Write further files, whose names may lead into folders below this one."""
    for name, content in others.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)


def write_json(file: Path, content: object) -> None:
    """Write data as JSON."""
    file.write_text(json.dumps(content, ensure_ascii=False, indent=1), encoding="utf-8")


def _static(encoder: SentenceEncoder) -> Vocabulary | None:
    """The vocabulary of an encoder that a `StaticEmbedding` computes; None if it is another."""
    (vocabulary, *_) = encoder.vocabularies.values()
    is_static = (
        isinstance(encoder.encoder.options, AveragingOptions)
        and vocabulary.units == "words"
        and vocabulary.tags == "none"
        and cut_and_case(vocabulary.tokens)[0] != "moses"
    )
    return vocabulary if is_static else None


def tokenizer(vocabulary: Vocabulary) -> dict[str, object]:
    """A tokenizer.json whose ids are those of `Vocabulary.ids`, for a vocabulary of words without tags."""
    tokens, lower_case = cut_and_case(vocabulary.tokens)
    assert tokens != "moses", "no tokenizer of theirs has these rules"
    stranger, capital = _unused(vocabulary.entries)
    # Tokenizers with younger tables may know characters that Python does not, and compose or lower-case them.
    own = set().union(*vocabulary.entries)
    strangers = _of(map(chr, range(_CODES)), lambda c: unicodedata.category(c) == "Cn" and c not in own)
    normalizers: list[dict[str, object]] = [_replace({"Regex": f"[{strangers}]"}, stranger)]
    word, space = (_ranges(np.flatnonzero(classes(tokens) == kind)) for kind in (WORD, SPACE))
    entries = vocabulary.entries
    if tokens == "words":
        normalizers.append({"type": "NFC"})
    if lower_case:
        normalizers.append(_final_sigma(tokens))
        if tokens == "words":
            # İ is a letter, but the second character of its lower case is a sign, which would cut the text.
            entries, word = [entry.replace("İ".lower(), capital) for entry in entries], word + capital
            normalizers.append(_replace({"String": "İ"}, capital))
        normalizers.append({"type": "Lowercase"})
    unknown = "[unknown]"
    while unknown in entries:
        unknown = f"[{unknown}]"
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Sequence", "normalizers": normalizers},
        "pre_tokenizer": {
            "type": "Split",
            "pattern": {"Regex": f"[{word}]+|[^{word}{space}]"},
            "behavior": "Removed",
            "invert": True,
        },
        "post_processor": None,
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {entry: row for row, entry in enumerate([unknown, *entries])},
            "unk_token": unknown,
        },
    }


def _unused(entries: list[str]) -> tuple[str, str]:
    """Two characters of no meaning that no entry has."""
    unused = sorted(set(map(chr, range(0xFDD0, 0xFDF0))).difference(*entries))
    return unused[0], unused[1]


def _final_sigma(tokens: Tokens) -> dict[str, object]:
    """Lower-cases Σ at the end of a word to ς, as Python does; tokenizers' Lowercase has no such rule.

    The Unicode Standard, section 3.13, Final_Sigma: after a cased letter and not before one, where characters
    that case ignores may come between. Only characters of the same token count.
    """
    inside = [chr(code) for code in np.flatnonzero(classes(tokens) == WORD)]
    cased = _of(inside, lambda character: f"{character}Σ".lower()[-1] == "ς")
    ignored = _of(inside, lambda c: f"a{c}Σ".lower()[-1] == "ς" and f"{c}Σ".lower()[-1] != "ς")
    return _replace({"Regex": rf"[{cased}][{ignored}]*\KΣ(?![{ignored}]*[{cased}])"}, "ς")


def _of(characters: Iterable[str], condition: Callable[[str], bool]) -> str:
    """The inside of a regular expression's brackets for the characters that meet a condition."""
    return _ranges(np.array([ord(character) for character in characters if condition(character)]))


def _replace(pattern: dict[str, str], content: str) -> dict[str, object]:
    return {"type": "Replace", "pattern": pattern, "content": content}


def _ranges(codes: np.ndarray) -> str:
    r"""Rising code points as the inside of a regular expression's brackets.

    >>> _ranges(np.array([97, 98, 99, 120]))
    '\\x{61}-\\x{63}\\x{78}-\\x{78}'
    """
    codes = codes[(codes < 0xD800) | (codes >= 0xE000)]  # a text has no surrogates
    runs = np.split(codes, np.flatnonzero(np.diff(codes) > 1) + 1)
    return "".join(rf"\x{{{run[0]:x}}}-\x{{{run[-1]:x}}}" for run in runs)
