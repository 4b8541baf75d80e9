"""Durations as people read them."""


def duration(seconds: float) -> str:
    """A duration in readable units.

    >>> duration(0.42), duration(59), duration(61), duration(7_322), duration(200_000)
    ('0.4 s', '59 s', '1 min 1 s', '2 h 2 min', '2 d 7 h')
    """
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3_600:
        return f"{whole // 60} min {whole % 60} s"
    if whole < 86_400:
        return f"{whole // 3_600} h {whole % 3_600 // 60} min"
    return f"{whole // 86_400} d {whole % 86_400 // 3_600} h"
