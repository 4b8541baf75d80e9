"""M2M-100 and NLLB-200 against transformers, on random models made here."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

transformers = pytest.importorskip("transformers", reason="needs transformers to compare with")

from m2m_models import write_m2m  # noqa: E402
from marian_models import TEXTS  # noqa: E402

from paranmt.base.errors import ModelError, RecipeError  # noqa: E402
from paranmt.models.translation import engines  # noqa: E402
from paranmt.models.translation.ctranslate2_engine import converted  # noqa: E402
from paranmt.models.translation.language_codes import M2M, NLLB, code_among, nllb_code  # noqa: E402
from paranmt.models.translation.languages import LanguageTokens  # noqa: E402
from paranmt.models.translation.model_folder import read_model_folder  # noqa: E402
from paranmt.models.translation.search_options import SearchOptions  # noqa: E402
from paranmt.models.translation.torch_engine.network_loading import load_model  # noqa: E402
from paranmt.models.translation.torch_engine.text import FairseqText  # noqa: E402
from paranmt.models.translation.translate_options import TranslateOptions  # noqa: E402
from paranmt.models.translation.translator import Translator  # noqa: E402

OPTIONS = TranslateOptions(
    beam=5, max_length=20, device="cpu", source_language="cs", target_language="en", keep_candidates=5
)
LONGEST = 20
SENTENCES = 200
TOKENS = {False: LanguageTokens("__cs__", "__en__"), True: LanguageTokens("ces_Latn", "eng_Latn")}
both_kinds = pytest.mark.parametrize("is_nllb", [False, True], ids=["M2M-100", "NLLB-200"])
both_engines = pytest.mark.parametrize("engine", ["torch", "ctranslate2"])


def loaded(model: Path, cache: Path, **own: object) -> Translator:
    options = engines.resolve(replace(OPTIONS, model=str(model), **own))  # type: ignore[arg-type]
    return engines.load(options, cache, threads=1)


def text_of(folder: Path, is_nllb: bool) -> FairseqText:
    text = load_model(read_model_folder(str(folder)), TOKENS[is_nllb]).text
    assert isinstance(text, FairseqText)
    return text


def some_sentences() -> list[str]:
    words = np.array(sorted({word for text in TEXTS for word in text.split()}))
    numbers = np.random.default_rng(1)
    return [" ".join(numbers.choice(words, size)) for size in numbers.integers(1, 11, SENTENCES)]


@both_engines
@both_kinds
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_beam_search_is_that_of_transformers(
    is_nllb: bool, engine: str, penalty: float, tmp_path: Path
) -> None:
    """The same best translation of 200 sentences at the same log-probability, with `early_stopping=True`.

    transformers counts the token of the language in the length. We do not, so with a length penalty the
    best of its five translations is chosen as we choose. Where the end symbol is among the ten likeliest
    first words, as it often is in random models, CTranslate2 goes on with a hypothesis less.
    """
    seed, ends = (1, 4.0) if is_nllb else (3, 2.0)
    theirs = write_m2m(tmp_path / "m", is_nllb, seed, ends)
    text, sentences = text_of(tmp_path / "m", is_nllb), some_sentences()
    target = text.symbols()[1].index(TOKENS[is_nllb].target)
    sources = text.sources(sentences)
    found = loaded(tmp_path / "m", tmp_path / "cache", engine=engine, length_penalty=penalty).translate(
        sentences
    )
    same, comparable, lengths = [], [], set()
    for source, ranked, candidates in zip(
        sources, found, generate(theirs, sources, target, penalty), strict=True
    ):
        words, log_prob = max(candidates, key=lambda one: one[1] / (len(one[0]) + 1) ** penalty)
        same.append(ranked[0].text == text.decode(words) and abs(ranked[0].log_prob - log_prob) < 1e-4)
        comparable.append(engine == "torch" or 2 not in first_words(theirs, source, target))
        lengths.add(len(words))
    assert len(lengths) > 5 and max(lengths) == LONGEST
    assert len({ranked[0].text for ranked in found}) > SENTENCES / 5
    assert sum(comparable) >= SENTENCES / 4
    assert sum(same) >= 0.96 * SENTENCES
    alike = [one for one, is_comparable in zip(same, comparable, strict=True) if is_comparable]
    assert sum(alike) >= 0.98 * len(alike)


@pytest.mark.parametrize(("penalty", "fewest"), [(0.0, None), (1.0, 5)])
def test_where_the_best_of_transformers_is_another(
    penalty: float, fewest: int | None, tmp_path: Path
) -> None:
    """With a length penalty only: `early_stopping=False`, its default, and the language's token in a length.

    fewest: of the 400 translations of both kinds, how many are others for each of these two reasons; None
    stands for none at all.
    """
    counts = {"as ours": 0, "token counted": 0, "default": 0}
    for is_nllb, seed, ends in ((False, 3, 2.0), (True, 1, 4.0)):
        model = tmp_path / str(is_nllb)
        theirs = write_m2m(model, is_nllb, seed, ends)
        text = text_of(model, is_nllb)
        target, sources = text.symbols()[1].index(TOKENS[is_nllb].target), text.sources(some_sentences())
        ours = loaded(model, tmp_path / "cache", engine="torch", length_penalty=penalty)
        found = [ranked[0].text for ranked in ours.translate(some_sentences())]
        early, late = (generate(theirs, sources, target, penalty, is_early) for is_early in (True, False))
        for name, lists, begun in (("as ours", early, 0), ("token counted", early, 1), ("default", late, 0)):
            for ours_best, candidates in zip(found, lists, strict=True):
                best = max(candidates, key=lambda one: one[1] / (len(one[0]) + 1 + begun) ** penalty)
                counts[name] += text.decode(best[0]) != ours_best
    assert counts["as ours"] <= 2
    for name in ("token counted", "default"):
        assert counts[name] <= 2 if fewest is None else counts[name] >= fewest


def first_words(
    model: "transformers.M2M100ForConditionalGeneration", source: list[int], target: int
) -> list[int]:
    """The ten most likely first words of a translation."""
    with torch.inference_mode():
        logits = model(
            input_ids=torch.tensor([[*source, 2]]), decoder_input_ids=torch.tensor([[2, target]])
        ).logits
    return logits[0, -1].topk(10).indices.tolist()


Words = list[int]


def generate(
    model: "transformers.M2M100ForConditionalGeneration",
    sources: list[list[int]],
    target: int,
    penalty: float,
    stops_early: bool = True,
) -> list[list[tuple[Words, float]]]:
    """transformers' five translations of each source and their log-probabilities, best first by its length.

    The words are without the end symbol and the language's token, whose log-probability is left out. As in
    fairseq, a translation has a word at least, and its end symbol costs something at the limit too.
    """
    end, pad = model.config.eos_token_id, model.config.pad_token_id

    class EndAtLimit(transformers.LogitsProcessor):
        def __call__(self, ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
            return scores if ids.shape[1] <= LONGEST + 1 else scores.index_fill(1, others, -torch.inf)

    others = torch.tensor([number for number in range(model.config.vocab_size) if number != end])
    rows = [torch.tensor([*row, end]) for row in sources]
    ids = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=pad)
    found = model.generate(
        ids,
        attention_mask=(ids != pad).long(),
        forced_bos_token_id=target,
        num_beams=5,
        num_return_sequences=5,
        do_sample=False,
        early_stopping=stops_early,
        length_penalty=penalty,
        min_new_tokens=2,
        max_length=LONGEST + 3,
        max_new_tokens=None,
        forced_eos_token_id=None,
        logits_processor=[EndAtLimit()],
        bad_words_ids=[[pad]],
        return_dict_in_generate=True,
        output_scores=True,
    )
    lists: list[list[tuple[Words, float]]] = [[] for _ in sources]
    for place, (row, score) in enumerate(
        zip(found.sequences.tolist(), found.sequences_scores.tolist(), strict=True)
    ):
        assert row[:2] == [model.config.decoder_start_token_id, target]
        words = row[2 : row.index(end, 2)]
        lists[place // 5].append((words, score * (len(words) + 2) ** penalty))
    return lists


@both_engines
@both_kinds
def test_forced_decoding_agrees_with_transformers(is_nllb: bool, engine: str, tmp_path: Path) -> None:
    theirs = write_m2m(tmp_path / "m", is_nllb)
    text = text_of(tmp_path / "m", is_nllb)
    begin = text.symbols()[1].index(TOKENS[is_nllb].target)
    targets = TEXTS[::-1]
    scored = loaded(tmp_path / "m", tmp_path / "cache", engine=engine).score(TEXTS, targets)
    for sentence, target, found in zip(TEXTS, targets, scored, strict=True):
        words = torch.tensor([[begin, *text.targets([target])[0], 2]])
        before = torch.tensor([[2, *words[0, :-1].tolist()]])
        with torch.inference_mode():
            source = torch.tensor([[*text.sources([sentence])[0], 2]])
            logits = theirs(input_ids=source, decoder_input_ids=before).logits
        wanted = logits.log_softmax(dim=2).gather(2, words[:, :, None]).flatten()[1:]
        assert found is not None
        assert found.token_log_probs == pytest.approx(wanted.tolist(), abs=1e-4)


@both_kinds
def test_the_engines_agree(is_nllb: bool, tmp_path: Path) -> None:
    """Also on translations that are cut, on a language of its own, and with each token's log-probability."""
    write_m2m(tmp_path / "m", is_nllb, ends=1.0)
    for language in ("en", "fr"):
        found = [
            loaded(
                tmp_path / "m", tmp_path / "cache", engine=engine, target_language=language, max_length=7
            ).translate([*TEXTS, "", "unknown 漢字"], token_log_probs=True)
            for engine in ("torch", "ctranslate2")
        ]
        for ours, theirs in zip(*found, strict=True):
            assert [one.text for one in ours[:1]] == [one.text for one in theirs[:1]]
            assert len(ours[:1]) == len(theirs[:1])
            for one, two in zip(ours[:1], theirs[:1], strict=True):
                assert one.n_tokens == len(one.token_log_probs) == two.n_tokens
                assert one.token_log_probs == pytest.approx(two.token_log_probs, abs=1e-4)
        assert found[0][-2] == []


