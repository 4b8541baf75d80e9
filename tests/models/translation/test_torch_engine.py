"""The torch engine against fairseq's generator: the same n-best lists, whatever the model and the options."""

import gzip
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from nmt_models import VARIANTS, sentences, write_model

from paranmt.base.errors import ModelError, RecipeError
from paranmt.models.translation import engines as translators
from paranmt.models.translation.model_folder import read_model_folder
from paranmt.models.translation.search_options import SearchOptions
from paranmt.models.translation.torch_engine.choosing import uniforms
from paranmt.models.translation.torch_engine.continuations import best_continuations, scan
from paranmt.models.translation.torch_engine.engine import TorchTranslator
from paranmt.models.translation.torch_engine.network_loading import ensemble, load_model
from paranmt.models.translation.torch_engine.rules import forbid_repeats
from paranmt.models.translation.torch_engine.search import Policy
from paranmt.models.translation.translate_options import TranslateOptions
from paranmt.models.translation.translator import Candidate, Translator

OPTIONS = TranslateOptions(beam=5, max_length=12, device="cpu")
TIE = 1e-5


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_model(tmp_path_factory.mktemp("torch-model"))


def loaded(engine: str, model: Path, **own: object) -> Translator:
    options = replace(OPTIONS, model=str(model), engine=engine, **own)  # type: ignore[arg-type]
    return translators.load(translators.resolve(options), model / "cache", threads=1)


def searching(model: Path, search: SearchOptions, **own: object) -> TorchTranslator:
    own["search"] = search
    options = translators.resolve(replace(OPTIONS, model=str(model), **own))  # type: ignore[arg-type]
    return TorchTranslator(load_model(read_model_folder(str(model))), options)


def check_lists(ours: list[list[Candidate]], theirs: list[list[Candidate]], penalty: float) -> None:
    """The same candidates in the same order, but for ties; the same costs."""
    for mine, other in zip(ours, theirs, strict=True):
        ranks = [one.log_prob / one.n_tokens**penalty for one in mine]
        assert ranks == sorted(ranks, reverse=True)
        left = {(one.text, one.n_tokens): one for one in mine}
        right = {(one.text, one.n_tokens): one for one in other}
        assert left.keys() == right.keys()
        for name, one in left.items():
            assert one.token_log_probs == pytest.approx(right[name].token_log_probs, abs=5e-5)
        for one, two in zip(mine, other, strict=True):
            if one.text != two.text:
                assert one.log_prob / one.n_tokens**penalty == pytest.approx(
                    two.log_prob / two.n_tokens**penalty, abs=TIE
                )


@pytest.mark.parametrize("variant", sorted(VARIANTS))
def test_every_architecture(variant: str, tmp_path: Path) -> None:
    model = write_model(tmp_path, **VARIANTS[variant])
    texts = sentences(30, 9)
    found = [loaded(engine, model).translate(texts, 5) for engine in ("torch", "fairseq")]
    check_lists(found[0], found[1], 1.0)


@pytest.mark.parametrize("beam", [1, 12, 20])
@pytest.mark.parametrize("penalty", [0.0, 0.6, 2.0])
def test_beams_and_length_penalties(beam: int, penalty: float, folder: Path) -> None:
    texts = sentences(12, 9, seed=beam)
    own = {"beam": beam, "length_penalty": penalty}
    found = [loaded(engine, folder, **own).translate(texts, beam) for engine in ("torch", "fairseq")]
    check_lists(found[0], found[1], penalty)


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_the_limit_ends_open_hypotheses(limit: int, folder: Path) -> None:
    texts = sentences(20, 9)
    found = [loaded(engine, folder, max_length=limit).translate(texts, 5) for engine in ("torch", "fairseq")]
    check_lists(found[0], found[1], 1.0)
    assert max(one.n_tokens for ranked in found[0] for one in ranked) <= limit + 1


