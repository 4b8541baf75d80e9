"""Both engines: on random models always, on a real model where there is one."""

import gzip
import math
import multiprocessing
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from nmt_models import SOURCE_WORDS, TARGET_WORDS, VARIANTS, sentences, write_model

from paranmt.base.checksums import CHECKSUMS
from paranmt.base.errors import ModelError, RecipeError
from paranmt.models.translation import engines as translators
from paranmt.models.translation.ctranslate2_engine import converted
from paranmt.models.translation.model_folder import read_model_folder
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate, Translator

ENGINES = ("fairseq", "ctranslate2")
OPTIONS = TranslateOptions(beam=5, max_length=12)
# The least agreement on models that know next to nothing: many of their candidates are nearly as likely.
TOY = 0.95

Load = Callable[..., Translator]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("model"))


@pytest.fixture(scope="session")
def load(folder: Path, cache: Path) -> Load:
    """A translator over the random model, or another, with options of one's own."""

    def loaded(engine: str, model: Path = folder, threads: int = 1, **own: object) -> Translator:
        options = replace(OPTIONS, model=str(model), engine=engine, **own)  # type: ignore[arg-type]
        return translators.load(translators.resolve(options), cache, threads)

    return loaded


def rank(candidate: Candidate, penalty: float = 1.0) -> float:
    return candidate.log_prob / candidate.n_tokens**penalty


def check_agreement(left: list[list[Candidate]], right: list[list[Candidate]], least: float) -> None:
    """The same top translation in at least this share, and where it is the same, the same costs."""
    same = [(a[0], b[0]) for a, b in zip(left, right, strict=True) if a[0].text == b[0].text]
    assert len(same) >= least * len(left)
    for a, b in same:
        assert a.log_prob == pytest.approx(b.log_prob, abs=1e-4)
        # Two segmentations may read alike.
        if a.n_tokens == b.n_tokens and a.token_log_probs and b.token_log_probs:
            assert a.token_log_probs == pytest.approx(b.token_log_probs, abs=1e-4)


@pytest.mark.parametrize("variant", VARIANTS)
def test_engines_agree_on_every_variant(variant: str, tmp_path: Path, load: Load) -> None:
    model = write_model(tmp_path / "m", **VARIANTS[variant])
    source = sentences(40, 15)
    left, right = (load(engine, model).translate(source, 5, token_log_probs=True) for engine in ENGINES)
    assert all(one.token_log_probs for ranked in right for one in ranked)
    check_agreement(left, right, TOY)
    check_agreement(load("ctranslate2", model).translate(source, 5), right, 1.0)


@pytest.mark.parametrize("penalty", [0.0, 0.6, 2.0])
def test_engines_agree_at_every_length_penalty(penalty: float, load: Load) -> None:
    source = sentences(40, 15)
    left, right = (load(engine, length_penalty=penalty).translate(source, 3) for engine in ENGINES)
    check_agreement(left, right, TOY)
    for ranked in left + right:
        ranks = [rank(one, penalty) for one in ranked]
        assert ranks == sorted(ranks, reverse=True)


@pytest.mark.parametrize("beam", [1, 50])
def test_engines_agree_at_any_beam(beam: int, load: Load) -> None:
    source = sentences(20, 10)
    left, right = (load(engine, beam=beam).translate(source, beam) for engine in ENGINES)
    check_agreement(left, right, TOY)


@pytest.mark.parametrize("engine", ENGINES)
def test_candidates(engine: str, load: Load) -> None:
    for ranked in load(engine).translate(sentences(12, 8), 3, token_log_probs=True):
        assert 1 <= len(ranked) <= 3
        for one in ranked:
            assert one.n_tokens == len(one.token_log_probs) <= OPTIONS.max_length + 1
            assert one.log_prob == pytest.approx(math.fsum(one.token_log_probs))
            assert all(value <= 1e-6 for value in one.token_log_probs)
            # Text split at spaces: a word a token, and the end symbol.
            assert len(one.text.split()) == one.n_tokens - 1


