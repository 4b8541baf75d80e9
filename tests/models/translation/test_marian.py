"""Marian models in the torch engine against transformers, on random models made here."""

import json
import os
import pickle
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

transformers = pytest.importorskip("transformers", reason="needs transformers to compare with")

from marian_models import TEXTS, as_downloaded, write_marian  # noqa: E402

from paranmt.base.errors import ModelError, RecipeError  # noqa: E402
from paranmt.models.translation import engines as translators  # noqa: E402
from paranmt.models.translation.batching import Budget  # noqa: E402
from paranmt.models.translation.ctranslate2_engine import CTranslate2Translator, converted  # noqa: E402
from paranmt.models.translation.languages import Languages, LanguageTokens  # noqa: E402
from paranmt.models.translation.model_folder import read_model_folder  # noqa: E402
from paranmt.models.translation.search_options import SearchOptions  # noqa: E402
from paranmt.models.translation.torch_engine.engine import TorchTranslator  # noqa: E402
from paranmt.models.translation.torch_engine.network_loading import load_model  # noqa: E402
from paranmt.models.translation.translate_options import TranslateOptions  # noqa: E402
from paranmt.models.translation.translator import Candidate, Translator  # noqa: E402

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
    own["search"] = SearchOptions(min_length=0)
    options = translators.resolve(replace(OPTIONS, model=str(folder), **own))  # type: ignore[arg-type]
    return TorchTranslator(load_model(read_model_folder(str(folder))), options)


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
    replays = engine._searcher.search([[*one, 0] for one in sources], Budget(64, 8))
    searched = dict(pair for replay in replays for pair in replay().hypotheses(4))
    for number, source in enumerate(sources):
        ranked = searched[number]
        forced = engine.force([source] * 4, [one.words for one in ranked])
        for one, log_probs in zip(ranked, forced, strict=True):
            assert pad not in one.words
            assert log_probs == pytest.approx(one.log_probs, abs=5e-5)


SENTENCES = 200


@pytest.mark.parametrize(("engine", "seed", "least"), [("torch", 1, 1.0), ("ctranslate2", 2, 0.98)])
def test_beam_search_is_that_of_transformers(engine: str, seed: int, least: float, tmp_path: Path) -> None:
    """A model with two target languages, stored as OPUS-MT publishes it.

    CTranslate2 excludes padding and empty translations before the softmax, so it misses a few in a random
    model, where both are likely.
    """
    theirs = write_marian(tmp_path / "m", seed=seed, ends=3.0, languages=["deu", "fra"])
    as_downloaded(tmp_path / "m", theirs)
    words = np.array(sorted({word for text in TEXTS for word in text.split()}))
    numbers = np.random.default_rng(1)
    sentences = [" ".join(numbers.choice(words, size)) for size in numbers.integers(1, 11, SENTENCES)]
    text = load_model(read_model_folder(str(tmp_path / "m")), LanguageTokens(">>fra<<")).text
    fra = json.loads((tmp_path / "m" / "vocab.json").read_text())[">>fra<<"]
    sources = text.sources(sentences)
    assert {row[0] for row in sources} == {fra}
    wanted, scores = beam_search(theirs, sources, beam=5, longest=20)
    found = loaded(tmp_path / "m", tmp_path / "cache", engine=engine, target_language="fra").translate(
        sentences
    )
    same = [
        ranked[0].text == text.decode(row) and abs(ranked[0].log_prob / ranked[0].n_tokens - score) < 1e-5
        for ranked, row, score in zip(found, wanted, scores, strict=True)
    ]
    assert sum(same) >= least * SENTENCES
    assert min(map(len, wanted)) < max(map(len, wanted)) == 20


def beam_search(
    model: "transformers.MarianMTModel", sources: list[list[int]], beam: int, longest: int
) -> tuple[list[list[int]], list[float]]:
    """transformers' best translations, without end symbols, and their mean log-probabilities of a token.

    As in fairseq, a translation has a word at least, and its end symbol costs something at the limit too.
    """

    class EndAtLimit(transformers.LogitsProcessor):
        def __call__(self, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
            return scores if ids.shape[1] <= longest else scores.index_fill(1, others, -torch.inf)

    others = torch.arange(1, model.config.vocab_size)
    rows = [torch.tensor([*row, model.config.eos_token_id]) for row in sources]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=model.config.pad_token_id)
    found = model.generate(
        ids,
        attention_mask=(ids != model.config.pad_token_id).long(),
        num_beams=beam,
        do_sample=False,
        early_stopping=True,
        min_new_tokens=1,
        max_length=longest + 2,
        forced_eos_token_id=None,
        logits_processor=[EndAtLimit()],
        bad_words_ids=[[model.config.pad_token_id]],
        return_dict_in_generate=True,
        output_scores=True,
    )
    words = [row[1 : row.index(model.config.eos_token_id, 1)] for row in found.sequences.tolist()]
    return words, found.sequences_scores.tolist()