def test_what_begins_a_translation_is_not_in_it(tmp_path: Path) -> None:
    """With the options of a search, in samples and diverse groups too, and after a prefix."""
    write_m2m(tmp_path / "m", is_nllb=True)
    symbols = load_model(read_model_folder(str(tmp_path / "m")), TOKENS[True]).symbols
    assert len(symbols.begin) == 1
    for search in (
        SearchOptions(groups=5, diversity=0.5),
        SearchOptions(sampling=True, top_k=20),
        SearchOptions(min_length=3, no_repeat_ngram=2),
    ):
        engine = loaded(tmp_path / "m", tmp_path / "cache", engine="torch", search=search)
        for ranked in engine.translate(TEXTS, 5):
            for one in ranked:
                assert "Latn" not in one.text
                assert one.n_tokens == len(one.token_log_probs) <= LONGEST + 1
                assert one.n_tokens > (search.min_length or 0)


def test_long_sentences_have_their_positions(tmp_path: Path) -> None:
    """Of 64 positions a source's language and end take two, as a translation's start and language do."""
    write_m2m(tmp_path / "m", is_nllb=False, ends=-5.0)
    for engine in ("torch", "ctranslate2"):
        own = {"engine": engine, "max_length": 500, "beam": 2, "keep_candidates": 0}
        one = loaded(tmp_path / "m", tmp_path / "cache", **own)
        longest, too_long = (" ".join(["dog"] * words) for words in (5, 100))
        found = one.translate([longest, too_long])
        assert found[0][0].n_tokens <= 63
        assert found[1] == []
        assert one.score([longest] * 2, [" ".join(["a"] * words) for words in (3, 90)])[1] is None