@pytest.mark.parametrize("engine", ENGINES)
def test_the_order_of_the_input_and_duplicates_are_kept(engine: str, load: Load) -> None:
    source = sentences(30, 14)
    translator = load(engine, batch_tokens=40)
    texts = {sentence: translator.translate([sentence])[0][0].text for sentence in source}
    again = translator.translate(source[::-1] + source)
    assert [ranked[0].text for ranked in again] == [texts[sentence] for sentence in source[::-1] + source]


@pytest.mark.parametrize("engine", ENGINES)
def test_two_runs_are_bit_by_bit_the_same(engine: str, load: Load) -> None:
    source = sentences(30, 14)
    assert load(engine).translate(source, 2) == load(engine).translate(source, 2)


def test_translations_do_not_depend_on_how_many_batches_are_at_work(load: Load) -> None:
    source = sentences(60, 14)
    one, four = (load("ctranslate2", threads=threads, batch_tokens=60) for threads in (1, 4))
    found = one.translate(source, 2)
    assert four.translate(source, 2) == found
    best = [ranked[0].text for ranked in found]
    assert four.score(source, best) == one.score(source, best)


@pytest.mark.parametrize("engine", ENGINES)
def test_unusual_sentences(engine: str, load: Load) -> None:
    word = SOURCE_WORDS[0]
    positions = 64  # of the random model, the end symbol's included
    fits, too_long = " ".join([word] * (positions - 1)), " ".join([word] * positions)
    source = ["", "   ", "漢字 кириллица", fits, too_long, " ".join([word] * 1000), "</s> <pad> <s>", word]
    found = load(engine).translate(source)
    assert [len(ranked) for ranked in found] == [0, 0, 1, 1, 0, 0, 1, 1]


@pytest.mark.parametrize("engine", ENGINES)
def test_no_sentences(engine: str, load: Load) -> None:
    assert load(engine).translate([]) == []


def test_unknown_words_are_one_symbol_in_both_engines(load: Load) -> None:
    source = ["漢字 кириллица", "x y", "</s> <pad>", "<unk> <unk>"]
    for engine in ENGINES:
        found = load(engine).translate(source)
        assert len({ranked[0].text for ranked in found}) == 1
    left, right = (load(engine).translate(source) for engine in ENGINES)
    check_agreement(left, right, 1.0)


def test_open_hypotheses_are_ended_at_the_limit_as_fairseq_does(tmp_path: Path, load: Load) -> None:
    endless = write_model(tmp_path / "m", ends=False)
    source = sentences(30, 15)
    left, right = (load(engine, endless, max_length=3).translate(source, 5) for engine in ENGINES)
    for fairseq, ctranslate2 in zip(left, right, strict=True):
        assert [one.text for one in fairseq] == [one.text for one in ctranslate2]
        assert [one.n_tokens for one in ctranslate2] == [4] * 5
        assert all(one.token_log_probs[-1] < -5 for one in ctranslate2)
    check_agreement(left, right, 1.0)


def test_a_limit_that_cuts_some_hypotheses(load: Load) -> None:
    source = sentences(40, 15)
    left, right = (load(engine, max_length=3).translate(source, 5) for engine in ENGINES)
    check_agreement(left, right, TOY)
    for found in (left, right):
        assert {one.n_tokens for ranked in found for one in ranked} == {2, 3, 4}


@pytest.mark.parametrize(("beam", "limit"), [(1, 12), (5, 12), (12, 12), (5, 3)])
@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0, 2.0])
def test_costs_of_the_search_are_those_of_the_second_pass(
    beam: int, limit: int, penalty: float, load: Load
) -> None:
    engine = load("ctranslate2", beam=beam, max_length=limit, length_penalty=penalty)
    source = sentences(30, 15)
    left, right = (engine.translate(source, beam, token_log_probs=wanted) for wanted in (False, True))
    for first, second in zip(left, right, strict=True):
        assert {one.text for one in first} == {one.text for one in second}
        costs = {one.text: one.log_prob for one in second}
        for one in first:
            assert one.log_prob == pytest.approx(costs[one.text], abs=1e-4)


