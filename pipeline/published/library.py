"""Models as the library's users load them: by a path and a few options."""

from os import PathLike
from typing import TYPE_CHECKING

from ...host_cache import cache_folder
from ..recipe.section import read_section

if TYPE_CHECKING:
    from ...models.translation.translator import Translator
    from ..recipe.document import Data


def load_translator(model: str | PathLike[str], **options: "Data") -> "Translator":
    """A translation model: its folder, here or at a URL. Its `translate` gives candidates for each sentence.

    options: any key that `translate` has in a recipe, such as `beam`, `engine` or `device`. RecipeError if
    there is no such key; ModelError if the folder holds no model.
    """
    from ...models.translation.engines import load, resolve
    from ...models.translation.options import TranslateOptions

    read = read_section(TranslateOptions, {"model": str(model), **options}, (), "translate")
    return load(resolve(read), cache_folder("models"))
