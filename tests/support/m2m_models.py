"""Small M2M-100 and NLLB-200 models in Hugging Face's files, for tests without real ones."""

import io
import json
from pathlib import Path

import sentencepiece
import torch
import transformers
from marian_models import TEXTS

from paranmt.models.translation.language_codes import M2M, NLLB


def write_m2m(
    folder: Path, is_nllb: bool, seed: int = 1, ends: float = 2.0
) -> transformers.M2M100ForConditionalGeneration:
    """A random model with its sentencepiece model; returned as transformers computes it.

    ends: added to the logit of the end symbol.
    """
    folder.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(TEXTS * 20),
        model_writer=content,
        vocab_size=64,
        minloglevel=2,
        hard_vocab_limit=False,
    )
    (folder / "sentencepiece.bpe.model").write_bytes(content.getvalue())
    processor = sentencepiece.SentencePieceProcessor(model_proto=content.getvalue())
    pieces = [processor.id_to_piece(number) for number in range(3, processor.get_piece_size())]
    symbols = ["<s>", "<pad>", "</s>", "<unk>", *pieces]
    if not is_nllb:
        (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(symbols)}))
    config = transformers.M2M100Config(
        vocab_size=len(symbols) + len(NLLB if is_nllb else M2M) + 8,
        d_model=32,
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=4,
        decoder_attention_heads=4,
        encoder_ffn_dim=64,
        decoder_ffn_dim=64,
        max_position_embeddings=64,
        init_std=0.4,
    )
    torch.manual_seed(seed)
    model = transformers.M2M100ForConditionalGeneration(config).eval()
    with torch.no_grad():
        # What the last dimension adds to the logits: pieces are likelier than languages.
        likely = torch.full((config.vocab_size,), -1.0)
        likely[4 : len(symbols)] = 1.0
        likely[config.eos_token_id] = ends / 3
        model.model.shared.weight[:, -1] = likely
        model.model.decoder.layer_norm.weight[-1] = 0.0
        model.model.decoder.layer_norm.bias[-1] = 3.0
    model.save_pretrained(folder, safe_serialization=True)
    return model