def test_an_ensemble(tmp_path: Path) -> None:
    """Against the mean of the members' distributions, token by token."""
    folders = [write_model(tmp_path / str(seed), seed=seed) for seed in (1, 2)]
    models = [load_model(read_model_folder(str(one))) for one in folders]
    options = translators.resolve(replace(OPTIONS, model=str(folders[0]), engine="torch"))
    both = TorchTranslator(ensemble(models), options)
    texts = sentences(10, 8)
    best = [ranked[0] for ranked in both.translate(texts)]
    members = [TorchTranslator(model, options).score(texts, [one.text for one in best]) for model in models]
    for one, first, second in zip(best, *members, strict=True):
        assert first is not None and second is not None
        probabilities = torch.tensor([first.token_log_probs, second.token_log_probs]).exp().mean(dim=0)
        assert one.token_log_probs == pytest.approx(probabilities.log().tolist(), abs=5e-5)


def test_translations_do_not_depend_on_the_batch(folder: Path) -> None:
    texts = sentences(40, 20, seed=4)
    alone = loaded("torch", folder, batch_tokens=1)
    together = loaded("torch", folder, batch_tokens=4096)
    check_lists(together.translate(texts, 5), alone.translate(texts, 5), 1.0)
    check_lists(together.translate(texts[::-1], 5)[::-1], alone.translate(texts, 5), 1.0)


def test_a_beam_wider_than_the_vocabulary(folder: Path) -> None:
    """fairseq's generator cannot do this."""
    for ranked in loaded("torch", folder, beam=50).translate(sentences(5, 6), 50):
        assert len(ranked) == 50
        assert len({one.text for one in ranked}) == 50


def test_forced_decoding_agrees_with_the_search(folder: Path) -> None:
    texts = sentences(25, 9)
    engine = searching(folder, SearchOptions())
    best = [ranked[0] for ranked in engine.translate(texts)]
    forced = engine.score(texts, [one.text for one in best])
    for one, two in zip(best, forced, strict=True):
        assert two is not None
        assert two.token_log_probs == pytest.approx(one.token_log_probs, abs=5e-5)
        assert two.log_prob == pytest.approx(one.log_prob, abs=5e-5)
    assert engine.score(["", texts[0]], ["a", ""])[0] is None


def test_odd_sentences(folder: Path) -> None:
    engine = loaded("torch", folder)
    found = engine.translate(
        ["", "   ", "unheard-of words only", " ".join(["a"] * 5_000), *sentences(2, 5)], 3
    )
    assert [len(ranked) for ranked in found[:2]] == [0, 0]
    assert len(found[2]) == 3
    assert found[3] == []
    assert all(len(ranked) == 3 for ranked in found[4:])


def test_no_ngram_is_repeated(folder: Path) -> None:
    texts = sentences(20, 9)
    for ranked in searching(folder, SearchOptions(no_repeat_ngram=2), max_length=20).translate(texts, 5):
        for one in ranked:
            words = one.text.split()
            grams = list(zip(words, words[1:], strict=False))
            assert len(grams) == len(set(grams))


def test_a_minimum_length(folder: Path) -> None:
    texts = sentences(20, 9)
    for ranked in searching(folder, SearchOptions(min_length=7)).translate(texts, 5):
        assert min(one.n_tokens for one in ranked) >= 8


def test_forbidden_repeats_by_hand() -> None:
    logits = torch.zeros(2, 6)
    forbid_repeats(logits, torch.tensor([[4, 5, 4], [4, 5, 5]]), 2)
    assert logits.isneginf().nonzero().tolist() == [[0, 5], [1, 5]]
    # Words that repeat nothing keep their logits, whatever these are; −1 is before the first word.
    logits = torch.full((2, 6), 3.0)
    forbid_repeats(logits, torch.tensor([[4, 5, 4], [-1, -1, 4]]), 2)
    assert logits.isneginf().nonzero().tolist() == [[0, 5]]
    assert logits[0, :5].eq(3.0).all() and logits[1].eq(3.0).all()


def test_best_continuations_are_those_of_the_whole_softmax() -> None:
    generator = torch.Generator().manual_seed(3)
    logits = torch.randn(3, 4, 320, generator=generator)
    logits[:, :, 100] = logits[:, :, 200]  # ties
    totals = torch.randn(3, 4, generator=generator)
    wanted = logits.log_softmax(dim=2) + totals[:, :, None]
    flat = logits.clone().flatten(0, 1)
    found = best_continuations(flat.view(3, 4, 320), scan(flat, []), totals, 10)
    torch.testing.assert_close(found.scores, wanted.flatten(1).topk(10, dim=1).values)
    picked = wanted.flatten(1).gather(1, found.beams * 320 + found.words)
    torch.testing.assert_close(found.scores, picked)
    for beams, words in zip(found.beams.tolist(), found.words.tolist(), strict=True):
        pairs = list(zip(beams, words, strict=True))
        for beam in range(4):
            if (beam, 200) in pairs:
                assert pairs[pairs.index((beam, 200)) - 1] == (beam, 100), "the lower word of a tie first"