def test_tokens_are_those_of_transformers(tmp_path: Path) -> None:
    write_m2m(tmp_path, is_nllb=False)
    theirs = transformers.M2M100Tokenizer(
        vocab_file=str(tmp_path / "vocab.json"),
        spm_file=str(tmp_path / "sentencepiece.bpe.model"),
        src_lang="cs",
        tgt_lang="en",
    )
    text = text_of(tmp_path, is_nllb=False)
    sentences = [*TEXTS, "unbekannte Wörter, 漢字", "</s> <pad>"]
    assert text.sources(sentences[:-1]) == [theirs(one)["input_ids"][:-1] for one in sentences[:-1]]
    assert not {0, 1, 2} & set(text.sources(sentences)[-1])
    both = text.symbols()[1]
    assert [both.index(f"__{code}__") for code in M2M] == [theirs.get_lang_id(code) for code in M2M]
    for row in text.targets(sentences):
        assert text.decode([*row, both.index("__fr__")]) == theirs.decode(row, skip_special_tokens=True)


def test_ids_of_published_models() -> None:
    """M2M-100 has 128,004 pieces and NLLB-200 256,001; these are the ids of the published models."""
    assert 128_004 + M2M.index("en") == 128_022
    assert 256_001 + NLLB.index("eng_Latn") == 256_047
    assert 256_001 + NLLB.index("fra_Latn") == 256_057


