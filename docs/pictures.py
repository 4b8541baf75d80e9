"""Make the pictures of README and documentation, each from a real run.

    make pictures DATA=FOLDER
    python docs/pictures.py DATA --work FOLDER [--only pipeline]

DATA has three folders: `flores-cs-de-fr-en` is FLORES-200 in Czech, German and French, with English
translations by Firefox's models (github.com/mozilla/firefox-translations-models, evaluation); `sts-semeval`
is for `evaluate` and `tune`, and `word-vectors` has a file of GloVe's. The pictures are written to docs/img,
and the five pairs and the results into README.md. --work keeps the run, so that a second call takes seconds.
Chromium takes the pictures of pages; what a terminal shows is recorded (terminal.py). The bars show what
docs/img/results.json holds.
"""

import argparse
import json
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

import yaml
from terminal import shown, terminal_svg

DOCS = Path(__file__).parent
IMG, RESULTS, README = DOCS / "img", DOCS / "img" / "results.json", DOCS.parent / "README.md"
PICTURES = (
    *("pipeline", "bars", "report", "pairs"),
    *("histogram", "inspect", "run", "comparison", "tune", "judge"),
)
SEED = 1
VECTORS = "glove.6B.50d.top9163.txt.gz"
RECORDING = "run.terminal"
COLUMNS = 80
SHOWN_FOLDER = "/home/ada/flores"
SYSTEM = "bergamot-base-memory"

INK, SOFT, LINE, PAPER, ACCENT, OTHER = "#1c1f23", "#595e66", "#b9b3a6", "#fcfbf8", "#1d5f8a", "#b0aa9e"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', Arial, sans-serif"
FLOW = {
    "bitext": ("sentences and their", "English, or pairs"),
    "translations": ("batched beam search", "on GPU or CPU"),
    "scores": ("overlap, similarity,", "perplexity, …"),
    "deciles": ("exact tenths", "of each score"),
    "selections": ("SQL over scores", "and deciles"),
    "release": ("Parquet, checksums,", "card, report"),
}
MODELS = {
    "encoder": ("evaluated on STS", "and transfer tasks"),
    "paraphraser": ("with control of", "length and overlap"),
}


