"""Models and scores as the library's users have them: by a path, a name and a few options."""

from os import PathLike
from typing import TYPE_CHECKING

from ...base.host_cache import cache_folder
from ..recipe.section import read_section

if TYPE_CHECKING:
    import pyarrow as pa

    from ...models.encoders.encodes import Encodes
    from ...models.translation.translator import Translator
    from ..recipe.document import Data
    from ..texts.paraphraser import Paraphraser


def load_translator(model: str | PathLike[str], **options: "Data") -> "Translator":
    """A translation model: its folder, here or at a URL. Its `translate` gives candidates for each sentence.

    options: any key that `translate` has in a recipe, such as `beam`, `engine` or `device`. RecipeError if
    there is no such key; ModelError if the folder holds no model.
    """
    from ...models.translation.engines import load, resolve
    from ...models.translation.translate_options import TranslateOptions

    read = read_section(TranslateOptions, {"model": str(model), **options}, (), "translate")
    return load(resolve(read), cache_folder("models"))


def load_paraphraser(
    model: str | PathLike[str], encoder: "Encodes | str | PathLike[str] | None" = None, **options: "Data"
) -> "Paraphraser":
    """A paraphraser: the folder of a stage `paraphraser`. Its `paraphrase` gives some of each sentence.

    encoder: ranks the candidates by their cosines with the sentence; an encoder, or the path of one. None
    ranks them by their log-probability. options: any key that `translate` has in a recipe; `beam`, 20 by
    default, is the number of candidates. RecipeError if there is no such key; ModelError if the folder holds
    no model.
    """
    from ...models.translation.translate_options import TranslateOptions
    from ..texts.paraphrase_text import loaded_paraphraser

    given: dict[str, Data] = {"model": str(model), "beam": 20, **options}
    return loaded_paraphraser(read_section(TranslateOptions, given, (), "translate"), encoder)


def measure(pairs: "pa.Table", score: str, **parameters: "Data") -> "pa.Array":
    """A score of recipes, of each pair.

    pairs: a table with the columns that the score reads, such as `reference` and `translation`. parameters:
    the keys that the score has in a recipe, such as `lm={"path": "news.arpa"}`; a model must be given by its
    path, because nothing is trained. RecipeError for an unknown score or key, or without such a path.
    InputError if a column is missing.
    """
    from ...base.errors import InputError, RecipeError
    from ...filters import SCORES
    from ...models.translation.model_folder import fetch_path
    from ...transforms.model_kinds import model_kind_of
    from ..recipe.problems import nearest

    if score not in SCORES:
        raise RecipeError(f"no score {score!r}; {nearest(score, list(SCORES))}")
    read = read_section(SCORES[score], {"score": score, **parameters}, (), score)
    kind, files = model_kind_of(read), read.files()
    if kind is not None and not files:
        raise RecipeError(f"{score} needs a model: give the path of one, with the keys of recipes")
    if missing := set(read.reads) - set(pairs.column_names):
        raise InputError(f"{score} reads the columns {', '.join(read.reads)}; missing: {', '.join(missing)}")
    paths = [fetch_path(path, cache_folder("models")) for path in files]
    return read.measure(pairs, None if kind is None else kind.load(paths, read))
