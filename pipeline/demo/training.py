"""Trains the demo's translation model again: `make demo-model`, about ten minutes on two idle cores.

The folder `model` beside this module is what it writes. The demo copies that folder, because a model that is
trained in a minute or two translates badly.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from ...models.translation.fairseq_files import allow_settings
from ...models.translation.nmt_options import NmtOptions
from ...models.translation.nmt_training import train_nmt
from ..looking.bitext_pairs import bitext_pairs
from ..recipe.recipe import Recipe
from .writing import write_demo

# After the epochs of the preset, many translations name another thing or person than their source. More
# epochs mend that, and more dropout keeps the model from learning the references by heart.
OPTIONS = NmtOptions(preset="tiny", source_language="cs", epochs=40, dropout=0.2, dev_pairs=300, threads=2)


def train_demo_model(out: Path) -> None:
    """Train on the demo's bitext, and write the model in half precision into the new folder `out`."""
    with tempfile.TemporaryDirectory() as name:
        folder, trained = Path(name, "demo"), Path(name, "model")
        write_demo(folder)
        recipe = Recipe.load(folder / "recipe.yaml").located()
        pairs = bitext_pairs(recipe.bitext, recipe.ingest.max_characters)
        train_nmt(pairs, trained, OPTIONS, lambda state: print(state, file=sys.stderr))
        write_small(trained, out)


def write_small(model: Path, out: Path) -> None:
    """Copy a model's folder with its weights in half precision, and without its copy for CTranslate2."""
    import torch

    out.mkdir()
    for file in (*model.glob("dict.*.txt"), model / "spm.model", model / "training.json"):
        shutil.copyfile(file, out / file.name)
    with allow_settings():
        checkpoint = torch.load(model / "model.pt", weights_only=True)
    halves: list[torch.Tensor] = []
    for name, tensor in checkpoint["model"].items():
        half = tensor.half()
        # Embeddings and output have the same weights, which are stored once.
        same = next((other for other in halves if other.shape == half.shape and other.equal(half)), half)
        checkpoint["model"][name] = same
        halves.append(same)
    torch.save(checkpoint, out / "model.pt")


if __name__ == "__main__":
    train_demo_model(Path(sys.argv[1]))