def main(arguments: Sequence[str]) -> None:
    """Make all pictures, or those named by `--only`."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--work", type=Path, required=True, help="the folder of the run")
    parser.add_argument("--only", choices=PICTURES, action="append")
    options = parser.parse_args(arguments)
    wanted = options.only or PICTURES
    IMG.mkdir(exist_ok=True)
    if "pipeline" in wanted:
        (IMG / "pipeline.svg").write_text(pipeline(), encoding="utf-8")
    if "bars" in wanted:
        stored = json.loads(RESULTS.read_text(encoding="utf-8"))
        (IMG / "results.svg").write_text(bars(stored["title"], stored["rows"]), encoding="utf-8")
        fill(README, "results", results_table(stored["rows"]))
    if set(wanted) - {"pipeline", "bars"}:
        folder = run(options.data.resolve(), options.work.resolve())
        for name in wanted:
            if name in FROM_RUN:
                FROM_RUN[name](folder, options.data.resolve())


def recipe(data: Path) -> dict[str, object]:
    """Three corpora with the translations of one system, the default scores, a selection and a comparison."""
    corpora = []
    for language in ("cs", "de", "fr"):
        folder = data / f"flores-cs-de-fr-en/{language}-en"
        ends = {"source": language, "reference": "en", "translation": f"{SYSTEM}.en"}
        files = {
            side: [str(folder / f"flores-{part}.{end}.gz") for part in ("dev", "test")]
            for side, end in ends.items()
        }
        about = {"corpus": f"flores-{language}", "format": "moses", "source_language": language}
        corpora.append({**about, **files, "licence": "cc-by-sa-4.0"})
    where = (
        "paraphrase_similarity_decile between 5 and 9 and trigram_overlap <= 0.7 "
        "and reference_length <= 30 and translation_length <= 30"
    )
    return {
        "workspace": "work",
        "bitext": corpora,
        "select": {"paraphrases": {"where": where}},
        "tune": {
            "overlap": {
                "data": str(data / "sts-semeval/STS2012-train"),
                "scores": ["trigram_overlap"],
                "pairs": 400,
                "seeds": 3,
                "fresh_seeds": 3,
                "encoder": {"type": "avg", "dimension": 100},
                "epochs": 5,
            }
        },
        "release": {"name": "FLORES-200, translated from Czech, German and French"},
        "train": {"avg": {"selection": "paraphrases"}},
    }


def run(data: Path, folder: Path) -> Path:
    """The folder with the recipe and its finished run. A first run is recorded."""
    folder.mkdir(parents=True, exist_ok=True)
    text = yaml.safe_dump(recipe(data), sort_keys=False)
    (folder / "recipe.yaml").write_text(text, encoding="utf-8")
    is_new = not (folder / "work").exists()
    output = shown(["run", "recipe.yaml", "--yes"], folder, COLUMNS)
    if is_new:
        (folder / RECORDING).write_text(output, encoding="utf-8", newline="")
    return folder


def report(folder: Path, _: Path) -> None:
    """The top of the report."""
    photograph(folder / "work/report/index.html", IMG / "report.png", 1000)


def pairs(folder: Path, _: Path) -> None:
    """Pairs in README."""
    fill(README, "pairs", pairs_table(folder / "work"))


def histogram(folder: Path, _: Path) -> None:
    """The distribution of a score in the report."""
    here = "#score-trigram_overlap"
    alone = f"header, section:not(:has({here})), section > :not({here}), footer {{display: none}}"
    page = variant(
        folder / "work/report/index.html",
        folder / "histogram.html",
        {"</style>": f"{alone} body {{padding-block: 0}} .score > h3 {{margin-top: 1rem}}</style>"},
    )
    photograph(page, IMG / "histogram.png", 380)


def inspect(folder: Path, _: Path) -> None:
    """Pairs in a terminal."""
    arguments = ["inspect", "work/release", "--where", "paraphrases", "-n", "2", "--seed", str(SEED)]
    title = "paranmt inspect: two pairs; the words that differ are coloured"
    save_terminal("inspect", arguments, shown(arguments, folder, COLUMNS), title)


def recorded(folder: Path, _: Path) -> None:
    """The terminal after the run; the folder has another name there, which says nothing of this machine."""
    file = folder / RECORDING
    if not file.exists():
        sys.exit(
            f"expected the recording of a whole run in {file}, which is missing; "
            f"delete {folder / 'work'}, so that everything is run again"
        )
    with file.open(encoding="utf-8", newline="") as stored:
        output = stored.read().replace(str(folder), SHOWN_FOLDER)
    save_terminal("run", ["run", "recipe.yaml"], output, "paranmt run: what was computed and where it is")


def comparison(folder: Path, data: Path) -> None:
    """The page that compares the encoder of the run with word vectors."""
    page = folder / "comparison.html"
    page.unlink(missing_ok=True)
    encoders = ["work/train/avg", str(data / "word-vectors" / VECTORS)]
    shown(["evaluate", *encoders, str(data / "sts-semeval"), "--page", page.name], folder, COLUMNS)
    photograph(page, IMG / "comparison.png", 1000)


def tune(folder: Path, _: Path) -> None:
    """The page that compares the deciles of a score."""
    photograph(folder / "work/tune/overlap/index.html", IMG / "tune.png", 760)


def judge(folder: Path, _: Path) -> None:
    """The page for people who judge, with its first pair."""
    page = folder / "judge.html"
    page.unlink(missing_ok=True)
    shown(["judge", "work/release", "--by", "paraphrase_similarity", "-o", page.name], folder, COLUMNS)
    clicks = (
        "document.querySelector('#who button').click(); "
        "document.querySelectorAll('.choices button')[2].click()"
    )
    changes = {"</body>": f"<script>{clicks}</script></body>", "Content-Security-Policy": "x-not-here"}
    photograph(variant(page, folder / "judging.html", changes), IMG / "judge.png", 640)


FROM_RUN = {
    "report": report,
    "pairs": pairs,
    "histogram": histogram,
    "inspect": inspect,
    "run": recorded,
    "comparison": comparison,
    "tune": tune,
    "judge": judge,
}


def variant(page: Path, file: Path, changes: dict[str, str]) -> Path:
    """The page with some texts replaced, each of which it has once, as a file of its own."""
    text = page.read_text(encoding="utf-8")
    for old, new in changes.items():
        if text.count(old) != 1:
            sys.exit(f"{page}: expected {old!r} once, found it {text.count(old)} times")
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    return file


def save_terminal(name: str, arguments: Sequence[str], output: str, title: str) -> None:
    """Write a picture of a terminal."""
    command = shlex.join(["paranmt", *arguments])
    (IMG / f"{name}.svg").write_text(terminal_svg(command, output, COLUMNS, title), encoding="utf-8")


def photograph(page: Path, picture: Path, height: int) -> None:
    """Write a picture of the top of a page, with 128 colours, which nobody can tell from all."""
    from PIL import Image

    browsers = map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))
    browser = next(filter(None, browsers), None)
    if browser is None:
        sys.exit("pictures of pages need Chromium; on Debian: apt-get install chromium")
    flags = [
        "--headless",
        "--no-sandbox",
        "--hide-scrollbars",
        "--disable-gpu",
        f"--window-size=1280,{height}",
    ]
    command = [browser, *flags, f"--screenshot={picture}", page.as_uri()]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    Image.open(picture).convert("RGB").quantize(128).save(picture, optimize=True)


def pairs_table(workspace: Path, count: int = 5) -> str:
    """Random selected pairs with three of their scores, as a table in Markdown."""
    import paranmt

    scores = {"paraphrase_similarity": "similarity", "trigram_overlap": "trigram overlap"}
    columns = ["pair_id", "reference", "translation", *scores]
    pairs = paranmt.open_release(workspace / "release").pairs("paraphrases", columns)
    rows = random.Random(SEED).sample(pairs.to_table().sort_by("pair_id").to_pylist(), count)
    lines = [f"| reference | translation | {' | '.join(scores.values())} |", "|---|---|--:|--:|"]
    for row in rows:
        cells = [row[side].replace("|", "\\|") for side in ("reference", "translation")]
        lines.append(f"| {' | '.join([*cells, *(f'{row[score]:.2f}' for score in scores)])} |")
    return "\n".join(lines)


def results_table(rows: Sequence[dict[str, Any]]) -> str:
    """The results by year, as a table in Markdown."""
    years = ("2012", "2013", "2014", "2015")
    lines = [f"| encoder | {' | '.join(years)} | mean (95 %) | STSB | SICK |", f"|---|{'--:|' * 7}"]
    for row in rows:
        interval = f" ({row['low']:.1f}–{row['high']:.1f})" if "low" in row else ""
        others = [f"{row[name]:.1f}" if name in row else "" for name in ("stsb", "sick")]
        cells = [*(f"{row['years'][year]:.1f}" for year in years), f"{row['value']:.1f}{interval}", *others]
        lines.append(f"| {row['name']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def fill(file: Path, name: str, text: str) -> None:
    """Put a text between the file's marks of this name."""
    pattern = rf"(<!-- {name}: [^\n]*-->\n).*?(<!-- end of {name} -->)"
    content, count = re.subn(
        pattern, lambda marks: f"{marks[1]}{text}\n{marks[2]}", file.read_text(encoding="utf-8"), flags=re.S
    )
    if count != 1:
        sys.exit(f"{file}: expected one pair of marks for {name}, found {count}")
    file.write_text(content, encoding="utf-8")


