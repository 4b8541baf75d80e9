"""A small bitext with existing translations, made of a few words: enough to run every stage in seconds."""

from pathlib import Path
from random import Random

SUBJECTS = "a dog|a cat|two men|the woman|a child|some birds|an old sailor|the teacher".split("|")
VERBS = "sees|hears|likes|follows|paints|remembers".split("|")
OBJECTS = "a red boat|the sea|an apple|the long road|a song|three houses|the quiet garden|snow".split("|")
PLACES = "in the morning|near the river|at night|under a tree|by the wall|after lunch".split("|")
OTHER = {
    "a dog": "the dog",
    "two men": "a pair of men",
    "sees": "can see",
    "likes": "enjoys",
    "the sea": "the ocean",
}


def write_bitext(folder: Path, name: str, rows: int, seed: int = 1) -> dict[str, str]:
    """Three files of `rows` lines: a made-up source, references, and translations that differ."""
    choose = Random(seed)
    sides: dict[str, list[str]] = {"xx": [], "en": [], "mt": []}
    for row in range(rows):
        words = [choose.choice(options) for options in (SUBJECTS, VERBS, OBJECTS, PLACES)]
        reference = " ".join(words) + ("." if row % 3 else " !")
        changed = [OTHER.get(word, word) if choose.random() < 0.6 else word for word in words]
        if choose.random() < 0.3:
            changed = [changed[3], *changed[:3]]
        sides["xx"].append(reference[::-1])
        sides["en"].append(reference.capitalize())
        sides["mt"].append(" ".join(changed).capitalize() + ".")
    folder.mkdir(parents=True, exist_ok=True)
    paths = {}
    for side, lines in sides.items():
        path = folder / f"{name}.{side}"
        path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
        paths[side] = str(path)
    return paths


def write_sts(folder: Path, pairs: int = 40, seed: int = 3) -> None:
    """An STS set in SemEval's layout whose gold score is how many of four phrases two sentences share."""
    choose = Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    inputs, gold = [], []
    for _ in range(pairs):
        first = [choose.choice(options) for options in (SUBJECTS, VERBS, OBJECTS, PLACES)]
        kept = choose.randrange(5)
        second = [
            word if position < kept else choose.choice(options)
            for position, (word, options) in enumerate(
                zip(first, (SUBJECTS, VERBS, OBJECTS, PLACES), strict=True)
            )
        ]
        inputs.append(f"{' '.join(first)}\t{' '.join(second)}\n")
        gold.append(f"{kept * 1.25}\n")
    (folder / "STS.input.phrases.txt").write_text("".join(inputs))
    (folder / "STS.gs.phrases.txt").write_text("".join(gold))


def recipe_text(folder: Path, corpora: dict[str, int], *, part_rows: int = 50, extra: str = "") -> str:
    """A recipe over such bitexts (corpus → rows), with every kind of stage."""
    entries = []
    for number, (corpus, rows) in enumerate(corpora.items()):
        paths = write_bitext(folder / "data", corpus, rows, seed=number)
        entries.append(
            f"  - {{corpus: {corpus}, format: moses, source: {paths['xx']}, reference: {paths['en']},"
            f" translation: {paths['mt']}, source_language: xx, domain: d{number}, licence: cc0-1.0}}"
        )
    write_sts(folder / "sts")
    bitext = "\n".join(entries)
    return f"""\
workspace: {folder / "work"}
bitext:
{bitext}
ingest: {{part_rows: {part_rows}}}
scores:
  perplexity: {{lm: {{train_on: 30}}}}
  translation_length: {{}}
  trigram_overlap: {{}}
  paraphrase_similarity: {{encoder: {{type: avg, train_on: 200, dimension: 16, epochs: 1}}}}
duplicates: {{of: translation}}
select:
  middling: {{where: paraphrase_similarity_decile between 3 and 9, sample: 120}}
  short: {{where: translation_length <= 10 and domain = 'd0'}}
  unique: {{where: duplicate_of is null}}
release: {{rows_per_file: 150}}
train:
  avg: {{selection: middling, encoder: {{type: avg, dimension: 16}}, epochs: 1, mega_batch: 2, batch: 20}}
evaluate:
  sts: {{encoder: avg, data: {folder / "sts"}}}
{extra}"""