@pytest.mark.parametrize("wanted", [False, True])
def test_forbidden_results_of_a_free_search_are_searched_again(
    wanted: bool, load: Load, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model that likes to say nothing at all, and padding: fairseq forbids both."""
    model = write_model(tmp_path / "m", updates=10)
    path = model / "model.pt"
    content = torch.load(path, weights_only=False)
    symbols = content["model"]["decoder.embed_tokens.weight"]
    if "decoder.output_projection.weight" in content["model"]:
        symbols = content["model"]["decoder.output_projection.weight"]
    symbols[1] = symbols[4:].mean(dim=0)  # padding is as likely as any word
    symbols[2] *= 2
    torch.save(content, path)
    source = sentences(40, 10)
    engine = load("ctranslate2", model)
    free = engine._translate_batch([text.split() for text in source], free=True)  # type: ignore[attr-defined]
    forbidden = sum(engine._is_forbidden(result) for result in free)  # type: ignore[attr-defined]
    assert forbidden > 0
    found = engine.translate(source, 5, token_log_probs=wanted)
    assert all(one.text and "<" not in one.text for ranked in found for one in ranked)
    check_agreement(load("fairseq", model).translate(source, 5), found, 0.8)


def test_costs_of_the_search_on_the_real_model(shared: Path, load: Load) -> None:
    """The end of a sentence is no rare first word where there is little to translate."""
    source = [*captions(shared, "cs", 60), "?", "...", "a", "1 2 3", "Ne."]
    engine = load("ctranslate2", shared / "models" / "cs-en-small", max_length=200)
    left, right = (engine.translate(source, token_log_probs=wanted) for wanted in (False, True))
    for (one,), (two,) in zip(left, right, strict=True):
        assert one.text == two.text
        assert one.log_prob == pytest.approx(two.log_prob, abs=1e-4)


@pytest.mark.parametrize("engine", [*ENGINES, "torch"])
def test_scoring_agrees_with_translating(engine: str, load: Load) -> None:
    source = [*sentences(30, 12), "漢字 кириллица"]
    translator = load(engine, max_length=60)
    best = [ranked[0] for ranked in translator.translate(source, token_log_probs=True)]
    for one, two in zip(best, translator.score(source, [one.text for one in best]), strict=True):
        assert two is not None and two.text == one.text
        assert two.log_prob == pytest.approx(one.log_prob, abs=1e-4)
        assert two.token_log_probs == pytest.approx(one.token_log_probs, abs=1e-4)


@pytest.mark.parametrize("engine", [*ENGINES, "torch"])
def test_pairs_that_cannot_be_scored(engine: str, load: Load) -> None:
    word, other = SOURCE_WORDS[0], TARGET_WORDS[0]
    positions = 64  # of the random model, the end symbol's included
    pairs = [
        ("", other, False),
        (word, "", True),  # the end symbol alone
        (word, " ".join([other] * (positions - 1)), True),
        (word, " ".join([other] * positions), False),
        (" ".join([word] * positions), other, False),
        (" ".join([word] * 1000), " ".join([other] * 1000), False),
        (word, "漢字", True),
    ]
    found = load(engine).score([source for source, _, _ in pairs], [text for _, text, _ in pairs])
    assert [one is not None for one in found] == [there for _, _, there in pairs]
    assert found[1] is not None and found[1].n_tokens == 1
    assert load(engine).score([], []) == []


def test_the_limit_is_at_most_the_models_positions(load: Load) -> None:
    for engine in ENGINES:
        found = load(engine, max_length=500).translate(sentences(4, 3), 5)
        assert max(one.n_tokens for ranked in found for one in ranked) <= 64


def convert(folder: str, cache: str, start: object, result: object) -> None:
    start.wait()  # type: ignore[attr-defined]
    result.put(str(converted(read_model_folder(folder), Path(cache))))  # type: ignore[attr-defined]


def test_conversions_that_race_leave_one_whole_model(folder: Path, tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    start, results = context.Event(), context.Queue()
    processes = [
        context.Process(target=convert, args=(str(folder), str(tmp_path / "cache"), start, results))
        for _ in range(2)
    ]
    for process in processes:
        process.start()
    start.set()
    paths = {results.get(timeout=120) for _ in processes}
    for process in processes:
        process.join(60)
        assert process.exitcode == 0
    assert len(paths) == 1
    assert os.listdir(tmp_path / "cache") == [Path(paths.pop()).name]
    options = translators.resolve(replace(OPTIONS, model=str(folder), engine="ctranslate2"))
    assert translators.load(options, tmp_path / "cache", threads=1).translate(["s1 s2"])[0]


def test_a_changed_checkpoint_is_converted_anew(tmp_path: Path, load: Load) -> None:
    model = write_model(tmp_path / "m", seed=1)
    before = load("ctranslate2", model).translate(["s1 s2 s3"])
    write_model(model, seed=2)
    assert load("ctranslate2", model).translate(["s1 s2 s3"]) != before


def test_options_resolve() -> None:
    found = translators.resolve(TranslateOptions(model="m", device="cpu"))
    assert (found.engine, found.device, found.precision, found.batch_tokens) == (
        "ctranslate2",
        "cpu",
        "float32",
        512,
    )
    assert translators.resolve(found) == found


def test_options_resolve_on_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translators, "has_gpu", lambda: True)
    found = translators.resolve(TranslateOptions(engine="fairseq"))
    assert (found.device, found.precision, found.batch_tokens) == ("cuda", "float16", 16_384)
    assert translators.resolve(TranslateOptions(engine="ctranslate2")).device == "cpu"
    assert translators.resolve(TranslateOptions(engine="ctranslate2", device="cuda")).device == "cuda"
    assert translators.resolve(TranslateOptions(engine="fairseq", device="cpu")).device == "cpu"


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"beam": 0}, "at least 1, not 0"),
        ({"beam": 51}, "at most 50, not 51"),
        ({"max_length": 0}, "at least 1"),
        ({"keep_candidates": 13}, "the beam, 12"),
        ({"length_penalty": math.nan}, "must be a number, not nan"),
        ({"batch_tokens": 0}, "at least 1"),
        ({"engine": "marian"}, "there are: auto, ctranslate2, fairseq, torch"),
        ({"engine": "fairseq", "precision": "int8"}, "supports float32"),
        ({"engine": "fairseq", "device": "cpu", "precision": "float16"}, "supports float32"),
    ],
)
def test_options_out_of_range(own: dict[str, object], message: str) -> None:
    with pytest.raises(RecipeError, match=message):
        translators.resolve(TranslateOptions(model="m", **own))  # type: ignore[arg-type]


def test_cuda_without_a_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translators, "has_gpu", lambda: False)
    with pytest.raises(RecipeError, match="no GPU"):
        translators.resolve(TranslateOptions(model="m", device="cuda"))


def test_a_model_is_needed(cache: Path) -> None:
    with pytest.raises(RecipeError, match="translate.model is not given"):
        translators.load(translators.resolve(TranslateOptions()), cache)


def test_model_files(folder: Path) -> None:
    found = translators.model_files(TranslateOptions(model=str(folder)))
    assert [Path(path).name for path in found] == ["dict.cs.txt", "dict.en.txt", "model.pt"]
    assert all(Path(path).is_file() for path in found)


def test_fairseq_cannot_read_a_converted_model(folder: Path, cache: Path) -> None:
    path = converted(read_model_folder(str(folder)), cache)
    options = TranslateOptions(model=str(path), engine="fairseq")
    with pytest.raises(ModelError, match="set engine to ctranslate2"):
        translators.load(translators.resolve(options), cache)


def test_a_converted_model_translates_by_itself(folder: Path, cache: Path, load: Load) -> None:
    path = converted(read_model_folder(str(folder)), cache)
    source = [*sentences(10, 10), " ".join([SOURCE_WORDS[0]] * 64)]
    assert load("ctranslate2", path).translate(source) == load("ctranslate2").translate(source)


def test_a_damaged_converted_model(tmp_path: Path, folder: Path, cache: Path) -> None:
    path = converted(read_model_folder(str(folder)), tmp_path)
    (path / "model.bin").write_bytes((path / "model.bin").read_bytes()[:1000])
    with pytest.raises(ModelError, match="cannot load"):
        translators.load(translators.resolve(replace(OPTIONS, model=str(path), engine="ctranslate2")), cache)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("target_vocabulary.json", b'["a", "b', "cannot be read"),
        ("target_vocabulary.json", b"\xff\xfe", "cannot be read"),
        ("target_vocabulary.json", b"{}", "expected a list of symbols"),
        ("target_vocabulary.json", b"[1, 2]", "expected a list of symbols"),
        ("paranmt.json", b"[]", "is damaged"),
        ("paranmt.json", b'{"positions": 3}', "is damaged"),
        ("paranmt.json", b'{"target_positions": null}', "positions must be numbers over 1"),
        ("paranmt.json", b'{"never": "no such symbol"}', "which the vocabulary does not have"),
        ("config.json", b"{}", "CTranslate2 cannot load"),
        ("config.json", b'{"decoder_start_token": 3}', "CTranslate2 cannot load"),
        ("model.bin", bytes(1000), "CTranslate2 cannot load"),
    ],
)
def test_damaged_files_beside_a_converted_model(
    tmp_path: Path, folder: Path, cache: Path, name: str, content: bytes, message: str
) -> None:
    shutil.copytree(converted(read_model_folder(str(folder)), cache), tmp_path / "model")
    (tmp_path / "model" / CHECKSUMS).unlink()  # models of others have none
    (tmp_path / "model" / name).write_bytes(content)
    options = replace(OPTIONS, model=str(tmp_path / "model"), engine="ctranslate2")
    with pytest.raises(ModelError, match=message) as raised:
        translators.load(translators.resolve(options), cache)
    assert "\n" not in str(raised.value)


def captions(shared: Path, language: str, count: int) -> list[str]:
    path = shared / "data" / "multi30k" / f"test_2016_flickr.{language}.gz"
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return file.read().split("\n")[:count]


def test_real_model(shared: Path, load: Load) -> None:
    source = captions(shared, "cs", 100)
    model = shared / "models" / "cs-en-small"
    left, right = (load(engine, model, beam=4, max_length=200).translate(source, 2) for engine in ENGINES)
    check_agreement(left, right, 0.99)
    given = load("ctranslate2", shared / "models" / "cs-en-small-ct2", beam=4, max_length=200)
    # Of the same weights, but not always in the same places of memory: rounding may differ.
    check_agreement(given.translate(source, 2), right, 0.99)


def test_real_model_cut_at_five(shared: Path, load: Load) -> None:
    source = captions(shared, "cs", 40)
    model = shared / "models" / "cs-en-small"
    left, right = (load(engine, model, beam=4, max_length=5).translate(source, 4) for engine in ENGINES)
    check_agreement(left, right, 0.99)
    for fairseq, ctranslate2 in zip(left, right, strict=True):
        assert [one.n_tokens for one in fairseq] == [one.n_tokens for one in ctranslate2]


@pytest.mark.parametrize("engine", ENGINES)
def test_real_model_on_unusual_sentences(engine: str, shared: Path, load: Load) -> None:
    model = shared / "models" / "cs-en-small"
    source = ["", "漢字漢字", "pes " * 1000, "pes " * 2000, "Pes běží."]
    found = load(engine, model, beam=2, max_length=10).translate(source)
    assert [len(ranked) for ranked in found] == [0, 1, 1, 0, 1]
    assert found[-1][0].text == "A dog is running."


def test_the_default_beam_is_paranmts() -> None:
    """ParaNMT, section 3: a beam of 12, of which the best candidate is the translation."""
    assert (TranslateOptions(model="m").beam, TranslateOptions(model="m").keep_candidates) == (12, 0)
