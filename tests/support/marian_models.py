"""Small Marian models in Hugging Face's files, for tests without real ones."""

import io
import json
from collections.abc import Sequence
from pathlib import Path

import sentencepiece
import torch
import transformers

TEXTS = [
    "a dog runs in the park",
    "two men are talking to a woman",
    "the red house stands by the river",
    "children play with a small ball",
    "she reads an old book at night",
    "nobody knows where the cat sleeps",
]


def write_marian(
    folder: Path, seed: int = 1, ends: float = 2.0, languages: Sequence[str] = (), **own: object
) -> transformers.MarianMTModel:
    """A random model with its two sentencepiece models; returned as transformers computes it.

    ends: added to the logit of the end symbol. languages: the target languages that it has tokens for.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pieces: list[str] = []
    for side in ("source", "target"):
        content = io.BytesIO()
        sentencepiece.SentencePieceTrainer.train(
            sentence_iterator=iter(TEXTS * 20),
            model_writer=content,
            vocab_size=60 if side == "source" else 64,
            minloglevel=2,
            hard_vocab_limit=False,
        )
        (folder / f"{side}.spm").write_bytes(content.getvalue())
        processor = sentencepiece.SentencePieceProcessor(model_proto=content.getvalue())
        pieces += [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    special = ["</s>", "<unk>"]
    words = [*special, *sorted(set(pieces) - {"<s>", "</s>", "<unk>"})]
    words += [*([f">>{language}<<" for language in languages] or ["a piece of no sentence"]), "<pad>"]
    (folder / "vocab.json").write_text(json.dumps({word: number for number, word in enumerate(words)}))
    pad = len(words) - 1
    config = transformers.MarianConfig(
        **{
            "vocab_size": len(words),
            "d_model": 32,
            "encoder_layers": 2,
            "decoder_layers": 2,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 4,
            "encoder_ffn_dim": 64,
            "decoder_ffn_dim": 64,
            "max_position_embeddings": 64,
            "activation_function": "swish",
            "scale_embedding": True,
            "pad_token_id": pad,
            "decoder_start_token_id": pad,
            "eos_token_id": 0,
            "forced_eos_token_id": 0,
            "init_std": 0.3,
        }
        | own
    )
    torch.manual_seed(seed)
    model = transformers.MarianMTModel(config).eval()
    with torch.no_grad():
        model.final_logits_bias.normal_()
        model.final_logits_bias[0, 0] += ends
    model.save_pretrained(folder, safe_serialization=True)
    return model


def as_downloaded(folder: Path, model: transformers.MarianMTModel, is_zip: bool = True) -> Path:
    """Store the weights like OPUS-MT: in `pytorch_model.bin` alone, with position vectors and tied copies.

    is_zip: whether in torch's format since 1.6, or in the older one. Returns the file's path.
    """
    tensors = model.state_dict()
    tied = "model.shared", "model.encoder.embed_tokens", "model.decoder.embed_tokens", "lm_head"
    positions = [f"model.{side}.embed_positions.weight" for side in ("encoder", "decoder")]
    assert {*(f"{name}.weight" for name in tied), *positions} <= set(tensors)
    path = folder / "pytorch_model.bin"
    torch.save(tensors, path, _use_new_zipfile_serialization=is_zip)
    (folder / "model.safetensors").unlink()
    return path