@dataclass(frozen=True)
class Box:
    """A box with a title and lines of text."""

    left: float
    top: float
    title: str
    lines: Sequence[str]

    width = 156
    height = 88

    @property
    def middle(self) -> float:
        """Of its width."""
        return self.left + self.width / 2

    @property
    def bottom(self) -> float:
        """Its lower edge."""
        return self.top + self.height

    def drawn(self) -> str:
        """The box as SVG."""
        frame = f'x="{self.left}" y="{self.top}" width="{self.width}" height="{self.height}" rx="7"'
        texts = [_text(self.middle, self.top + 26, self.title, "bold")]
        texts += [
            _text(self.middle, self.top + 50 + 17 * at, line, "soft") for at, line in enumerate(self.lines)
        ]
        return f'<rect {frame} fill="#fff" stroke="{ACCENT}" stroke-width="1.5"/>{"".join(texts)}'


def pipeline() -> str:
    """What flows from a bitext to a release and its models."""
    across, down = Box.width + 30, Box.height + 46
    flow = [Box(16 + at * across, 24, *named) for at, named in enumerate(FLOW.items())]
    release = flow[-1]
    models = [
        Box(release.left - at * across, release.top + down, *named) for at, named in enumerate(MODELS.items())
    ]
    arrows = [_arrow(box.left - 27, box.top + 44, box.left - 3, box.top + 44) for box in flow[1:]]
    arrows += [
        _arrow(release.middle - 40 * at, release.bottom + 3, box.middle, box.top - 3)
        for at, box in enumerate(models)
    ]
    boxes = [box.drawn() for box in (*flow, *models)]
    title = "From a bitext to a release, an encoder and a paraphraser"
    return _svg(release.left + Box.width + 16, models[0].bottom + 20, [*boxes, *arrows], title)