def test_languages_are_found_by_any_code() -> None:
    pairs = {
        "cs": "ces_Latn",
        "ces": "ces_Latn",
        "pt-BR": "por_Latn",
        "zh": "zho_Hans",
        "zh-Hant": "zho_Hant",
    }
    pairs |= {"zh_TW": "zho_Hant", "ar": "arb_Arab", "sr": "srp_Cyrl", "nb": "nob_Latn", "fa": "pes_Arab"}
    assert {code: nllb_code(code) for code in pairs} == pairs
    assert [nllb_code(code) for code in ("xx", "ace", "tlh", "")] == [None] * 4
    assert all(code_among(code, NLLB) == code for code in NLLB)
    without = {code for code in M2M if code_among(code, NLLB) is None}
    assert without == {"br", "fy"}  # FLORES-200 has no Breton and no Western Frisian
    assert all(nllb_code(code) in NLLB for code in M2M if code not in without)
    found = [code_among(code, M2M) for code in ("ces_Latn", "ces", "deu", "nb", "br", "bre", "fry", "nn")]
    assert found == ["cs", "cs", "de", "no", "br", "br", "fy", None]
    from transformers.models.m2m_100.tokenization_m2m_100 import FAIRSEQ_LANGUAGE_CODES
    from transformers.models.nllb.tokenization_nllb import FAIRSEQ_LANGUAGE_CODES as FLORES

    assert M2M == FAIRSEQ_LANGUAGE_CODES["m2m100"]
    assert NLLB == FLORES


@pytest.mark.parametrize(
    ("codes", "nllb", "m2m"),
    [
        ("zh cmn zho chi zh-CN cmn-Hans zh-Hans", "zho_Hans", "zh"),
        ("ar ara arb ar-EG", "arb_Arab", "ar"),
        ("fa fas per pes", "pes_Arab", "fa"),
        ("no nb nor nob", "nob_Latn", "no"),
        ("iw he heb iw-IL", "heb_Hebr", "he"),
        ("in id ind", "ind_Latn", "id"),
        ("ji yi yid ydd", "ydd_Hebr", "yi"),
        ("jw jv jav", "jav_Latn", "jv"),
        ("mo mol ro ron rum", "ron_Latn", "ro"),
        ("sh hbs scr hr hrv", "hrv_Latn", "hr"),
        ("scc sr srp", "srp_Cyrl", "sr"),
        ("et est ekk", "est_Latn", "et"),
        ("ms msa may zsm zlm", "zsm_Latn", "ms"),
        ("sq sqi alb als", "als_Latn", "sq"),
        ("lv lav lvs", "lvs_Latn", "lv"),
        ("cze ces", "ces_Latn", "cs"),
        ("gn grn gug", "grn_Latn", None),
        ("kr-Latn kau_Latn", "knc_Latn", None),
    ],
)
def test_other_codes_of_a_language(codes: str, nllb: str, m2m: str | None) -> None:
    for code in codes.split():
        assert (code_among(code, NLLB), code_among(code, M2M)) == (nllb, m2m), code


