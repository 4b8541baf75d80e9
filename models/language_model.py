"""The n-gram language model: trained by KenLM's programs, queried by its Python module.

Heafield 2011; estimation with modified Kneser-Ney smoothing as in Heafield et al. 2013.
"""

import gzip
import itertools
import os
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .. import install
from ..base.errors import ModelError
from ..base.whole_files import put, temporary_folder

if TYPE_CHECKING:
    import kenlm

_GZIP = b"\x1f\x8b"
_BINARY = b"mmap lm http://kheafield.com/code"
_RESERVED = frozenset({b"<s>", b"</s>", b"<unk>"})


class NgramModel:
    """A loaded model; see `load`."""

    def __init__(self, model: "kenlm.Model") -> None:
        self._model = model

    @property
    def order(self) -> int:
        """The n of the model's n-grams."""
        return self._model.order

    def log10_prob(self, sentences: Sequence[bytes]) -> np.ndarray:
        """log10 of each sentence's probability, including its end; float64, (n,).

        sentences: tokens joined by single spaces, as UTF-8 (`token_columns.spaced_tokens`). Words that the
        model does not know are scored as `<unk>`, and so are `<s>`, `</s>` and `<unk>` themselves if they
        occur in a sentence.
        """
        together = b"\n".join(sentences)
        if b"<" in together or b"\0" in together:
            sentences = list(map(_escaped, sentences))
        return np.fromiter(map(self._model.score, sentences), dtype=np.float64, count=len(sentences))


def load(path: str | Path) -> NgramModel:
    """Load an ARPA file, plain or gz, or a KenLM binary (which is mapped, not read).

    ModelError if the file is none of these, or is damaged. KenLM checks the header and the length of a binary
    but has no checksum: if single bits of its tables are wrong, it may return wrong numbers or crash the
    process.
    """
    path = Path(path)
    try:
        with open(path, "rb") as file:
            compressed = file.read(len(_GZIP)) == _GZIP
        if not compressed:
            return _load_plain(path, path)
        with tempfile.TemporaryDirectory(prefix="paranmt-") as folder:
            plain = Path(folder, "model.arpa")
            with gzip.open(path, "rb") as packed, open(plain, "wb") as unpacked:
                shutil.copyfileobj(packed, unpacked, 2**20)
            return _load_plain(plain, path)
    except (OSError, EOFError, zlib.error) as error:
        raise ModelError(f"cannot read the language model {path}: {error}") from None


def train(sentences: Iterable[bytes], path: str | Path, order: int = 3, memory: str = "1G") -> None:
    """Estimate a model and write it to `path` as a KenLM binary, in one step.

    sentences: as for `log10_prob`. order: 2 to 6. memory: how much `lmplz` may use for sorting; the rest is
    sorted on disk, beside `path`.

    The same sentences give the same bytes; empty sentences are skipped. If the counts of a small corpus do
    not allow an estimate of the discounts, KenLM's fallback discounts are used. ModelError if there is
    nothing to train on, or if KenLM's programs are missing or fail.
    """
    lmplz, build_binary = _program("lmplz"), _program("build_binary")
    path = Path(os.path.realpath(path))
    with temporary_folder(path.parent) as folder:
        arpa, binary = folder / "model.arpa", folder / "model.binary"
        options = ["-o", str(order), "-S", memory, "-T", str(folder), "--discount_fallback"]
        lines = (line for line in map(_escaped, sentences) if line)
        first = next(lines, None)
        if first is None:
            raise ModelError(
                "there are no words to train a language model on; give more pairs, or a trained model's path"
            )
        _run([lmplz, *options, "--arpa", str(arpa)], folder, itertools.chain([first], lines))
        _run([build_binary, str(arpa), str(binary)], folder)
        put(binary, path)


def _load_plain(file: Path, given: Path) -> NgramModel:
    """Load a file that is not compressed; `given` is its path in messages."""
    with open(file, "rb") as opened:
        head = opened.read(2**16)
    first = next((line for line in head.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    if not head.startswith(_BINARY) and first.strip() != b"\\data\\":
        raise ModelError(
            f"{given} is not a language model: expected an ARPA file (plain or gz) or a KenLM binary; "
            f"it begins with {bytes(head[:20])!r}"
        )
    try:
        import kenlm
    except ImportError as error:
        raise ModelError(
            f"reading a language model needs KenLM's module ({error}); "
            f"install it with: {install.install_command()}"
        ) from None
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    try:  # decoding the message fails if it quotes bytes of the file
        return NgramModel(kenlm.Model(str(file), config))
    except (OSError, RuntimeError, MemoryError, UnicodeDecodeError) as error:
        raise ModelError(f"cannot read the language model {given}: {error}") from None


def _program(name: str) -> str:
    """The path of one of KenLM's programs, which is beside this Python or on the PATH."""
    beside = Path(sys.executable).parent
    program = shutil.which(name, path=str(beside)) or shutil.which(name)
    if program is None:
        raise ModelError(
            f"training a language model needs KenLM's {name}, which is neither in {beside} nor on the PATH; "
            f"install it with `{install.install_command()}`, or name a trained model by its path"
        )
    return program


def _run(command: list[str], folder: Path, lines: Iterable[bytes] = ()) -> None:
    """Run one of KenLM's programs in `folder`, with `lines` as its input."""
    broken_pipe = None
    # Its progress report goes to a file: a pipe would have to be read while the input is written.
    with open(folder / "report", "w+b") as report:
        with subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=report, stderr=report
        ) as process:
            assert process.stdin is not None
            try:
                with process.stdin as stdin:
                    stdin.writelines(line + b"\n" for line in lines)
            except BrokenPipeError as error:
                broken_pipe = error
        report.seek(0)
        output = report.read().decode(errors="replace")[-1000:]
    if process.returncode:
        raise ModelError(
            f"{command[0]} ended with exit code {process.returncode}; its output ends with:\n{output}"
        )
    if broken_pipe is not None:
        raise broken_pipe


def _escaped(sentence: bytes) -> bytes:
    """The same tokens without NUL, which separates words for KenLM, and unlike KenLM's own symbols.

    >>> _escaped(b"<s> <b>"), _escaped(b"a\\0b")
    (b'\\\\<s> <b>', b'a\\\\x00b')
    """
    tokens = [b"\\" + token if token in _RESERVED else token for token in sentence.split(b" ")]
    return b" ".join(tokens).replace(b"\0", b"\\x00")