def test_options_out_of_range(folder: Path) -> None:
    with pytest.raises(RecipeError, match="no_repeat_ngram must be at least 0, not -1"):
        SearchOptions(no_repeat_ngram=-1)
    for own, message in (
        ({"temperature": 0.0}, "above 0, not 0.0"),
        ({"top_p": 0.0}, "above 0, not 0.0"),
        ({"groups": 0}, "at least 1"),
        ({"sampling": True, "groups": 5}, "sampling cannot be combined with groups"),
    ):
        with pytest.raises(RecipeError, match=message):
            SearchOptions(**own)  # type: ignore[arg-type]
    with pytest.raises(RecipeError, match="cannot be cut into 2"):
        searching(folder, SearchOptions(groups=2))
    with pytest.raises(RecipeError, match="more than max_length, 12"):
        searching(folder, SearchOptions(min_length=13))
    for engine in ("fairseq", "ctranslate2"):
        with pytest.raises(
            RecipeError, match=f"search is for the engine torch, and translate.engine is {engine}"
        ):
            loaded(engine, folder, search=SearchOptions())
    with pytest.raises(RecipeError, match="on a cpu, the engine torch supports float32, bfloat16"):
        translators.resolve(replace(OPTIONS, engine="torch", precision="int8", model="m"))


def test_missing_tensors_are_named(folder: Path, tmp_path: Path) -> None:
    for file in folder.iterdir():
        if file.is_file():
            (tmp_path / file.name).write_bytes(file.read_bytes())
    path = tmp_path / "model.pt"
    content = torch.load(path, weights_only=False)
    del content["model"]["decoder.layers.0.fc1.weight"]
    torch.save(content, path)
    with pytest.raises(ModelError, match=r"decoder\.layers\.0\.fc1\.weight"):
        loaded("torch", tmp_path)


def test_prefixes(folder: Path) -> None:
    texts = sentences(20, 9)
    engine = searching(folder, SearchOptions())
    free = engine.translate(texts, 5)
    begins = ["" if number % 3 == 0 else f"t{number} t{number + 1}" for number in range(20)]
    led = engine.translate(texts, 5, prefixes=begins)
    for begin, ranked in zip(begins, led, strict=True):
        assert ranked
        assert all(one.text.startswith(begin) for one in ranked)
    check_lists(led[::3], free[::3], 1.0)
    flat = [(text, one) for text, ranked in zip(texts, led, strict=True) for one in ranked]
    forced = engine.score([text for text, _ in flat], [one.text for _, one in flat])
    for (_, one), two in zip(flat, forced, strict=True):
        assert two is not None
        assert two.token_log_probs == pytest.approx(one.token_log_probs, abs=5e-5)
    longer = searching(folder, SearchOptions(), max_length=3)
    cut = longer.translate(texts[:4], 5, prefixes=["t1 t2 t3 t4 t5"] * 4)
    assert [[one.text for one in ranked] for ranked in cut] == [["t1 t2 t3"]] * 4


def test_samples_follow_the_models_distribution(folder: Path) -> None:
    """How often a first word is drawn, against the model's own probability of it."""
    options = {"beam": 50, "max_length": 1}
    counts: dict[str, int] = {}
    engines = [searching(folder, SearchOptions(sampling=True, seed=seed), **options) for seed in range(20)]
    for engine in engines:
        for one in engine.translate(["s1 s2 s3"], 50)[0]:
            counts[one.text] = counts.get(one.text, 0) + 1
    assert sum(counts.values()) == 1000
    for word, count in counts.items():
        scored = engines[0].score(["s1 s2 s3"], [word])[0]
        assert scored is not None
        # The end is forbidden as a first word; what is left is normalised again.
        empty = engines[0].score(["s1 s2 s3"], [""])[0]
        assert empty is not None
        share = math.exp(scored.token_log_probs[0]) / (1 - math.exp(empty.token_log_probs[0]))
        assert abs(count - 1000 * share) < 5 * math.sqrt(1000 * share * (1 - share)) + 1


