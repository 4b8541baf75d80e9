"""Small translation models made by fairseq's own classes, for tests without real ones."""

import argparse
from pathlib import Path

import torch

from paranmt.models.translation.fairseq_patch import import_fairseq

SOURCE_WORDS = [f"s{number}" for number in range(40)]
TARGET_WORDS = [f"t{number}" for number in range(44)]

POST_NORM: dict[str, object] = {}
VARIANTS: dict[str, dict[str, object]] = {
    "post-norm": POST_NORM,
    "pre-norm, gelu": {
        "encoder_normalize_before": True,
        "decoder_normalize_before": True,
        "activation_fn": "gelu",
    },
    "learned positions, embedding norm": {
        "encoder_learned_pos": True,
        "decoder_learned_pos": True,
        "layernorm_embedding": True,
        "no_scale_embedding": True,
    },
    "sides unlike, odd heads": {
        "encoder_attention_heads": 2,
        "decoder_normalize_before": True,
        "decoder_ffn_embed_dim": 48,
        "activation_fn": "gelu_accurate",
    },
}


def settings(**own: object) -> argparse.Namespace:
    """fairseq's settings of a very small transformer."""
    given: dict[str, object] = {
        "arch": "transformer",
        "task": "translation",
        "source_lang": "cs",
        "target_lang": "en",
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_embed_dim": 32,
        "decoder_embed_dim": 32,
        "encoder_ffn_embed_dim": 64,
        "decoder_ffn_embed_dim": 64,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        "max_source_positions": 64,
        "max_target_positions": 64,
    }
    return argparse.Namespace(**(given | own))


def write_dictionaries(folder: Path) -> None:
    for language, words in (("cs", SOURCE_WORDS), ("en", TARGET_WORDS)):
        (folder / f"dict.{language}.txt").write_text(
            "".join(f"{word} 9\n" for word in words), encoding="utf-8"
        )


def write_model(folder: Path, seed: int = 1, updates: int = 60, ends: bool = True, **own: object) -> Path:
    """A fairseq folder with a model that learned a little in a second or two; text is split at spaces.

    It learned that a sentence neither begins with its end nor holds padding, as every real model has:
    where those are likely, engines that exclude them before and after the softmax differ. Without
    `ends` it practically never ends a sentence by itself.
    """
    folder.mkdir(parents=True, exist_ok=True)
    write_dictionaries(folder)
    load = import_fairseq("fairseq.data").Dictionary.load
    task = argparse.Namespace(
        source_dictionary=load(str(folder / "dict.cs.txt")),
        target_dictionary=load(str(folder / "dict.en.txt")),
    )
    args = settings(**own)
    torch.manual_seed(seed)
    transformer = import_fairseq("fairseq.models.transformer").TransformerModel
    model = transformer.build_model(argparse.Namespace(**vars(args), dropout=0.0), task)
    learn(model, updates)
    with torch.no_grad():
        projection = model.decoder.output_projection.weight
        projection.mul_(3)  # as sure of itself as a model trained for hours
        if not ends:
            # A value of the last state that is always 1 makes its weights the words' biases.
            last = model.decoder.layer_norm or model.decoder.layers[-1].final_layer_norm
            last.weight[0], last.bias[0] = 0.0, 1.0
            projection[:, 0] = 0.0
            projection[2, 0] = -20.0
    history = {
        "num_updates": 0,
        "optimizer_name": "",
        "lr_scheduler_state": {},
        "criterion_name": "",
        "best_loss": None,
    }
    content = {"args": args, "model": model.state_dict(), "optimizer_history": [history], "extra_state": {}}
    torch.save(content, folder / "model.pt")
    return folder


def learn(model: torch.nn.Module, updates: int, rows: int = 32, longest: int = 15) -> None:
    """A few updates on sentences whose translation is word by word, every fourth word at random."""
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    model.train()
    for _ in range(updates):
        words = torch.randint(4, 44, (rows, longest))
        noisy = torch.where(torch.rand(rows, longest) < 0.25, torch.randint(4, 44, (rows, longest)), words)
        lengths = torch.randint(1, longest + 1, (rows, 1))
        place = torch.arange(longest + 1)

        def ended(
            ids: torch.Tensor, lengths: torch.Tensor = lengths, place: torch.Tensor = place
        ) -> torch.Tensor:
            ids = torch.nn.functional.pad(ids, (0, 1), value=1)
            return ids.masked_fill(place > lengths, 1).masked_fill(place == lengths, 2)

        target = ended(noisy)
        before = torch.cat([torch.full((rows, 1), 2), target[:, :-1]], dim=1)
        logits, _ = model(ended(words), lengths.squeeze(1) + 1, before)
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.eval()


def sentences(count: int, longest: int, seed: int = 1) -> list[str]:
    """Random sentences of known source words, 1 to `longest` of them."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, longest + 1, (count,), generator=generator).tolist()
    return [
        " ".join(
            SOURCE_WORDS[number] for number in torch.randint(0, 40, (length,), generator=generator).tolist()
        )
        for length in lengths
    ]
