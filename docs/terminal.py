"""What a command shows in a terminal, as a picture."""

import fcntl
import io
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Sequence
from html import escape
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

MARGIN = 16
THEME = TerminalTheme(
    (28, 31, 35),
    (226, 224, 218),
    [
        *((28, 31, 35), (238, 126, 108), (140, 198, 118), (221, 166, 90)),
        *((122, 176, 222), (190, 150, 220), (92, 196, 184), (226, 224, 218)),
    ],
)

# As rich's own, without the fonts that it fetches and the buttons of a window.
SIZE = "{terminal_width} {terminal_height}\n"
CONTENT = """<style>
.{unique_id}-matrix {{
  font-family: ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  font-size: {char_height}px; line-height: {line_height}px;
}}
{styles}
</style>
<defs>{lines}</defs>
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
"""
_CONTROL = re.compile(r"(\x1b\[\d*A|\x1b\[\d*K|\x1b\[\?\d+[hl]|\r|\n)")


def shown(arguments: Sequence[str], folder: Path, columns: int) -> str:
    """What `paranmt` with these arguments shows in a terminal of this width, with its colours.

    folder: where it runs. It is a real pseudo-terminal, so that the program prints what a user sees.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    hidden = ("NO_COLOR", "COLUMNS", "LINES", "FORCE_COLOR")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    program = subprocess.Popen(
        [sys.executable, "-m", "paranmt", *arguments],
        cwd=folder,
        env={**environment, "TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    output = b""
    try:
        while block := os.read(ours, 1 << 16):
            output += block
    except OSError:  # how Linux says that the other end was closed
        pass
    os.close(ours)
    text = output.decode("utf-8")
    if program.wait() != 0:
        sys.exit(f"paranmt {' '.join(arguments)} failed:\n{text}")
    return text


def screen(output: str) -> str:
    """The lines that are left at the end, after bars have come and gone.

    >>> screen("one\\r\\na bar\\r\\x1b[2Ktwo\\r\\na bar\\x1b[1A\\x1b[2Kthree")
    'one\\nthree\\na bar'
    """
    lines, at = [""], 0
    for piece in _CONTROL.split(output):
        if piece == "\n":
            at += 1
            lines += [""] * (at == len(lines))
        elif piece.endswith("A") and piece.startswith("\x1b"):
            at = max(0, at - int(piece[2:-1] or 1))
        elif piece.endswith("K") and piece.startswith("\x1b"):
            lines[at] = ""
        elif not _CONTROL.fullmatch(piece):
            lines[at] += piece
    return "\n".join(lines)


def terminal_svg(command: str, output: str, columns: int, title: str) -> str:
    """A picture of a terminal: the command after a prompt, and what it left on the screen."""
    text = Text.from_ansi(f"\x1b[1m$ {command}\x1b[0m\n{screen(output).strip()}")
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True)
    console.print(text, highlight=False)
    made = console.export_svg(theme=THEME, code_format=SIZE + CONTENT, unique_id="terminal")
    size, _, content = made.partition("\n")
    width, height = (float(number) + 2 * MARGIN for number in size.split())
    box = f'viewBox="{-MARGIN} {-MARGIN} {width:.0f} {height:.0f}"'
    return f"""<svg xmlns="http://www.w3.org/2000/svg" {box} role="img">
<title>{escape(title)}</title>
<rect x="{-MARGIN}" y="{-MARGIN}" width="{width:.0f}" height="{height:.0f}" rx="12" fill="#1c1f23"/>
{content}</svg>
"""