def test_samples_depend_only_on_the_sentence(folder: Path) -> None:
    texts = sentences(20, 9)
    search = SearchOptions(sampling=True, top_k=20, top_p=0.9, temperature=1.3)
    alone, refilled, together = (searching(folder, search, batch_tokens=tokens) for tokens in (1, 40, 4096))
    found = together.translate(texts, 5)
    for reordered in (alone, refilled):
        for mine, other in zip(found, reordered.translate(texts[::-1], 5)[::-1], strict=True):
            assert [one.text for one in mine] == [one.text for one in other]
    assert any(len({one.text for one in ranked}) > 1 for ranked in found)
    others = searching(folder, replace(search, seed=2)).translate(texts, 5)
    assert found != others


@pytest.mark.parametrize("own", [{"top_k": 1}, {"top_p": 1e-6}, {"temperature": 1e-3}])
def test_sampling_the_likeliest_word_is_greedy(own: dict[str, float], folder: Path) -> None:
    texts = sentences(20, 9)
    greedy = loaded("torch", folder, beam=1).translate(texts)
    sampled = searching(folder, SearchOptions(sampling=True, **own), beam=3).translate(texts, 3)  # type: ignore[arg-type]
    for one, three in zip(greedy, sampled, strict=True):
        assert [found.text for found in three] == [one[0].text] * 3


def test_one_group_after_another(folder: Path) -> None:
    texts = sentences(20, 9)
    plain = searching(folder, SearchOptions(), beam=3).translate(texts, 3)
    # Without a loss every group is the same search.
    same = searching(folder, SearchOptions(groups=2, diversity=0.0), beam=6).translate(texts, 6)
    for three, six in zip(plain, same, strict=True):
        assert [one.text for one in three] == [one.text for one in six], "each once, the best first"
    for ranked in searching(folder, SearchOptions(groups=3, diversity=0.5), beam=12).translate(texts, 12):
        ranks = [one.log_prob / one.n_tokens for one in ranked]
        assert ranks == sorted(ranks, reverse=True)
        assert len({(one.text, one.n_tokens) for one in ranked}) == len(ranked)
    diverse = searching(folder, SearchOptions(groups=2, diversity=5.0), beam=6)
    found = diverse.translate(texts, 6)
    for three, six in zip(plain, found, strict=True):
        # The first group knows of no other; the second begins with other words.
        assert {one.text for one in three} <= {one.text for one in six}
        assert len({one.text for one in six}) > 3
    best = [ranked[0] for ranked in found]
    for one, two in zip(best, diverse.score(texts, [one.text for one in best]), strict=True):
        assert two is not None
        assert two.token_log_probs == pytest.approx(one.token_log_probs, abs=5e-5)


def test_uniforms() -> None:
    keys = np.arange(1000, dtype=np.uint64)
    zeros = np.zeros(1000, dtype=np.int64)
    found = uniforms(keys, 1, zeros, 12)
    assert found.shape == (1000, 12)
    assert 0 <= found.min() and found.max() < 1
    assert np.allclose(np.histogram(found, 10, (0, 1))[0], 1200, atol=170)  # five standard deviations
    assert len(np.unique(found)) == found.size
    assert np.array_equal(uniforms(keys[5:], 1, zeros[5:], 3), found[5:, :3])
    assert not np.isin(uniforms(keys, 1, zeros + 1, 12), found).any()
    assert not np.isin(uniforms(keys, 2, zeros, 12), found).any()
    mixed = uniforms(keys, 1, keys.astype(np.int64) % 2, 12)
    assert np.array_equal(mixed[::2], found[::2])
    assert np.array_equal(mixed[1::2], uniforms(keys, 1, zeros + 1, 12)[1::2])


def test_fifty_thousand_equal_sentences(folder: Path) -> None:
    engine = searching(folder, SearchOptions())
    found = engine.translate(["s1 s2 s3", "s4 s5"] * 25_000)
    assert len(found) == 50_000
    assert all(one == two for one, two in zip(found[2:], found, strict=False))
    check_lists(found[:1], engine.translate(["s1 s2 s3"]), 1.0)


