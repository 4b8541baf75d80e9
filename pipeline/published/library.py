"""Models as the library's users load them: by a path and a few options."""

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import ModelError
from ...host_cache import cache_folder
from ..recipe.section import read_section

if TYPE_CHECKING:
    from ...models.encoders.sentence_encoder import SentenceEncoder
    from ...models.encoders.sentence_transformer import SentenceTransformerEncoder
    from ...models.translation.translator import Translator
    from ..recipe.document import Data


def load_encoder(
    path: str | PathLike[str], device: str = "auto"
) -> "SentenceEncoder | SentenceTransformerEncoder":
    """The sentence encoder in a folder: one of ours, or a model of sentence-transformers.

    The path may also be a text file of word vectors, which are averaged. `encode` turns sentences into
    vectors. device: `cpu`, `cuda`, or `auto`, which is a GPU if there is one and the encoder gains from it.
    ModelError if the path is none of these.
    """
    from ...models.encoders import sentence_encoder, sentence_transformer

    if Path(path).is_dir():
        return sentence_transformer.load_encoder(Path(path), device)
    if Path(path).is_file():
        return sentence_encoder.SentenceEncoder.from_vectors(str(path), device=device.replace("auto", "cpu"))
    raise ModelError(f"expected an encoder's folder or a file of word vectors; {path} does not exist")


def load_translator(model: str | PathLike[str], **options: "Data") -> "Translator":
    """A translation model: its folder, here or at a URL. Its `translate` gives candidates for each sentence.

    options: any key that `translate` has in a recipe, such as `beam`, `engine` or `device`. RecipeError if
    there is no such key; ModelError if the folder holds no model.
    """
    from ...models.translation.engines import load, resolve
    from ...models.translation.options import TranslateOptions

    read = read_section(TranslateOptions, {"model": str(model), **options}, (), "translate")
    return load(resolve(read), cache_folder("models"))
