"""The first recipe for a user's files: short, valid, and to be changed by hand."""

import os
import textwrap
from collections.abc import Sequence

import yaml

from .found_inputs import FoundInput

_PLACES = ("path", "source", "reference", "translation")
_TEXT = """\
# Written by `paranmt init`; `paranmt recipe --example` explains every key.
workspace: work                     # the folder for everything that a run makes

bitext:
{entries}
{translate}
select:
  paraphrases:                      # similar in meaning, different in words
    where: paraphrase_similarity_decile between 5 and 9 and trigram_overlap <= 0.7

release:
  {name}

train:
  avg: {{selection: paraphrases}}     # an encoder that averages word vectors
"""
_TRANSLATE = """
translate:
  {model}
"""
_NO_MODEL = (
    "model: model                      # a folder or hf://OWNER/NAME@COMMIT; `paranmt nmt-train` trains one"
)


def first_recipe(inputs: Sequence[FoundInput], folder: str, model: str | None) -> str:
    """The recipe as YAML. folder: where it will lie; paths of files become relative to it.

    model: that of `translate`; it is written only if some input has no translations.
    """
    named = _NO_MODEL if model is None else _yaml({"model": _relative(model, folder)}).strip()
    is_translated = any("translation" not in found.keys for found in inputs)
    corpora = ", ".join(str(found.keys["corpus"]) for found in inputs[:3])
    name = _yaml({"name": f"Paraphrases of {corpora}"}).strip()
    return _TEXT.format(
        name=f"{name:<34}# the title of the dataset card and of the report",
        entries="\n".join(_entry(found, folder) for found in inputs),
        translate=_TRANSLATE.format(model=named) if is_translated else "",
    )


def _entry(found: FoundInput, folder: str) -> str:
    keys = {
        key: _relative(place, folder) if key in _PLACES and _is_file(found, key) else place
        for key, place in found.keys.items()
    }
    return textwrap.indent(_yaml([keys]), "  ").rstrip()


def _is_file(found: FoundInput, key: str) -> bool:
    return key == "path" or found.keys["format"] == "moses"


def _relative(path: object, folder: str) -> str:
    return str(path) if "://" in str(path) else os.path.relpath(str(path), folder or ".")


def _yaml(content: object) -> str:
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=1_000)