@pytest.mark.parametrize("is_zip", [True, False])
def test_weights_as_downloaded(is_zip: bool, tmp_path: Path) -> None:
    theirs = write_marian(tmp_path)
    wanted = load_model(read_model_folder(str(tmp_path))).members[0]
    as_downloaded(tmp_path, theirs, is_zip)
    found = load_model(read_model_folder(str(tmp_path))).members[0]
    assert found.architecture == wanted.architecture
    assert found.tensors.keys() == wanted.tensors.keys()
    assert all(torch.equal(found.tensors[name], tensor) for name, tensor in wanted.tensors.items())
    assert torch.equal(found.output_bias, wanted.output_bias)  # type: ignore[arg-type]


class Trap:
    """Unpickled without care, it makes a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"lm_head.weight": Trap}, r"tensors and settings only, but it asks for posix\.mkdir"),
        ({"state_dict": {}}, "found state_dict: dict$"),
        ({"lm_head.weight": torch.ones(2, 2).to_sparse()}, "found lm_head.weight: Tensor torch.float32"),
        ({"lm_head.weight": torch.ones(2, device="meta")}, "found lm_head.weight: Tensor torch.float32"),
        ([torch.ones(2)], "expected tensors by name, found list"),
        (b"", r"pytorch_model\.bin cannot be read \(EOFError"),
        (b"no weights", r"pytorch_model\.bin "),
        *(
            (pickle.dumps({"a": {"b"}}, number), r"only, but it is a pickle or an archive")
            for number in (0, 4)
        ),
        (torch.jit.script(torch.nn.Linear(2, 2)), r"only, but it is a pickle or an archive"),
    ],
)
def test_a_file_that_torch_wrote_runs_nothing(content: object, message: str, tmp_path: Path) -> None:
    path = as_downloaded(tmp_path, write_marian(tmp_path))
    if content == {"lm_head.weight": Trap}:
        content = {"lm_head.weight": Trap(tmp_path / "trap")}
    if isinstance(content, bytes):
        path.write_bytes(content)
    elif isinstance(content, torch.jit.ScriptModule):
        torch.jit.save(content, path)
    else:
        torch.save(content, path)
    with pytest.raises(ModelError, match=message) as raised:
        load_model(read_model_folder(str(tmp_path)))
    assert "\n" not in str(raised.value)
    assert "weights_only" not in str(raised.value)  # torch's advice to load it without restrictions
    assert not (tmp_path / "trap").exists()


@pytest.mark.parametrize("name", ["model.encoder.layers.0.fc1.weight", "final_logits_bias"])
def test_impossible_weights_as_downloaded(name: str, tmp_path: Path) -> None:
    theirs = write_marian(tmp_path)
    with torch.no_grad():
        theirs.state_dict()[name][0, 3] = torch.nan
    as_downloaded(tmp_path, theirs)
    with pytest.raises(ModelError, match=rf"pytorch_model\.bin: .*{name.removeprefix('model.')}"):
        load_model(read_model_folder(str(tmp_path)))


@pytest.mark.parametrize("engine", ["torch", "ctranslate2"])
def test_the_target_language(engine: str, tmp_path: Path) -> None:
    model, cache = tmp_path / "m", tmp_path / "cache"
    languages = ["deu", "fra", "fry", *[f"x{number:02}" for number in range(20)]]
    write_marian(model, languages=languages)
    with pytest.raises(RecipeError, match="target_language to one of deu, fra, fry, .*, x08 and 11 others$"):
        loaded(model, cache, engine=engine)
    with pytest.raises(RecipeError, match="'frb', for which .* has no token; there are fry, fra and 21 oth"):
        loaded(model, cache, engine=engine, target_language="frb")
    found = {
        language: loaded(model, cache, engine=engine, target_language=language).translate([*TEXTS, " "])
        for language in ("deu", "fra")
    }
    assert [found["deu"][-1], found["fra"][-1]] == [[], []]
    for one, two in zip(found["deu"][:-1], found["fra"][:-1], strict=True):
        assert one[0].log_prob != two[0].log_prob


def test_a_target_language_by_any_of_its_codes() -> None:
    codes = ("cmn_Hans", "cmn_Hant", "deu", "por", "por_BR", "spa_AR", "spa_CL")
    languages = Languages({code: f">>{code}<<" for code in codes})
    for language, code in {"de": "deu", "deu_Latn": "deu", "pt": "por", "por_BR": "por_BR"}.items():
        assert languages.chosen((None, language), "m") == (None, code)
        assert languages.chosen((None, None), "m", ("cs", language), "a") == (None, code)
    assert languages.chosen((None, "por_BR"), "m", ("cs", "pt"), "a") == (None, "por_BR")
    assert languages.chosen((None, "pt"), "m", ("cs", "por_BR"), "a") == (None, "por_BR")
    with pytest.raises(
        RecipeError, match="'es', for which m has several tokens; there are spa_AR, spa_CL and"
    ):
        languages.chosen((None, "es"), "m")
    with pytest.raises(
        RecipeError, match="is 'pt', but the entry a of bitext has the reference_language 'de'"
    ):
        languages.chosen((None, "pt"), "m", ("cs", "de"), "a")


def test_the_target_language_of_a_model_that_has_one(tmp_path: Path) -> None:
    write_marian(tmp_path)
    with pytest.raises(RecipeError, match="target_language is 'fra', but .* leave it out"):
        loaded(tmp_path, tmp_path / "cache", target_language="fra")


def test_a_converted_model_has_its_target_languages(tmp_path: Path) -> None:
    write_marian(tmp_path / "m", languages=["deu", "fra"])
    path = converted(read_model_folder(str(tmp_path / "m")), tmp_path / "cache")
    with pytest.raises(RecipeError, match="set translate.target_language to one of deu, fra$"):
        loaded(path, tmp_path / "cache")
    found = [
        loaded(model, tmp_path / "cache", target_language="fra").translate(TEXTS)
        for model in (tmp_path / "m", path)
    ]
    assert found[0] == found[1]


def test_tokens_are_those_of_transformers(tmp_path: Path) -> None:
    from transformers import MarianTokenizer

    write_marian(tmp_path, languages=["fra"])
    (tmp_path / "tokenizer_config.json").write_text(json.dumps({"source_lang": "en", "target_lang": "fr"}))
    theirs = MarianTokenizer.from_pretrained(tmp_path)
    text = load_model(read_model_folder(str(tmp_path))).text
    french = load_model(read_model_folder(str(tmp_path)), LanguageTokens(">>fra<<")).text
    sentences = [*TEXTS, "unbekannte Wörter, 漢字", "", "</s> <pad>"]
    wanted = [theirs(one)["input_ids"][:-1] for one in sentences[:-1]]
    assert text.sources(sentences)[:-1] == wanted
    assert french.sources(TEXTS) == [theirs(f">>fra<< {one}")["input_ids"][:-1] for one in TEXTS]
    assert theirs.convert_tokens_to_ids(">>fra<<") not in text.sources([">>fra<< a dog"])[0]
    assert not {0, theirs.pad_token_id} & set(text.sources(sentences)[-1])
    ids = text.targets(TEXTS)
    assert [text.decode(row) for row in ids] == TEXTS
    assert [theirs.decode(row, skip_special_tokens=True) for row in ids] == TEXTS


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("model_type", "bart", "'bart' is not supported"),
        ("activation_function", "mish", "'mish' is not supported"),
        ("normalize_before", True, "normalize_before are not supported"),
        ("decoder_attention_heads", 5, "must divide 32"),
        ("d_model", None, "d_model must be a number"),
        ("decoder_layers", 3, "lacks 26 tensors"),
        ("encoder_layers", 10**12, "encoder_layers is 1,000,000,000,000, more than there are weights"),
        ("max_position_embeddings", 10**12, "must be from 2 to 1,048,576"),
        ("decoder_start_token_id", 10_000, "start symbol is 10000"),
    ],
)
def test_the_error_names_what_is_not_supported(
    name: str, value: object, message: str, tmp_path: Path
) -> None:
    write_marian(tmp_path)
    path = tmp_path / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    with pytest.raises(ModelError, match=message):
        load_model(read_model_folder(str(tmp_path)))


def test_a_damaged_file(tmp_path: Path) -> None:
    write_marian(tmp_path)
    path = tmp_path / "model.safetensors"
    path.write_bytes(path.read_bytes()[:2000])
    with pytest.raises(ModelError, match=r"model\.safetensors cannot be read"):
        load_model(read_model_folder(str(tmp_path)))


@pytest.mark.parametrize("number", [-1, 10**12, True])
def test_a_vocabulary_of_another_network(tmp_path: Path, number: object) -> None:
    write_marian(tmp_path)
    path = tmp_path / "vocab.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"<pad>": number}))
    with pytest.raises(ModelError, match=r"vocab\.json: (expected|'<pad>' has the number)"):
        load_model(read_model_folder(str(tmp_path)))


@pytest.mark.parametrize("value", [float("nan"), 1e30])
def test_impossible_weights(tmp_path: Path, value: float) -> None:
    write_marian(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    tensors["model.encoder.layers.0.fc1.weight"][1, 2] = value
    save_file(tensors, path)
    with pytest.raises(ModelError, match=r"encoder\.layers\.0\.fc1\.weight has values .*it is damaged"):
        load_model(read_model_folder(str(tmp_path)))


def test_a_bias_that_is_not_finite(tmp_path: Path) -> None:
    write_marian(tmp_path)
    path = tmp_path / "model.safetensors"
    tensors = load_file(path)
    tensors["final_logits_bias"][0, 3] = float("nan")
    save_file(tensors, path)
    with pytest.raises(ModelError, match=r"some of the numbers of final_logits_bias are not finite"):
        load_model(read_model_folder(str(tmp_path)))


@pytest.mark.parametrize("precision", ["float32", "float16", "bfloat16", "int8"])
def test_converted_weights_that_are_not_finite(precision: str, tmp_path: Path) -> None:
    """In each type that CTranslate2 keeps weights in: the last number of a tensor is replaced by infinity."""
    from ctranslate2.converters import TransformersConverter

    write_marian(tmp_path / "m")
    TransformersConverter(str(tmp_path / "m")).convert(str(tmp_path / "ct2"), quantization=precision)
    for name in ("source.spm", "target.spm"):
        (tmp_path / "ct2" / name).write_bytes((tmp_path / "m" / name).read_bytes())
    assert loaded(tmp_path / "ct2", tmp_path / "cache").translate(TEXTS[:1])
    path = tmp_path / "ct2" / "model.bin"
    content, name = bytearray(path.read_bytes()), b"decoder/projection/bias\0"
    kind_at = content.index(name) + len(name) + 1 + 4  # behind the rank and the only dimension
    kind, size = struct.unpack_from("<BI", content, kind_at)
    infinity = {0: b"\0\0\x80\x7f", 4: b"\0\x7c", 5: b"\x80\x7f"}[kind]
    end = kind_at + 5 + size
    content[end - len(infinity) : end] = infinity
    path.write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.bin: some of the numbers of decoder/projection/bias"):
        loaded(tmp_path / "ct2", tmp_path / "cache")


def test_fairseq_names_the_engine_that_can_read_it(tmp_path: Path) -> None:
    write_marian(tmp_path)
    options = translators.resolve(replace(OPTIONS, model=str(tmp_path), engine="fairseq"))
    with pytest.raises(
        ModelError, match="Marian model in Hugging Face's files.*set engine to torch or ctranslate2"
    ):
        translators.load(options, tmp_path / "cache")


CONVERTED: dict[str, dict[str, object]] = VARIANTS | {
    "gelu_new": {"activation_function": "gelu_new"},
    "relu": {"activation_function": "relu"},
}


@pytest.mark.parametrize("variant", sorted(CONVERTED))
def test_the_converted_model_translates_the_same(variant: str, tmp_path: Path) -> None:
    model, cache = tmp_path / "m", tmp_path / "cache"
    sentences = [
        *TEXTS,
        *[text[::-1] for text in TEXTS],
        "unbekannte Wörter, 漢字",
        ">>fra<< a dog",
        "a",
        "",
        " ",
    ]
    for ends in (0.0, 3.0):
        write_marian(model, ends=ends, **CONVERTED[variant])
        ours, theirs = (loaded(model, cache, engine=engine) for engine in ("torch", "ctranslate2"))
        wanted = ours.translate(sentences, 5)
        for tokens in (False, True):
            check_same(wanted, theirs.translate(sentences, 5, token_log_probs=tokens))
        targets = [*TEXTS[::-1], *[ranked[0].text if ranked else "" for ranked in wanted]][: len(sentences)]
        scored = [engine.score(sentences, targets) for engine in (ours, theirs)]
        assert [one is None for one in scored[0]] == [False] * (len(sentences) - 2) + [True] * 2
        for one, two in zip(*scored, strict=True):
            if one is not None and two is not None:
                assert one.token_log_probs == pytest.approx(two.token_log_probs, abs=1e-4)


def test_padding_is_never_translated_although_it_is_likely(tmp_path: Path) -> None:
    model = tmp_path / "m"
    theirs = write_marian(model)
    with torch.no_grad():
        theirs.final_logits_bias[0, theirs.config.pad_token_id] = 12.0
    theirs.save_pretrained(model, safe_serialization=True)
    engine = loaded(model, tmp_path / "cache")
    assert isinstance(engine, CTranslate2Translator)
    rows = engine._subwords.encode(TEXTS)
    free = engine._translate_batch(rows, free=True)  # type: ignore[arg-type]
    assert all("<pad>" in tokens for result in free for tokens in result.hypotheses)
    found, biased = engine._search(rows)  # type: ignore[arg-type]
    assert not any("<pad>" in tokens for result in found for tokens in result.hypotheses)
    assert biased == set(range(len(TEXTS)))  # so that the second pass says what they cost
    best = [ranked[0] for ranked in engine.translate(TEXTS)]
    assert all(one.log_prob < -5 * one.n_tokens for one in best)


def test_a_vocabulary_without_its_last_symbol(tmp_path: Path) -> None:
    """Padding occurs in no text, so a vocabulary may leave it out."""
    model = tmp_path / "m"
    write_marian(model, ends=3.0)
    wanted = loaded(model, tmp_path / "cache", engine="torch").translate(TEXTS, 5)
    path = model / "vocab.json"
    numbers = json.loads(path.read_text())
    del numbers["<pad>"]
    path.write_text(json.dumps(numbers))
    for engine in ("torch", "ctranslate2"):
        check_same(wanted, loaded(model, tmp_path / "cache", engine=engine).translate(TEXTS, 5))


def test_a_converted_model_works_without_its_original(tmp_path: Path) -> None:
    write_marian(tmp_path / "m")
    path = converted(read_model_folder(str(tmp_path / "m")), tmp_path / "cache")
    folder = read_model_folder(str(path))
    assert (folder.kind, folder.has_marian_subwords) == ("ctranslate2", True)
    assert {"source.spm", "target.spm", "paranmt.json"} <= set(folder.files)
    found = [loaded(each, tmp_path / "cache", beam=3).translate(TEXTS) for each in (tmp_path / "m", path)]
    assert found[0] == found[1]


def test_auto_on_a_cpu_is_the_converted_model(tmp_path: Path) -> None:
    write_marian(tmp_path / "m")
    options = translators.resolve(TranslateOptions(model=str(tmp_path / "m"), device="cpu"))
    assert options.engine == "ctranslate2"
    found = translators.load(options, tmp_path / "cache", threads=1)
    assert all(ranked for ranked in found.translate(TEXTS))


def loaded(model: Path, cache: Path, **own: object) -> Translator:
    options = replace(OPTIONS, model=str(model), **({"engine": "ctranslate2", "beam": 5} | own))  # type: ignore[arg-type]
    return translators.load(translators.resolve(options), cache, threads=1)


def check_same(ours: list[list[Candidate]], theirs: list[list[Candidate]]) -> None:
    """The same best translation of every sentence at the same cost, and most of the lists.

    CTranslate2 takes every hypothesis that ends in the last step, the torch engine as many as the beam.
    """
    alike = 0
    for mine, other in zip(ours, theirs, strict=True):
        assert [one.text for one in mine[:1]] == [one.text for one in other[:1]]
        assert [one.log_prob for one in mine[:1]] == pytest.approx(
            [one.log_prob for one in other[:1]], abs=1e-4
        )
        # A text may stand for several candidates: symbols that are no text are left out of it.
        alike += sum(
            any(
                (one.text, one.n_tokens) == (two.text, two.n_tokens)
                and abs(one.log_prob - two.log_prob) < 1e-4
                for two in other
            )
            for one in mine
        )
    assert alike >= 0.6 * sum(map(len, ours))
