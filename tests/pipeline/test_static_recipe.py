"""recipes/static.yaml on a small folder of the same layout."""

import gzip
import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from commands import ok, paranmt
from corpus import write_bitext, write_sts
from runs import go

from paranmt.install import LEFT_OUT
from paranmt.models.encoders.loading import load_encoder
from paranmt.models.encoders.sentence_encoder import SentenceEncoder
from paranmt.pipeline.recipe.recipe import Recipe
from paranmt.pipeline.running.plan import make_plan

RECIPE = Path(__file__).parents[2] / "recipes" / "static.yaml"
pytestmark = pytest.mark.skipif(not RECIPE.exists(), reason="not in a checkout")

SYSTEMS = ("google", "microsoft", "bergamot-base-memory", "bergamot-tiny")
FLORES = {"cs": SYSTEMS, "fr": SYSTEMS, "de": (*SYSTEMS, "bergamot-base")}
TURK, SIMPLE = "simplification-pairs/turkcorpus", "simplification-pairs"


def pairs_of_files() -> list[tuple[str, str]]:
    """The file of each reference, and that of its translation, as the real folder has them."""
    files = [(f"cs-en-mt-outputs/wmt08.{system}.en.gz", "cs-en-mt-outputs/wmt08.en.gz") for system in SYSTEMS]
    for part in ("dev", "test"):
        for language, systems in FLORES.items():
            folder = f"flores-cs-de-fr-en/{language}-en/flores-{part}"
            files += [(f"{folder}.{system}.en.gz", f"{folder}.en.gz") for system in systems]
    for part in ("valid", "test"):
        asset = f"{SIMPLE}/asset/asset.{part}"
        files += [(f"{asset}.simp.{number}", f"{asset}.orig") for number in range(10)]
        files += [
            (f"{SIMPLE}/{wiki}/{part}.src", f"{SIMPLE}/{wiki}/{part}.dst")
            for wiki in ("wikilarge", "wikismall")
        ]
    for part in ("tune", "test"):
        turk = f"{TURK}/{part}.8turkers.tok"
        files += [(f"{turk}.turk.{number}", f"{turk}.norm") for number in range(8)]
        files.append((f"{turk}.simp", f"{turk}.norm"))
    captions = "multi30k-captions5-en/"
    files += [
        (f"{captions}{part}.1.en.gz", f"{captions}{part}.2.en.gz") for part in ("train", "val", "test_2016")
    ]
    return files


def test_the_recipe_of_the_static_encoder(tmp_path: Path) -> None:
    data = tmp_path / "data"
    bitext = write_bitext(tmp_path, "pairs", 5)
    for files in pairs_of_files():
        for file, side in zip(files, ("mt", "en"), strict=True):
            (data / file).parent.mkdir(parents=True, exist_ok=True)
            content = Path(bitext[side]).read_bytes()
            (data / file).write_bytes(gzip.compress(content) if file.endswith(".gz") else content)
    for folder in ("sts-semeval", "stsbenchmark", "sick2014", "pit2015"):
        write_sts(data / folder)
    copied = Path(bitext["en"]).read_text(encoding="utf-8").splitlines()[0]
    (data / "pit2015" / "STS.input.copy.txt").write_text(f"{copied}\tsomething else entirely here\t0\n")
    shutil.copy(RECIPE, tmp_path / "recipe.yaml")
    recipe = Recipe.load(
        tmp_path / "recipe.yaml",
        ["train.trigrams.epochs=1", "train.subwords.epochs=1", "train.subwords.text.subword_size=60"],
    )
    go(recipe)
    plan = make_plan(recipe)
    used = {package for stage in plan.stages for package in getattr(stage.work, "packages", ())}
    assert "torch" in used and not used & LEFT_OUT, "`make static` installs neither fairseq nor KenLM"
    # 75 files with five pairs each, of which the first has a sentence of an evaluation set.
    clean = plan.manifest("select/clean")
    assert (clean.rows, clean.counts["selected"]) == (375, 300)
    encoder = SentenceEncoder.load(tmp_path / "work/train/static")
    assert encoder.dimension == 600
    vectors = encoder.encode(["a dog sees snow", "the sea at night"])
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 2**0.5, rtol=1e-5)
    evaluated = {path.name for path in (tmp_path / "work/evaluate").iterdir()}
    assert evaluated == {
        "sts",
        "stsb",
        "sick",
        "twitter",
    }
    _check_the_export(tmp_path, encoder)


def _check_the_export(folder: Path, encoder: SentenceEncoder) -> None:
    """A card with the run's figures, data and licences, and the certificate beside it."""
    work, exported = folder / "work", folder / "exported"
    ok("export", work / "train/static", exported, "--run", work)
    texts = ["a dog sees snow", "", "the sea at night"]
    assert (load_encoder(exported, "cpu").encode(texts) == encoder.encode(texts)).all()
    card = (exported / "README.md").read_text("utf-8")
    _, header, text = card.split("---\n", 2)
    assert yaml.safe_load(header)["license_name"] == "mixed-see-card"
    assert "a vector of 600 numbers" in text and "### twitter\n\n| year | test set |" in text
    assert "| `asset` | encyclopedia | 100 | CC-BY-NC-4.0 |" in text
    assert "75 of 375 pairs match" in text and "for which `contamination = 0`" in text
    certificate = "contamination/contamination.json"
    assert (exported / certificate).read_bytes() == (work / "release" / certificate).read_bytes()
    copied = shutil.copytree(work / "train/trigrams", folder / "copy")
    ok("export", copied, folder / "other", "--run", work, "--precision", "int8")
    text = (folder / "other/README.md").read_text("utf-8")
    assert "# trigrams" in text and "evaluated this encoder on no sets" in text and "stored as int8" in text
    (folder / "vectors.txt").write_text("cat 3 0\n")
    failed = paranmt("export", folder / "vectors.txt", folder / "third", "--run", work)
    assert failed.exit_code == 2 and "those are static, subwords, trigrams" in failed.stderr
    failed = paranmt("export", copied, folder / "third", "--run", folder)
    assert failed.exit_code == 2 and "expected a workspace with a release" in failed.stderr
    assert not (folder / "third").exists()
