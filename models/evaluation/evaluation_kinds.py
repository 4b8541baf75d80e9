"""The kinds of evaluation by name.

A new kind is a module in this folder and a word in `EVALUATIONS`; see CONTRIBUTING.md.

Planning imports these modules, so they import what is heavy inside the functions that need it.
"""

from .evaluation import Evaluation
from .nli import Nli
from .retrieval import Retrieval
from .sts import Sts
from .supervised import Supervised
from .transfer import Transfer
from .translation_retrieval import TranslationRetrieval

EVALUATIONS: dict[str, type[Evaluation]] = {
    kind.kind: kind for kind in (Sts, Transfer, Supervised, Nli, Retrieval, TranslationRetrieval)
}
