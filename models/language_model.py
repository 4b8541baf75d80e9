"""The n-gram language model: trained by KenLM's programs, queried by its Python module.

Heafield 2011; estimation with modified Kneser-Ney smoothing as in Heafield et al. 2013.
"""

import gzip
import itertools
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import kenlm
import numpy as np

from ..errors import ModelError

_GZIP = b"\x1f\x8b"
_BINARY = b"mmap lm http://kheafield.com/code"
_RESERVED = frozenset({"<s>", "</s>", "<unk>"})
_SEPARATORS = {ord(sign): f"\\x{ord(sign):02x}" for sign in "\0\t\n\v\f\r "}


class NgramModel:
    """A loaded model; see `load`."""

    def __init__(self, model: kenlm.Model) -> None:
        self._model = model

    @property
    def order(self) -> int:
        """The n of its n-grams."""
        return self._model.order

    def log10_prob(self, sentences: Sequence[Sequence[str]]) -> np.ndarray:
        """log10 of each sentence's probability, its end included; float64, (n,).

        sentences: the tokens of each. Words the model does not know are scored as its `<unk>`; so are
        `<s>`, `</s>` and `<unk>` themselves where they stand in a sentence.
        """
        score = self._model.score
        return np.fromiter((score(_line(each)) for each in sentences), dtype=np.float64, count=len(sentences))


def load(path: str | Path) -> NgramModel:
    """Load an ARPA file, plain or gz, or a KenLM binary (which is mapped, not read).

    ModelError where the file is none of these, or damaged. KenLM checks a binary's header and length and has
    no checksum: where single bits of its tables are wrong, it may give wrong numbers or end the process.
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


def train(sentences: Iterable[Sequence[str]], path: str | Path, order: int = 3, memory: str = "1G") -> None:
    """Estimate a model from tokenised sentences and write it to `path` as a KenLM binary, in one step.

    order: 2 to 6. memory: what `lmplz` may sort in; what does not fit it sorts on disk, beside `path`.
    The same sentences give the same bytes; empty ones are left out. Where the counts of a small corpus
    allow no estimate of the discounts, KenLM's fallback ones are taken. ModelError where there is nothing
    to train on, or where KenLM's programs are missing or fail.
    """
    lmplz, build_binary = _program("lmplz"), _program("build_binary")
    path = Path(path).resolve()
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".language-model-") as folder:
        arpa, binary = Path(folder, "model.arpa"), Path(folder, "model.binary")
        options = ["-o", str(order), "-S", memory, "-T", folder, "--discount_fallback", "--arpa", str(arpa)]
        lines = (line for line in map(_line, sentences) if line)
        first = next(lines, None)
        if first is None:
            raise ModelError("there are no words to train a language model on; give it more pairs, or a path")
        _run([lmplz, *options], folder, itertools.chain([first], lines))
        _run([build_binary, str(arpa), str(binary)], folder)
        binary.replace(path)


def _load_plain(file: Path, given: Path) -> NgramModel:
    """Load a file that is not compressed; `given` is what errors call it."""
    with open(file, "rb") as opened:
        head = opened.read(2**16)
    first = next((line for line in head.splitlines() if line.strip() and not line.startswith(b"#")), b"")
    if not head.startswith(_BINARY) and first.strip() != b"\\data\\":
        raise ModelError(
            f"{given} is no language model: expected an ARPA file (plain or gz) or a KenLM binary; "
            f"it begins with {bytes(head[:20])!r}"
        )
    config = kenlm.Config()
    config.show_progress = False
    config.arpa_complain = kenlm.ARPALoadComplain.NONE
    try:  # a message that quotes bytes of the file may fail to be decoded
        return NgramModel(kenlm.Model(str(file), config))
    except (OSError, RuntimeError, MemoryError, UnicodeDecodeError) as error:
        raise ModelError(f"cannot read the language model {given}: {error}") from None


def _program(name: str) -> str:
    """Where one of KenLM's programs is: beside this Python, or on the PATH."""
    beside = Path(sys.executable).parent
    found = shutil.which(name, path=str(beside)) or shutil.which(name)
    if found is None:
        raise ModelError(
            f"training a language model needs KenLM's {name}, which is neither in {beside} nor on the PATH; "
            "build it with `python -m paranmt.launch.kenlm_tools`, or give a trained model by its path"
        )
    return found


def _run(command: list[str], folder: str, lines: Iterable[str] = ()) -> None:
    """Run one of KenLM's programs in `folder`, with `lines` as its input."""
    broken = None
    # Its progress report goes to a file: a pipe would have to be read while the input is written.
    with open(Path(folder, "report"), "w+b") as report:
        with subprocess.Popen(
            command, cwd=folder, stdin=subprocess.PIPE, stdout=report, stderr=report
        ) as process:
            assert process.stdin is not None
            try:
                with process.stdin as stdin:
                    stdin.writelines(line.encode() + b"\n" for line in lines)
            except BrokenPipeError as error:
                broken = error
        report.seek(0)
        said = report.read().decode(errors="replace")[-1000:]
    if process.returncode:
        raise ModelError(f"{command[0]} ended with {process.returncode}; it said:\n{said}")
    if broken is not None:
        raise broken


def _line(tokens: Sequence[str]) -> str:
    """The tokens with spaces between, so that KenLM finds as many words as there are tokens."""
    line = " ".join(tokens)
    if "<" in line or "\0" in line or len(line.split()) != len(tokens) or not all(tokens):
        return " ".join(map(_escaped, tokens))
    return line


def _escaped(token: str) -> str:
    """A token without what KenLM reads as a separator or as one of its own symbols.

    >>> _escaped("<s>"), _escaped("new\\tline"), _escaped("<b>")
    ('\\\\<s>', 'new\\\\x09line', '<b>')
    """
    if token in _RESERVED or not token:
        return "\\" + token
    return token.translate(_SEPARATORS)
