"""`paranmt verify`: compares a release with its manifest, or samples of its scores with their texts."""

import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ..display.console import print_json, print_text, progress_line, say
from ..display.progress import counted

if TYPE_CHECKING:
    from ...pipeline.release.open_release import Release
    from ...pipeline.release.verify_sample import SampleCheck


_CHECKED = (
    "compared: size and SHA-256 of every file, columns, row groups, pair_ids, counts, deciles, selections; "
    "not compared: scores and translations with the texts (--sample)"
)
_MODEL = re.compile(r"(?:(?P<score>[a-z][a-z0-9_]*)=)?(?P<path>.*)", re.DOTALL)


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
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="[SCORE=]PATH",
            help="With --sample: the model of a score, or, without SCORE=, the translation model, by which "
            "the pairs are translated again too. Can be repeated.",
        ),
    ] = None,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="The seed by which the sample is drawn.")
    ] = 1,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Compare a release with its manifest: the files, columns, counts, exact deciles and selections.

    \b
    paranmt verify work/release
    paranmt verify s3://bucket/release --sample 1000
    paranmt verify work/release --sample 100 --model models/cs-en --model perplexity=news.arpa

    Each failure is a line, and the exit code is 1 if there is any.
    """
    from ...pipeline.release.open_release import found_release

    opened = found_release(release)
    if models and sample is None:
        raise typer.BadParameter("--model works only with --sample")
    if sample is not None:
        from ...pipeline.release.verify_sample import TRANSLATE, verify_sample

        named = [_MODEL.fullmatch(given) for given in models or ()]
        given = {match["score"] or TRANSLATE: match["path"] for match in named if match}
        check = verify_sample(opened, sample, seed, given)
        failures, result = check.failures, _sample_text(check)
        content: dict[str, object] = asdict(check)
    else:
        from ...pipeline.release.verify import verify as verify_release

        with progress_line() as show:
            failures = verify_release(opened, lambda pairs: show(f"{pairs:,} of {len(opened):,} pairs"))
        result = "" if failures else f"no failure in {_size_text(opened)}\n{_CHECKED}"
        content = {"failures": failures}
    if as_json:
        print_json(content)
    else:
        for line in failures:
            print_text(line)
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
    if check.forced:
        lines.append(f"{counted(check.forced, 'existing translation')} have the log-probability of the model")
    exact = ", ".join(name for name, found in check.checked.items() if not found.tolerance)
    if exact:
        lines.append(f"{counted(check.pairs, 'pair')} have exactly the scores that their texts give: {exact}")
    for name, found in check.checked.items():
        if found.tolerance:
            why = f" ({'; '.join(found.differs)})" if found.differs else ""
            lines.append(
                f"{counted(check.pairs, 'pair')} have the {name} that their texts give, within "
                f"{found.tolerance:g}{why}; at most {found.largest:.1g} apart, {found.moved:,} in another "
                "decile"
            )
    return "\n".join(lines)
