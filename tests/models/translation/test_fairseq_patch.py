import subprocess
import sys

import pytest

from paranmt.base.errors import RecipeError

CHECK = """
import dataclasses, logging
before = dataclasses.dataclass, list(logging.getLogger().handlers), logging.getLogger().level
from paranmt.models.translation.fairseq_patch import import_fairseq
fairseq = import_fairseq()
assert fairseq.__version__ == "0.12.2"
assert before == (dataclasses.dataclass, logging.getLogger().handlers, logging.getLogger().level)
layer = import_fairseq("fairseq.modules.transformer_layer")
settings = import_fairseq("fairseq.models.transformer.transformer_config").TransformerConfig()
assert layer.TransformerEncoderLayerBase(settings).can_use_fastpath is False
"""

ABSENT = """
import sys
sys.modules["fairseq"] = None
from paranmt.models.translation.fairseq_patch import import_fairseq
import_fairseq()
"""


def test_importing_leaves_dataclasses_and_the_root_logger_as_they_were() -> None:
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


def test_without_fairseq_the_error_says_how_to_get_it() -> None:
    done = subprocess.run([sys.executable, "-c", ABSENT], capture_output=True, text=True, timeout=120)
    assert done.stderr.rstrip().splitlines()[-1].startswith(f"paranmt.base.errors.{RecipeError.__name__}: ")
    assert f"install it with: {sys.executable} -m paranmt.install\n" in done.stderr


@pytest.mark.parametrize("module", ["engines", "translator", "model_folder", "batching"])
def test_light_modules_import_no_engine(module: str) -> None:
    heavy = "{'torch', 'fairseq', 'ctranslate2'}"
    code = f"import sys, paranmt.models.translation.{module}; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.stdout == "set()\n", done.stdout + done.stderr