@pytest.mark.parametrize(
    ("named", "told"),
    [
        ({"source_language": None}, "from several languages: set translate.source_language to one"),
        ({"target_language": None}, "into several languages: set translate.target_language to one"),
        ({"source_language": "cz"}, "source_language is 'cz', for which .* has no token; there are .*cs"),
        ({"source_language": "eng_Cyrl"}, "has no token; there are tgk_Cyrl, .* and 190 others"),
    ],
)  # fmt: skip
def test_the_languages_of_a_model(named: dict[str, str], told: str, tmp_path: Path) -> None:
    is_nllb = "Cyrl" in str(named)
    write_m2m(tmp_path / "m", is_nllb)
    with pytest.raises(RecipeError, match=told):
        loaded(tmp_path / "m", tmp_path / "cache", **named)


def test_weights_in_several_files(tmp_path: Path) -> None:
    theirs = write_m2m(tmp_path / "m", is_nllb=True)
    wanted = load_model(read_model_folder(str(tmp_path / "m"))).members[0]
    (tmp_path / "m/model.safetensors").unlink()
    theirs.save_pretrained(tmp_path / "m", max_shard_size="30KB")
    folder = read_model_folder(str(tmp_path / "m"))
    assert folder.weights == "model.safetensors.index.json"
    assert sum(name.endswith(".safetensors") for name in folder.files) > 2
    found = load_model(folder).members[0]
    assert all(torch.equal(found.tensors[name], tensor) for name, tensor in wanted.tensors.items())
    texts = loaded(tmp_path / "m", tmp_path / "cache", engine="ctranslate2").translate(TEXTS)
    (tmp_path / "m" / folder.files[3]).unlink()
    with pytest.raises(ModelError, match="lacks model-0000"):
        read_model_folder(str(tmp_path / "m"))
    assert texts[0]


def test_a_converted_model_works_without_its_original(tmp_path: Path) -> None:
    for is_nllb in (False, True):
        model = tmp_path / f"m{is_nllb}"
        write_m2m(model, is_nllb)
        path = converted(read_model_folder(str(model)), tmp_path / "cache")
        found = [
            loaded(each, tmp_path / "cache", engine="ctranslate2").translate(TEXTS) for each in (model, path)
        ]
        assert found[0] == found[1]
        with pytest.raises(RecipeError, match="set translate.source_language"):
            loaded(path, tmp_path / "cache", source_language=None)


def test_a_model_of_one_pair_has_no_source_language(tmp_path: Path) -> None:
    from marian_models import write_marian

    write_marian(tmp_path)
    with pytest.raises(RecipeError, match="source_language is 'cs', but .* leave it out"):
        loaded(tmp_path, tmp_path / "cache", target_language=None)


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("vocab.json", '{"<s>": 0, "</s>": 1, "<unk>": 2}', "expected the symbols <s>, <pad>, </s> and"),
        ("config.json", '{"model_type": "m2m_100", "d_model": 33}', "must divide|must be a number"),
        ("sentencepiece.bpe.model", "x", "is not a sentencepiece model"),
    ],
)  # fmt: skip
def test_damaged_files(name: str, content: str, told: str, tmp_path: Path) -> None:
    write_m2m(tmp_path, is_nllb=False)
    (tmp_path / name).write_text(content)
    with pytest.raises(ModelError, match=told):
        load_model(read_model_folder(str(tmp_path)), TOKENS[False])


def test_files_of_different_models(tmp_path: Path) -> None:
    """Without M2M-100's vocab.json the folder would be NLLB-200's, which has more languages."""
    write_m2m(tmp_path, is_nllb=False)
    (tmp_path / "vocab.json").unlink()
    with pytest.raises(
        ModelError, match="more than the 159 rows of the network: these are the files of diff"
    ):
        load_model(read_model_folder(str(tmp_path)), TOKENS[True])
    (tmp_path / "sentencepiece.bpe.model").unlink()
    with pytest.raises(ModelError, match="M2M-100 or NLLB-200 without sentencepiece.bpe.model"):
        read_model_folder(str(tmp_path))
