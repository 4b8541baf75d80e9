"""Options of commands that are fields of a dataclass."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from importlib import import_module
from importlib.util import resolve_name
from pathlib import Path
from typing import Annotated, Literal

import pytest
import typer
from typer.testing import CliRunner

import paranmt
from paranmt.base.bounds import Count, Numbers, Share
from paranmt.base.errors import RecipeError
from paranmt.base.names import NameIn
from paranmt.launch import cli
from paranmt.launch.options.field_options import (
    CommandOptions,
    FieldOption,
    Given,
    field_help,
    from_fields,
    with_field_options,
)
from paranmt.launch.render.slurm import Slurm
from paranmt.launch.runners.local import LocalRunner
from paranmt.pipeline.stages.whole import Machines

ROOT = Path(paranmt.__file__).parent
MODULES = ("cli", *(f"commands.{file.stem}" for file in sorted((ROOT / "launch/commands").glob("[!_]*.py"))))


@dataclass(frozen=True, kw_only=True)
class Baking(Numbers):
    """How bread is baked."""

    loaf_count: Count = 1_200
    """How many loaves. The oven has room for more."""
    salt: Share | None = None
    """The share of salt; by default what the flour needs."""
    flour: Annotated[str, NameIn({"rye": 1, "wheat": 2}, "any")] = "any"
    """`any` is what there is."""
    heat: Literal["low", "high"] = "low"
    """The heat."""
    is_sliced: bool = False
    """Cut it."""
    notes: tuple[str, ...] = ()
    """Something to write on it."""


def baked(*arguments: str) -> Given | BaseException | str:
    """What a command with all these options was given, or the error, or the text that it printed."""
    given: list[Given] = []

    def bake(
        *,
        options: Annotated[
            Given,
            FieldOption(Baking, "loaf_count", spellings=("--loaves", "-l")),
            from_fields(Baking, "salt", "flour", "heat", "is_sliced"),
            FieldOption(Baking, "notes", repeats=True, help="A note."),
        ],
        oven: Annotated[str, typer.Option("--oven")] = "old",
    ) -> None:
        given.append({**options, "oven": oven})

    app = typer.Typer(rich_markup_mode=None, add_completion=False)
    app.command()(with_field_options(bake))
    result = CliRunner().invoke(app, list(arguments))
    return given[0] if given else result.exception or result.output


def test_only_options_that_are_given_reach_the_command() -> None:
    assert baked() == {"oven": "old"}
    assert baked(
        "-l", "3", "--salt", "0.5", "--flour", "rye", "--is-sliced", "--notes", "a", "--notes", "b"
    ) == {
        "loaf_count": 3,
        "salt": 0.5,
        "flour": "rye",
        "is_sliced": True,
        "notes": ["a", "b"],
        "oven": "old",
    }


def test_a_number_out_of_the_bounds_of_its_field_is_an_error_that_names_the_option() -> None:
    for arguments, message in (
        (("--loaves", "0"), "--loaves: expected at least 1, got 0"),
        (("--salt", "1.5"), "--salt: expected at most 1, got 1.5"),
    ):
        error = baked(*arguments)
        assert isinstance(error, RecipeError)
        assert str(error) == message


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("nmt-train --preset ", {"tiny", "small", "base", "big"}),
        ("reproduce --dev-sets sts", {"sts2016", "sts2017"}),
        ("translate --device c", {"cpu", "cuda"}),
        ("run --environment-type do", {"docker"}),
        ("train --epochs ", set()),
    ],
)
def test_a_shell_completes_the_names_that_an_option_may_have(words: str, expected: set[str]) -> None:
    at = str(len(words.split(" ")))
    asked = {"_PARANMT_COMPLETE": "complete_bash", "COMP_WORDS": f"paranmt {words}", "COMP_CWORD": at}
    answer = CliRunner().invoke(cli.app, [], env=asked, prog_name="paranmt").output
    assert set(answer.split()) == expected


def test_numbers_of_runners_and_of_clusters_are_checked_as_those_of_other_commands() -> None:
    for kind, number in ((LocalRunner, {"workers": 0}), (Slurm, {"nodes": 0})):
        (name,) = number
        with pytest.raises(RecipeError, match=f"--{name}: expected at least 1, got 0"):
            kind(**number)
    with pytest.raises(RecipeError, match="gpus must be at least 1, not 0"):
        Machines(workers=1, gpus=0)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("loaf_count", "How many loaves.  [default: 1200]"),
        ("salt", "The share of salt; by default what the flour needs."),
        ("flour", "any, rye or wheat; `any` is what there is.  [default: any]"),
        ("heat", "The heat: low or high.  [default: low]"),
        ("is_sliced", "Cut it."),
        ("notes", "Something to write on it."),
    ],
)
def test_help_is_the_first_sentence_of_a_field_with_its_values_and_its_default(
    name: str, expected: str
) -> None:
    assert field_help(Baking, name) == expected


@pytest.mark.parametrize("module", MODULES)
def test_no_option_repeats_by_hand_a_field_of_options_that_its_module_uses(module: str) -> None:
    file = ROOT / "launch" / f"{module.replace('.', '/')}.py"
    tree = ast.parse(file.read_text())
    taken = {
        field.name: kind.__name__
        for kind in used_options(tree, f"paranmt.launch.{module}")
        for field in fields(kind)
    }
    repeated = [f"{name} of {taken[name]}" for name in written_options(tree) if name in taken]
    assert not repeated, "take them from the fields, with `from_fields`"


def used_options(tree: ast.Module, module: str) -> Iterator[type]:
    """The classes of options that a module imports, also inside functions."""
    package = module.rpartition(".")[0]
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            source = import_module(resolve_name("." * node.level + (node.module or ""), package))
            for name in node.names:
                kind = getattr(source, name.name, None)
                is_kind = isinstance(kind, type) and issubclass(kind, Numbers | CommandOptions)
                if is_kind and is_dataclass(kind):
                    yield kind


def written_options(tree: ast.Module) -> Iterator[str]:
    """The parameters that are options and that are written by hand."""
    for node in ast.walk(tree):
        if isinstance(node, ast.arg) and node.annotation is not None:
            if "typer.Option(" in ast.unparse(node.annotation):
                yield node.arg
