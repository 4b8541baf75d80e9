"""Keys: hashes of what datasets are made of; and a description of which ingredients changed."""

import hashlib
import json
from collections.abc import Mapping


def digest(*content: object) -> str:
    """16 hexadecimal digits of SHA-256 over the content's canonical JSON."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def changed(before: Mapping[str, object], now: Mapping[str, object]) -> str:
    """The ingredients that differ, in words.

    >>> changed({"beam": 12, "model": "1f"}, {"beam": 5, "model": "1f"})
    'beam 12 → 5'
    """
    words = []
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name), now.get(name)
        if old == new:
            continue
        short = all(
            isinstance(value, int | float | str | None) and len(str(value)) < 40 for value in (old, new)
        )
        is_hash = any(
            isinstance(value, str) and len(value) >= 16 and " " not in value for value in (old, new)
        )
        words.append(f"{name} {old} → {new}" if short and not is_hash else f"{name} changed")
    return "; ".join(words)
