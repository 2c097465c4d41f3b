"""Tests of NetworkX that ask for more than the documented function promises."""

#: Part of the id of a test: why another outcome is right too.
LEFT_OPEN: dict[str, str] = {}


def mark(items) -> None:
    """Marks tests as expected to fail."""
    import pytest

    for item in items:
        for part, reason in LEFT_OPEN.items():
            if part in item.nodeid:
                item.add_marker(pytest.mark.xfail(reason=reason, strict=False))
