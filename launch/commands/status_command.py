"""`paranmt status`: shows what is finished and what is running."""

from pathlib import Path
from typing import Annotated

import typer

from ..display.console import print_json, print_text, say, screen_width
from ..options.command_options import AsJson, Verbose, load_recipe


def status(
    workspace: Annotated[str, typer.Argument(help="A workspace, or its recipe.", show_default=False)],
    as_json: AsJson = False,
    verbose: Verbose = False,
) -> None:
    """Show which stages are finished and which one is running, on any machine that can read the workspace.

    \b
    paranmt status recipe.yaml
    paranmt status s3://bucket/work --json
    """
    from ...pipeline.forecast.file import against_forecast
    from ...pipeline.running.status import not_in_recipe, workspace_status
    from ..display.status_text import status_text

    recipe = load_recipe(Path(workspace), None) if workspace.endswith((".yaml", ".yml")) else None
    current_status = workspace_status(recipe.workspace if recipe else workspace)
    others = not_in_recipe(current_status, recipe) if recipe else []
    against = against_forecast(current_status)
    if as_json:
        print_json({**vars(current_status), "not_in_recipe": others, "forecast": against})
        return
    print_text(status_text(current_status, against=against, each=verbose or screen_width() is None))
    if others:
        say(f"not in this recipe, but in its workspace: {', '.join(others)}")
