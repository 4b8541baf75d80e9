"""The GPU kernels, by Triton's interpreter where there is no GPU, against their plain twins."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

pytest.importorskip("triton", reason="needs Triton, which comes with torch on Linux")

PROGRAM = """
import torch
from paranmt.models.translation.torch_engine import gpu_kernels

generator = torch.Generator().manual_seed(1)
for types in (64, 320, 2048, 2112, 8000):
    logits = torch.randn(5, types, generator=generator) * 8
    logits[1, 7:] = -torch.inf
    logits[2, :2048] = -torch.inf  # a whole tile of nothing, where there is more
    logits[2, types - 1] = 1.0
    for banned in ((), (1,), (1, types - 2)):
        plain, fused = logits.clone(), logits.clone()
        sums, maxima = gpu_kernels.scan(fused, banned, 64)
        torch.testing.assert_close(sums, plain.logsumexp(dim=1), rtol=1e-6, atol=1e-5)
        for word in banned:
            plain[:, word] = -torch.inf
        assert torch.equal(fused, plain)
        assert torch.equal(maxima, plain.unflatten(1, (-1, 64)).amax(dim=2))
print("same")
"""


def test_scan_by_the_interpreter() -> None:
    """In a process of its own: Triton reads the variable when it is imported."""
    environment = os.environ | {"TRITON_INTERPRET": "1"}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.stdout.strip() == "same", done.stderr


@pytest.mark.parametrize("capability", [80, 90])
def test_scan_compiles_for_gpus_that_are_not_there(
    capability: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    from paranmt.models.translation.torch_engine.triton_kernels import scan_kernel

    monkeypatch.setenv("TRITON_CACHE_DIR", str(tmp_path))
    types = {name: "*fp32" for name in ("logits", "normalisers", "maxima")}
    types |= {name: "i32" for name in ("types", "blocks", "first", "second")}
    sizes = {"BLOCK": 64, "TILE": 2048}
    source = ASTSource(scan_kernel, types | {name: "constexpr" for name in sizes}, sizes)
    assert triton.compile(source, target=GPUTarget("cuda", capability, 32)).asm["cubin"]


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a GPU")
def test_scan_on_a_gpu() -> None:
    from paranmt.models.translation.torch_engine import gpu_kernels

    logits = torch.randn(300, 32_000, device="cuda") * 8
    plain = logits.clone()
    sums, maxima = gpu_kernels.scan(logits, (1, 2), 64)
    torch.testing.assert_close(sums, plain.logsumexp(dim=1), rtol=1e-6, atol=1e-5)
    plain[:, 1:3] = -torch.inf
    assert torch.equal(maxima, plain.unflatten(1, (-1, 64)).amax(dim=2))
