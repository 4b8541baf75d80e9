"""The command-line options of all runners, taken from the fields of their classes."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from typing import Annotated, Any

import typer

from ...base.errors import RunnerError
from ..options.field_options import FieldOption, Given, with_field_options
from . import RUNNERS
from .profile import Profile


def with_runner(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command `--runner`, the options of every runner, and `-- BEAM OPTIONS`.

    The command itself has the parameter `runner: Profile` instead.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "runner"]

    @functools.wraps(command)
    def wrapped(runner: str, given: Given, beam_options: list[str] | None, **values: Any) -> None:
        command(runner=make_runner(runner, given, tuple(beam_options or ())), **values)

    added = [
        _keyword(
            "runner", Annotated[str, typer.Option("--runner", metavar="RUNNER", help=_runner_help())], "local"
        ),
        _keyword("given", Annotated[Given, _options()], inspect.Parameter.empty),
        _keyword("beam_options", Annotated[list[str] | None, _BEAM_OPTIONS], None),
    ]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own] + added
    wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    return with_field_options(wrapped)


_BEAM_OPTIONS = typer.Argument(
    metavar="-- BEAM OPTIONS", help="Options that are passed to Beam unchanged.", show_default=False
)


def make_runner(name: str, given: Given, beam_options: tuple[str, ...]) -> Profile:
    """The runner of that name with the given options, by field."""
    if name not in RUNNERS:
        raise RunnerError(f"no runner {name!r}; there are: {', '.join(RUNNERS)}")
    if beam_options and not beam_options[0].startswith("-"):
        raise typer.BadParameter(
            f"expected one argument, got {beam_options[0]!r} too; options for Beam come after --"
        )
    for option in _options():
        if option.name in given and name not in _owners(option):
            owners = " or ".join(_owners(option))
            raise RunnerError(f"{option.flags[0]} is an option of --runner {owners}, got --runner {name}")
    return RUNNERS[name](beam_options=beam_options, **given)


def _options() -> tuple[FieldOption, ...]:
    """The options of all runners; the help says which runners have one."""
    found: dict[str, FieldOption] = {}
    for profile in RUNNERS.values():
        for option in profile.field_options():
            owners = ", ".join(_owners(option))
            found.setdefault(option.name, replace(option, help=f"({owners}) {{help}}"))
    return tuple(found.values())


def _owners(option: FieldOption) -> list[str]:
    return [name for name, profile in RUNNERS.items() if option.flags[0] in profile.flags()]


def _runner_help() -> str:
    return f"Where the stages run: {', '.join(RUNNERS)}."


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
