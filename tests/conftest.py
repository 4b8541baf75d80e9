import os
from pathlib import Path

import pytest

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # before torch is imported: see launch.cli.main


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real data and models that developers have beside the checkout."""
    folder = Path(os.environ.get("PARANMT_SHARED", Path(__file__).resolve().parents[2] / "shared"))
    if not folder.is_dir():
        pytest.skip(f"needs real data and models; there is no folder {folder} (set PARANMT_SHARED)")
    return folder
