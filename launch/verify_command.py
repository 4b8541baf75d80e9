"""`paranmt verify`: checks that a release is whole and true."""

from typing import TYPE_CHECKING, Annotated

import typer

from .console import print_json, progress_line, say
from .progress import counted

if TYPE_CHECKING:
    from ..pipeline.published.release import Release
    from ..pipeline.published.verify_sample import SampleCheck


def verify(
    release: Annotated[
        str, typer.Argument(help="The folder of a release, or a workspace with one.", show_default=False)
    ],
    sample: Annotated[
        int | None,
        typer.Option(
            "--sample",
            metavar="PAIRS",
            min=1,
            help="Compute the scores of so many random pairs again instead, and compare them.",
        ),
    ] = None,
    model: Annotated[
        str | None,
        typer.Option("--model", help="The translation model: with --sample, translate the pairs again too."),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="The seed by which the sample is drawn.")] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Check that a release is whole: its files, columns, counts, exact deciles and selections.

    \b
    paranmt verify work/release
    paranmt verify s3://bucket/release --sample 1000
    paranmt verify work/release --sample 100 --model models/cs-en

    Each failure is a line, and the exit code is 1 if there is any.
    """
    from ..pipeline.published.release import open_release

    opened = open_release(release)
    if model is not None and sample is None:
        raise typer.BadParameter("--model works only with --sample")
    if sample is not None:
        from ..pipeline.published.verify_sample import verify_sample

        check = verify_sample(opened, sample, seed, model)
        failures, result = check.failures, _sample_text(check)
        content: dict[str, object] = {**vars(check)}
    else:
        from ..pipeline.published.verify import verify as verify_release

        with progress_line() as show:
            failures = verify_release(opened, lambda pairs: show(f"{pairs:,} of {len(opened):,} pairs"))
        result = "" if failures else f"the release is whole: {_size_text(opened)}"
        content = {"failures": failures}
    if as_json:
        print_json(content)
    else:
        for line in failures:
            print(line)
    say(counted(len(failures), "failure") if failures else result)
    if failures:
        raise typer.Exit(1)


def _size_text(release: "Release") -> str:
    pairs, files = counted(len(release), "pair"), counted(len(release.files), "file")
    return f"{pairs} in {files}, {release.bytes / 1e6:,.1f} MB"


def _sample_text(check: "SampleCheck") -> str:
    lines = [f"not checked: {name} ({reason})" for name, reason in check.not_checked.items()]
    if check.translated:
        ties = f", {check.ties:,} of them to one as probable" if check.ties else ""
        lines.append(f"{counted(check.translated, 'pair')} are translated as in the release{ties}")
    lines.append(
        f"{counted(check.pairs, 'pair')} have the scores that their texts give: {', '.join(check.checked)}"
    )
    return "\n".join(lines)
