"""The command-line options of all runners, taken from the fields of their classes."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Annotated, Any

import typer

from ...base.errors import RunnerError
from . import RUNNERS
from .profile import Profile


def with_runner(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command `--runner`, the options of every runner, and `-- BEAM OPTIONS`.

    The command itself has the parameter `runner: Profile` instead.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [parameter for parameter in signature.parameters.values() if parameter.name != "runner"]
    flags = _flags()

    @functools.wraps(command)
    def wrapped(**values: Any) -> None:
        name = values.pop("runner")
        beam_options = tuple(values.pop("beam_options") or ())
        given = {flag: values.pop(_parameter(flag)) for flag in flags}
        command(runner=make_runner(name, given, beam_options), **values)

    added = [
        _keyword(
            "runner", Annotated[str, typer.Option("--runner", metavar="RUNNER", help=_runner_help())], "local"
        ),
        *(_keyword(_parameter(flag), annotation, None) for flag, annotation in flags.items()),
        _keyword("beam_options", Annotated[list[str] | None, _BEAM_OPTIONS], None),
    ]
    parameters = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own] + added
    wrapped.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    wrapped.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return wrapped


_BEAM_OPTIONS = typer.Argument(
    metavar="-- BEAM OPTIONS", help="Options that are passed to Beam unchanged.", show_default=False
)


def make_runner(name: str, given: dict[str, Any], beam_options: tuple[str, ...]) -> Profile:
    """The runner of that name with the given options (flag → value, None if not given)."""
    if name not in RUNNERS:
        raise RunnerError(f"no runner {name!r}; there are: {', '.join(RUNNERS)}")
    if beam_options and not beam_options[0].startswith("-"):
        raise typer.BadParameter(
            f"expected one argument, got {beam_options[0]!r} too; options for Beam come after --"
        )
    flags = RUNNERS[name].flags()
    chosen = {flag: value for flag, value in given.items() if value is not None}
    for flag in chosen.keys() - flags.keys():
        owners = [runner for runner, profile in RUNNERS.items() if flag in profile.flags()]
        raise RunnerError(f"{flag} is an option of --runner {' or '.join(owners)}, got --runner {name}")
    return RUNNERS[name](beam_options=beam_options, **{flags[flag]: chosen[flag] for flag in chosen})


def _flags() -> dict[str, Any]:
    """Each flag of any runner → its annotated type."""
    options: dict[str, Any] = {}
    for profile in RUNNERS.values():
        for field in fields(profile):
            if "flag" not in field.metadata:
                continue
            flag = field.metadata["flag"]
            kind = int if field.type == int | None else str
            owners = [name for name, runner in RUNNERS.items() if flag in runner.flags()]
            help_text = f"({', '.join(owners)}) {field.metadata['help']}"
            options[flag] = Annotated[
                kind | None,
                typer.Option(flag, metavar=field.metadata["metavar"], help=help_text, show_default=False),
            ]
    return options


def _runner_help() -> str:
    return f"Where the stages run: {', '.join(RUNNERS)}."


def _parameter(flag: str) -> str:
    return flag.removeprefix("--").replace("-", "_")


def _keyword(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