def test_a_limit_relative_to_the_sentences_length(folder: Path) -> None:
    texts = ["s1", "s1 s2 s3 s4", "s1 s2 s3 s4 s5 s6 s7 s8"]
    engine = searching(folder, SearchOptions(length_ratio=0.5, min_length=1), max_length=1)
    found = [max(one.n_tokens for one in ranked) for ranked in engine.translate(texts, 5)]
    # int(0.5 * (words and the end symbol) + 1), and the translation's own end symbol.
    assert all(tokens <= limit + 1 for tokens, limit in zip(found, [2, 3, 5], strict=True))
    for text, ranked in zip(texts, engine.translate(texts, 5), strict=True):
        check_lists([ranked], engine.translate([text], 5), 1.0)


def test_bfloat16_on_a_cpu(folder: Path) -> None:
    texts = sentences(30, 9)
    exact, rough = (loaded("torch", folder, precision=p).translate(texts) for p in ("float32", "bfloat16"))
    same = sum(a[0].text == b[0].text for a, b in zip(exact, rough, strict=True))
    assert same >= 0.8 * len(texts)


def test_a_full_gpu_halves_the_budget_and_starts_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = searching(folder, SearchOptions(), batch_tokens=64)
    texts = [*sentences(12, 9), "s1", "s2", "s3", "s4", "s5"]
    begin = engine._searcher._begin
    begun: list[list[int]] = [[]]

    def full(numbers: np.ndarray, *more: object) -> object:
        begun[-1].append(len(numbers))
        if len(numbers) > 5:
            begun.append([])
            raise torch.cuda.OutOfMemoryError("full")
        return begin(numbers, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(engine._searcher, "_begin", full)
    found = engine.translate(texts, 2)
    # The shortest sentences have 2 tokens: 8 of them fit into 16 tokens, 4 into 8.
    assert engine.halvings == 3
    assert [max(sizes) > 5 for sizes in begun] == [True, True, True, False]
    assert found == searching(folder, SearchOptions(), batch_tokens=8).translate(texts, 2)
    engine.translate(texts[:1], 2)
    assert engine.halvings == 3  # a call begins with the whole budget


@pytest.mark.parametrize(
    "search",
    [
        SearchOptions(),
        SearchOptions(no_repeat_ngram=2, min_length=4),
        SearchOptions(no_repeat_ngram=3, length_ratio=0.5),
        SearchOptions(min_length=0),
        SearchOptions(groups=5, diversity=0.7),
    ],
)
@pytest.mark.parametrize("lag", [0, 1])
def test_sentences_of_different_steps_share_a_batch(lag: int, search: SearchOptions, folder: Path) -> None:
    """Batches of about six sentences, most of which begin when others end, against each sentence alone."""
    texts = list(dict.fromkeys(sentences(40, 20, seed=7)))
    begins = ["t1 t2 t3" if number % 7 == 3 else "" for number in range(len(texts))]
    alone, together = (searching(folder, search, batch_tokens=tokens, max_length=25) for tokens in (1, 64))
    together._searcher.policy = Policy(lag, 0.2)
    found = together.translate(texts, 5, prefixes=begins)
    assert together._searcher.counts.refills > 10
    check_lists(found, alone.translate(texts, 5, prefixes=begins), 1.0)


@pytest.mark.parametrize(("beam", "penalty"), [(1, 1.0), (5, 0.6), (12, 1.0)])
def test_the_real_model(beam: int, penalty: float, shared: Path) -> None:
    with gzip.open(shared / "data/multi30k/test_2016_flickr.cs.gz", "rt", encoding="utf-8") as file:
        texts = file.read().splitlines()[100:140]
    model = shared / "models/cs-en-small"
    options = replace(OPTIONS, model=str(model), max_length=200, beam=beam, length_penalty=penalty)
    found = [
        translators.load(translators.resolve(replace(options, engine=engine)), Path("unused")).translate(
            texts, beam
        )  # type: ignore[arg-type]
        for engine in ("torch", "fairseq")
    ]
    check_lists(found[0], found[1], penalty)
