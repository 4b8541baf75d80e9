"""The commands, called as a user calls them."""

import subprocess
import sys

from typer.testing import CliRunner, Result

from paranmt.launch.cli import app


def paranmt(*arguments: object, text: str | None = None) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], input=text)


def ok(*arguments: object, text: str | None = None) -> str:
    result = paranmt(*arguments, text=text)
    assert result.exit_code == 0, result.output
    return result.stdout


def fails(*arguments: object) -> str:
    """The one line of a command that ends as after a mistake of the user."""
    result = paranmt(*arguments)
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.strip().splitlines()
    return str(line)


HEAVY = ("torch", "apache_beam", "ctranslate2", "kenlm", "sentencepiece", "sacrebleu", "fairseq", "pandas")


def heavy_imports(*commands: list[object], also: tuple[str, ...] = ()) -> list[str]:
    """What of the heavy packages a process has imported that was given these commands.

    also: other modules that count as heavy.
    """
    code = (
        "import sys\n"
        "from paranmt.launch.cli import app\n"
        f"for command in {[[str(word) for word in command] for command in commands]!r}:\n"
        "    app(command, standalone_mode=False)\n"
        f"print('imported:', *(name for name in {HEAVY + also!r} if name in sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1].split()[1:]
