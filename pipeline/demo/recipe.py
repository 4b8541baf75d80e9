"""The demo's recipe: every stage, each key explained."""

from string import Template

_RECIPE = Template("""\
# The demo's recipe. Paths are relative to this file; keys left out have their defaults.
workspace: $workspace               # every dataset of this run lies here; any fsspec URL
seed: $seed                         # seeds that are not given follow from it and the stage's name

bitext:                             # sentences with their human English
  - corpus: captions
    format: moses                   # a file a side, line n of each the same sentence
    source: captions.cs.gz
    reference: captions.en.gz
    source_language: cs
    domain: captions
    licence: CC0-1.0
  - corpus: kitchen
    format: tsv                     # column 1 the source, column 2 the reference
    path: kitchen.tsv
    source_language: cs
    domain: kitchen
    licence: CC0-1.0
  - corpus: travel
    format: czeng                   # id, filter score, Czech, English
    path: travel.czeng.gz
    source_language: cs
    domain: travel
    licence: CC0-1.0
  - corpus: phrasebook
    format: moses
    source: phrasebook.cs.gz
    reference: phrasebook.en.gz
    translation: phrasebook.translation.en.gz   # existing translations: not translated again
    source_language: cs
    domain: mixed
    licence: CC0-1.0

ingest:
  part_rows: 1_000                  # rows of a part, the unit of work and of a resume

translate:
  model: $model
  beam: 5

scores:                             # a column each
  translation_cost: {}
  perplexity: {lm: {train_on: 2_000}}           # at most a tenth of the pairs is held out
  reference_length: {}
  translation_length: {}
  unigram_overlap: {}
  bigram_overlap: {}
  trigram_overlap: {}
  sentence_bleu: {}
  paraphrase_similarity: {encoder: {type: avg, dimension: 100, epochs: 5}}

select:
  paraphrases:                      # alike in meaning, not in words
    where: paraphrase_similarity_decile between 3 and 10 and trigram_overlap <= 0.7

release: {primary_score: paraphrase_similarity}

train:
  avg:
    selection: paraphrases
    encoder: {type: avg, dimension: 100}
    epochs: 5
    mega_batch: 10

evaluate:
  sts: {encoder: avg, data: sts}
""")


def demo_recipe(model: str, workspace: str = "work", seed: int = 1) -> str:
    """The recipe as YAML, to be put into the folder that `write_demo` filled.

    model: the folder of the translation model; workspace: where the datasets go; relative ones start
    from the recipe's folder.
    """
    return _RECIPE.substitute(model=_quoted(model), workspace=_quoted(workspace), seed=seed)


def _quoted(path: str) -> str:
    """A path as a YAML string, whatever signs it holds."""
    return "'" + path.replace("'", "''") + "'"
