"""No text from data, names of files and columns among it, can change the terminal."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from releases import write_release
from typer.testing import CliRunner

import paranmt
from paranmt.launch.cli import app
from paranmt.launch.display.console import markdown_table, print_json, table
from paranmt.transforms.storage.content_hash import seal

ESCAPES = "\x1b[31m\x9b2J\x07\u202e"
REPLACED = "\ufffd[31m\ufffd2J\ufffd\ufffd"
# Commands that print a file: what they print is read by programs.
FILES = {"cli.py": 1, "recipe_command.py": 1, "render_command.py": 1, "tune_command.py": 1}
NO_COMMANDS = {"compile_kernels.py", "console.py", "kenlm_tools.py", "inspect_command.py"}


def shown(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    text = result.stdout + result.stderr
    assert not set(ESCAPES) - set("[31m2J") & set(text), repr(text)
    return text


def test_results_are_printed_in_one_way() -> None:
    for file in (Path(paranmt.__file__).parent / "launch").rglob("*.py"):
        calls = [
            node
            for node in ast.walk(ast.parse(file.read_text("utf-8")))
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"
        ]
        if file.name not in NO_COMMANDS:
            assert len(calls) == FILES.get(file.name, 0), f"{file.name}: use print_text, print_json or say"


def test_tables_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    cell = f"a{ESCAPES}\nb"
    assert table(["x"], [[cell]]).splitlines()[1] == f"a{REPLACED}\ufffdb"
    assert markdown_table(["x"], [[cell]]).splitlines()[2] == f"| a{REPLACED}\ufffdb |"
    print_json({cell: [cell]})
    text = capsys.readouterr().out
    assert json.loads(text) == {cell: [cell]} and not {"\x1b", "\x9b", "\x07", "\u202e"} & set(text)


def test_names_of_columns_and_files(tmp_path: Path) -> None:
    name = f"x{ESCAPES}"
    columns = {"reference": ["a b"], "translation": ["a c"], name: [0.5], f"{name}_decile": [3]}
    pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    assert f"x{REPLACED} 0.5 (3)" in shown("inspect", tmp_path)
    assert f"x{REPLACED}" in shown("inspect", tmp_path, "--where", "no_such > 1")
    assert f"x{REPLACED}" in shown("embed", tmp_path / name, tmp_path / f"{name}.parquet", "v.npy")


def test_paths_of_a_manifest(tmp_path: Path) -> None:
    folder = write_release(tmp_path / "release", 60, 1)
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    manifest["files"] = {f"data/{ESCAPES}.parquet": entry for entry in manifest["files"].values()}
    (folder / "manifest.json").write_text(json.dumps(seal(manifest)), "utf-8")
    shown_line = shown("verify", folder)  # quoted as Python writes it
    assert "which no file of a release is called" in shown_line and shown_line.rstrip().isprintable()


def test_sentences_and_sets_that_are_analysed(tmp_path: Path) -> None:
    data = tmp_path / "2014"
    data.mkdir()
    pairs = [
        (f"a dog{ESCAPES} runs {n}", f"a cat {'dog ' * (n % 5)}{'runs ' * (n % 3)}", n % 6) for n in range(12)
    ]
    lines = [f"{left}\t{right}\n" for left, right, _ in pairs]
    (data / f"STS.input.x{ESCAPES}.txt").write_text("".join(lines), "utf-8")
    (data / f"STS.gs.x{ESCAPES}.txt").write_text("".join(f"{gold}\n" for *_, gold in pairs), "utf-8")
    for number, file in enumerate(("one.txt", "two.txt")):
        words = [
            f"{word} {(number + place) % 3} 1 {place}\n"
            for place, word in enumerate("a dog cat runs".split())
        ]
        (tmp_path / file).write_text("".join(words), "utf-8")
    both = [tmp_path / "one.txt", tmp_path / "two.txt"]
    assert f"a dog{REPLACED} runs" in shown("analyse", "errors", *both, data)
    (data / f"STS.gs.x{ESCAPES}.txt").write_text("1\n" * 12, "utf-8")
    program = [sys.executable, "-m", "paranmt", "evaluate", *map(str, (*both, data))]
    done = subprocess.run(program, capture_output=True, text=True)
    assert f"2014 x{REPLACED}: no correlation" in done.stderr and "\x1b" not in done.stderr + done.stdout
