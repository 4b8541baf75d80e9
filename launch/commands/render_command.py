"""`paranmt launch render TARGET`: files for a cluster. A target's options are the fields of its class."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ...base.errors import InputError
from ...base.outputs import check_replaceable, has_seal, is_unchanged, sealed
from ...base.whole_files import written_whole
from ..display.console import ending, say
from ..display.help import NamesInHelp
from ..display.progress import counted
from ..options.command_options import set_option
from ..options.field_options import Given, with_field_options
from ..render import TARGETS, Target
from ..render.target import RecipeSource

launch = typer.Typer(no_args_is_help=True, rich_markup_mode=None)
render = typer.Typer(no_args_is_help=True, rich_markup_mode=None)


@launch.callback()
def _launch() -> None:
    """Write the files that run a recipe on a cluster.

    \b
    paranmt launch render kubernetes --help
    paranmt launch render slurm --help
    paranmt launch render dataflow --help
    """


@render.callback()
def _render() -> None:
    """Write the files that a cluster needs to run a recipe. They never contain secrets.

    \b
    paranmt launch render kubernetes --help
    """


launch.add_typer(render, name="render", short_help="Write the files that a cluster needs.")


def _command(kind: type[Target]) -> Callable[..., None]:
    """The command of one target, with an option for each field of its class."""

    def command(
        recipe: Annotated[
            Path, typer.Argument(metavar="RECIPE", help="The recipe: a YAML file.", show_default=False)
        ],
        out: Annotated[
            Path | None,
            typer.Option(
                "--out",
                "-o",
                metavar="FOLDER",
                help="The folder to write to; by default the standard output.",
            ),
        ] = None,
        *,
        options: Annotated[Given, kind.field_options()],
        overrides: Annotated[list[str] | None, set_option()] = None,
        yes: Annotated[
            bool,
            typer.Option(
                "--yes",
                help="Let the run recompute finished work that took hours; by default the run stops.",
            ),
        ] = False,
    ) -> None:
        given = {name: tuple(value) if isinstance(value, list) else value for name, value in options.items()}
        target = kind(**given)
        rendered = target.render(RecipeSource(recipe, tuple(overrides or ()), yes))
        files = {name: sealed(text) for name, text in rendered.items()}
        if out is not None:
            write_files(files, out)
            return
        for name, text in files.items():
            print(f"# {name}\n{text}" if len(files) > 1 else text, end="")

    command.__name__ = kind.name
    command.__doc__ = "\n\n".join([kind.summary, "\b\n" + "\n".join(kind.examples)])
    return with_field_options(command)


def write_files(files: dict[str, str], folder: Path) -> None:
    """Write sealed texts into a folder, and remove those that an earlier call wrote and this one does not.

    InputError if anything else is in the place of one; then nothing is written. What somebody has changed
    since an earlier call stays.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"{folder} is no folder to write into: {error}; choose another one") from None
    check_replaceable(*(folder / name for name in files))
    for old in sorted(folder.iterdir()):
        if old.name not in files and is_unchanged(old):
            old.unlink()
            say(f"removed {old}, which an earlier `launch render` wrote")
        elif old.name not in files and has_seal(old):
            say(f"kept {old}, which was changed after an earlier `launch render` wrote it")
    for name, text in files.items():
        path = folder / name
        with written_whole(path) as file:
            file.write(text.encode("utf-8"))
        if text.startswith("#!"):
            path.chmod(0o755)
    say(f"{counted(len(files), 'file')} in {folder}: {', '.join(files)}")


for _target in TARGETS.values():
    render.command(_target.name, cls=NamesInHelp, short_help=_target.summary)(ending(_command(_target)))