def bars(title: str, rows: Sequence[dict[str, Any]]) -> str:
    """A horizontal bar for each row, with its interval; ours are coloured.

    rows: `name`, `value`, `ours`, and `low` and `high` if there is an interval.
    """
    left, right, step, low, high = 330, 860, 30, 0.0, 90.0
    bottom = 46 + step * len(rows)

    def x(value: float) -> float:
        return round(left + (value - low) / (high - low) * (right - left), 1)

    drawn = [_text(16, 26, title, "bold", "start")]
    for tick in range(int(low), int(high) + 1, 10):
        drawn += [
            f'<path d="M{x(tick)} 40V{bottom}" stroke="{LINE}"/>',
            _text(x(tick), bottom + 20, str(tick)),
        ]
    for at, row in enumerate(rows):
        top, value = 46 + at * step, float(row["value"])
        ends = [float(row[end]) for end in ("low", "high") if end in row]
        fill = ACCENT if row["ours"] else OTHER
        drawn.append(_text(left - 12, top + 16, str(row["name"]), "", "end"))
        drawn.append(f'<rect x="{left}" y="{top}" width="{x(value) - left}" height="22" fill="{fill}"/>')
        if ends:
            start, end = map(x, ends)
            whisker = f"M{start} {top + 6}v10m0 -5H{end}m0 -5v10"
            drawn.append(f'<path d="{whisker}" stroke="{INK}" stroke-width="1.5" fill="none"/>')
        drawn.append(_text(x(max(value, *ends, 0)) + 8, top + 16, f"{value:.1f}", "", "start"))
    return _svg(920, bottom + 34, drawn, title)


def _text(x: float, y: float, text: str, kind: str = "", anchor: str = "middle") -> str:
    return f'<text x="{x}" y="{y}" class="{kind}" text-anchor="{anchor}">{escape(text)}</text>'


def _arrow(x: float, y: float, to_x: float, to_y: float) -> str:
    return f'<path d="M{x} {y}L{to_x} {to_y}" stroke="{INK}" stroke-width="1.5" marker-end="url(#head)"/>'


def _svg(width: float, height: float, drawn: Sequence[str], title: str) -> str:
    style = f"text{{font:13px {FONT};fill:{INK}}}.bold{{font-weight:600;font-size:15px}}.soft{{fill:{SOFT}}}"
    size = 'viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7"'
    head = f'<path d="M0 0L8 4L0 8z" fill="{INK}"/>'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img">',
        f"<title>{escape(title)}</title>",
        f"<style>{style}</style>",
        f'<defs><marker id="head" {size} orient="auto">{head}</marker></defs>',
        f'<rect width="100%" height="100%" rx="8" fill="{PAPER}"/>',
        *drawn,
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    main(sys.argv[1:])
