"""Input files that gave no pair: an error if it is all of a corpus, otherwise a warning."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence

from ...base.errors import InputError
from ...transforms.storage.dataset import Entry, origin_of
from ...transforms.works.ingesting import IngestTask


def check_pairs(
    tasks: Iterable[IngestTask], parts: Iterable[Entry], manifest: str, notify: Callable[[str], None]
) -> None:
    """InputError that names the files of a corpus without a pair.

    A corpus may have some files without a pair, as other programs write them for empty partitions; `notify`
    hears of each. parts: what `ingest` has made of the tasks. manifest: where they are listed.
    """
    parts_of: dict[str, list[Entry]] = defaultdict(list)
    for entry in parts:
        parts_of[origin_of(entry.part)].append(entry)
    files: dict[str, list[IngestTask]] = defaultdict(list)
    for task in tasks:
        files[task.file.corpus].append(task)
    for corpus, all_of_it in files.items():
        without = [task for task in all_of_it if not sum(entry.rows for entry in parts_of[task.part])]
        for task in without:
            reason = _reason(parts_of[task.part])
            message = f"corpus {corpus}: no pairs in {', '.join(task.file.paths)}: {reason}"
            if len(without) < len(all_of_it):
                notify(f"warning: {message}")
            else:
                more = f" (and in {len(without) - 1:,} other files)" if len(without) > 1 else ""
                raise InputError(
                    f"{message}{more}; correct the entry or its files, or leave it out; "
                    f"{manifest} names the files of rejects"
                )


def _reason(parts: Sequence[Entry]) -> str:
    """Why a file gave no pair."""
    counts: Counter[str] = Counter()
    for entry in parts:
        counts.update(entry.counted("rejected"))
    if not counts:
        return "it is empty"
    reasons = ", ".join(f"{name} {count:,}" for name, count in counts.most_common())
    return f"all of its rows were rejected ({reasons})"
