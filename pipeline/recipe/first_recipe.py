"""The first recipe for a user's files: short, valid, and to be changed by hand."""

import os
import shlex
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
{translate}{scores}
select:
  paraphrases:                      # similar in meaning, different in words
    where: {similarity}_decile between 5 and 9 and trigram_overlap <= 0.7

release:
  {name}

train:
  avg: {{selection: paraphrases}}     # an encoder that averages word vectors
"""
_TRANSLATE = """
translate:
{model}
"""
_SCORES = """
scores:                             # next to {similarity}; without this section, also two that train a model
  reference_length: {{}}
  translation_length: {{}}
  unigram_overlap: {{}}
  bigram_overlap: {{}}
  trigram_overlap: {{}}
  sentence_bleu: {{}}
"""
_NO_MODEL = """\
  # Train a model on this bitext, which takes minutes to days:   paranmt nmt-train {recipe}
  # Or name one: a folder, or a model on the Hugging Face hub (OPUS-MT, NLLB-200, M2M-100), such as
  #   model: hf://Helsinki-NLP/opus-mt-{source}-{target}@COMMIT     or hf://facebook/nllb-200-distilled-600M@COMMIT
  # COMMIT is the 40 hex digits of a commit; the model's page lists them under Files and versions.
  model: model"""


def first_recipe(inputs: Sequence[FoundInput], file: str, model: str | None) -> str:
    """The recipe as YAML. file: where it will lie; paths become relative to its folder.

    If all pairs come with the same score, selections use this one, and no score needs a model.
    model: that of `translate`; it is written only if some input has no translations.
    """
    folder = os.path.dirname(file)
    untranslated = [found for found in inputs if "translation" not in found.keys]
    corpora = ", ".join(str(found.keys["corpus"]) for found in inputs[:3])
    given = [score for score in inputs[0].scores if all(score in found.scores for found in inputs)]
    similarity = given[0] if given and not untranslated else "paraphrase_similarity"
    name = _yaml({"name": f"Paraphrases of {corpora}"}).strip()
    return _TEXT.format(
        name=f"{name:<34}# the title of the dataset card and of the report",
        entries="\n".join(_entry(found, folder) for found in inputs),
        similarity=similarity,
        scores=_SCORES.format(similarity=similarity) if similarity in given else "",
        translate=_translate(untranslated[0], file, model) if untranslated else "",
    )


def _translate(found: FoundInput, file: str, model: str | None) -> str:
    """The section, with the ways to a model if none is given; `found` is an input without translations."""
    if model is not None:
        named = "  " + _yaml({"model": _relative(model, os.path.dirname(file))}).strip()
    else:
        source, target = found.keys["source_language"], found.keys.get("reference_language", "en")
        named = _NO_MODEL.format(recipe=shlex.quote(os.path.basename(file)), source=source, target=target)
    return _TRANSLATE.format(model=named)


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
