"""`paranmt publish`: copies a release to where its readers find it."""

from pathlib import Path
from typing import Annotated

import typer

from ...base.errors import RecipeError
from ..display.console import progress_line, say
from ..display.progress import counted


def publish(
    release: Annotated[
        str, typer.Argument(help="The folder of a release, or a workspace with one.", show_default=False)
    ],
    target: Annotated[
        str,
        typer.Argument(
            help="A local folder, or hf://datasets/OWNER/NAME for a dataset on the Hugging Face hub.",
            show_default=False,
        ),
    ],
    private: Annotated[
        bool, typer.Option("--private", help="Make a new dataset on the hub private.")
    ] = False,
) -> None:
    """Publish a release into a local folder in the hub's layout, or upload it to the Hugging Face hub.

    \b
    paranmt publish work/release /srv/datasets/captions
    paranmt publish work/release hf://datasets/me/captions --private

    Only the release's own files are published, after their checksums were compared. Uploading needs
    `pip install 'huggingface_hub>=1'` and a token, from `hf auth login` or the variable HF_TOKEN.
    """
    from ...pipeline.release.open_release import open_release
    from ...pipeline.release.publishing import HUB, publish_folder, publish_hub

    opened = open_release(release)
    with progress_line() as show:
        if target.startswith(HUB):
            address = publish_hub(opened, target.removeprefix(HUB), private, show)
            message = f"published {counted(len(opened), 'pair')}: {address}"
        elif "://" in target or not target.strip():
            raise RecipeError(f"expected a local folder or {HUB}OWNER/NAME, got {target!r}")
        else:
            changed = publish_folder(opened, Path(target), show)
            files = counted(len(changed), "file")
            message = f"published {counted(len(opened), 'pair')} in {target}: {files} changed"
    say(message)
