"""Marian models in the torch engine against transformers, on random models made here."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

transformers = pytest.importorskip("transformers", reason="needs transformers to compare with")

from marian_models import TEXTS, write_marian  # noqa: E402

from paranmt.errors import ModelError  # noqa: E402
from paranmt.models import translator as translators  # noqa: E402
from paranmt.models.model_folder import read_model_folder  # noqa: E402
from paranmt.models.torch_engine.engine import TorchTranslator  # noqa: E402
from paranmt.models.torch_engine.options import SearchOptions  # noqa: E402
from paranmt.models.torch_engine.weights import load_model  # noqa: E402
from paranmt.models.translator import TranslateOptions  # noqa: E402

OPTIONS = TranslateOptions(engine="torch", beam=1, max_length=20, device="cpu")
VARIANTS: dict[str, dict[str, object]] = {
    "as OPUS-MT": {},
    "gelu, unscaled, sides unlike": {
        "activation_function": "gelu",
        "scale_embedding": False,
        "decoder_layers": 1,
        "decoder_attention_heads": 2,
    },
    "embeddings apart": {"share_encoder_decoder_embeddings": False, "tie_word_embeddings": False},
}


def searching(folder: Path, **own: object) -> TorchTranslator:
    options = translators.resolve(replace(OPTIONS, model=str(folder), **own))  # type: ignore[arg-type]
    return TorchTranslator(load_model(read_model_folder(str(folder))), options, SearchOptions(min_length=0))


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_greedy_output_is_that_of_transformers(variant: str, tmp_path: Path) -> None:
    lengths = set()
    for ends in (-30.0, 0.0, 2.0, 4.0):
        theirs = write_marian(tmp_path, ends=ends, **VARIANTS[variant])
        text = load_model(read_model_folder(str(tmp_path))).text
        for sentence, ranked in zip(TEXTS, searching(tmp_path).translate(TEXTS), strict=True):
            words = greedy(theirs, [*text.sources([sentence])[0], 0], longest=20)
            assert ranked[0].n_tokens == len(words) + 1
            assert ranked[0].text == text.decode(words)
            lengths.add(len(words))
    assert min(lengths) < max(lengths) == 20


def greedy(model: "transformers.MarianMTModel", source: list[int], longest: int) -> list[int]:
    """What transformers says word by word, without the end symbol."""
    sources = torch.tensor([source])
    found = model.generate(
        sources,
        attention_mask=torch.ones_like(sources),
        num_beams=1,
        do_sample=False,
        max_length=longest + 2,  # the start and the end symbol are counted
        bad_words_ids=[[model.config.pad_token_id]],
    )[0, 1:].tolist()
    return found[: found.index(model.config.eos_token_id)]


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_forced_decoding_agrees_with_transformers(variant: str, tmp_path: Path) -> None:
    theirs = write_marian(tmp_path, **VARIANTS[variant])
    text = load_model(read_model_folder(str(tmp_path))).text
    targets = TEXTS[::-1]
    for sentence, target, found in zip(
        TEXTS, targets, searching(tmp_path).score(TEXTS, targets), strict=True
    ):
        words = torch.tensor([[*text.targets([target])[0], 0]])
        before = torch.tensor([[theirs.config.pad_token_id, *words[0, :-1].tolist()]])
        source = torch.tensor([[*text.sources([sentence])[0], 0]])
        with torch.inference_mode():
            logits = theirs(input_ids=source, decoder_input_ids=before).logits
        wanted = logits.log_softmax(dim=2).gather(2, words[:, :, None]).flatten()
        assert found is not None
        assert found.token_log_probs == pytest.approx(wanted.tolist(), abs=1e-4)


def test_search_and_forced_decoding_agree(tmp_path: Path) -> None:
    write_marian(tmp_path)
    engine = searching(tmp_path, beam=4)
    found = engine.translate(TEXTS, 4)
    assert all(len(ranked) == 4 for ranked in found)
    pad = load_model(read_model_folder(str(tmp_path))).symbols.pad
    sources = engine._text.sources(TEXTS)
    for source, ranked in zip(
        sources, engine._searcher.search([[*one, 0] for one in sources], 4), strict=True
    ):
        forced = engine.force([source] * 4, [one.words for one in ranked])
        for one, log_probs in zip(ranked, forced, strict=True):
            assert pad not in one.words
            assert log_probs == pytest.approx(one.log_probs, abs=5e-5)


def test_tokens_are_those_of_transformers(tmp_path: Path) -> None:
    from transformers import MarianTokenizer

    write_marian(tmp_path)
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"source_lang": "en", "target_lang": "fr"}))
    theirs = MarianTokenizer.from_pretrained(tmp_path)
    text = load_model(read_model_folder(str(tmp_path))).text
    sentences = [*TEXTS, "unbekannte Wörter, 漢字", ">>fra<< a dog", "", "</s> <pad>"]
    wanted = [theirs(one)["input_ids"][:-1] for one in sentences[:-1]]
    assert text.sources(sentences)[:-1] == wanted
    assert not {0, theirs.pad_token_id} & set(text.sources(sentences)[-1])
    ids = text.targets(TEXTS)
    assert [text.decode(row) for row in ids] == TEXTS
    assert [theirs.decode(row, skip_special_tokens=True) for row in ids] == TEXTS


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("model_type", "bart", "'bart' is not supported"),
        ("activation_function", "mish", "'mish' is not supported"),
        ("normalize_before", True, "normalize_before are not supported"),
        ("decoder_attention_heads", 5, "must divide 32"),
        ("d_model", None, "d_model must be a number"),
        ("decoder_layers", 3, "lacks 26 tensors"),
        ("decoder_start_token_id", 10_000, "start symbol is 10000"),
    ],
)
def test_what_is_not_supported_is_named(name: str, value: object, told: str, tmp_path: Path) -> None:
    write_marian(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    with pytest.raises(ModelError, match=told):
        load_model(read_model_folder(str(tmp_path)))


def test_a_damaged_file(tmp_path: Path) -> None:
    write_marian(tmp_path)
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ModelError, match=r"model\.safetensors cannot be read"):
        load_model(read_model_folder(str(tmp_path)))


@pytest.mark.parametrize("engine", ["fairseq", "ctranslate2"])
def test_other_engines_say_who_can_read_it(engine: str, tmp_path: Path) -> None:
    write_marian(tmp_path)
    options = translators.resolve(replace(OPTIONS, model=str(tmp_path), engine=engine))
    with pytest.raises(ModelError, match="engine: torch"):
        translators.load(options, tmp_path / "cache")
