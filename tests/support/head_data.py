"""Examples to train encoders under a head."""

from pathlib import Path


def write_sick(folder: Path, part: str, n: int) -> None:
    lines = ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment"]
    for i in range(n):
        words = [("red", "green", "blue")[i % 3], ("red", "green", "blue")[i // 3 % 3]]
        score = 4.6 if words[0] == words[1] else 1.2 + 0.1 * (i % 4)
        lines.append(f"{i}\tthe {words[0]} car\tthis {words[1]} car\t{score}\tNEUTRAL")
    (folder / f"SICK_{part}.txt").write_text("\n".join(lines) + "\n")


def write_entailment(folder: Path, name: str, n: int = 60, label: str = "number") -> str:
    """Pairs whose label follows from a word; a tenth of the hypotheses is empty, a label is missing."""
    lines = []
    for i in range(n):
        same, answer = i % 2, ("contradiction", "entailment")[i % 2]
        answer = {"number": str(1 + 4 * same), "name": answer}[label]
        hypothesis = "" if i % 10 == 9 else f"it is a {('cat', 'dog')[same]}"
        lines.append(f"there was a {('dog', 'cat')[(i // 2) % 2]} {i % 7}\t{hypothesis}\t{answer}\n")
    (folder / name).write_text("".join([*lines, "a\tb\t-\n" if label == "name" else ""]))
    return str(folder / name)
