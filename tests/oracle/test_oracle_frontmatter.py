"""Headers against goldmark, goldmark-meta and yaml.v2 themselves: is there metadata, which keys, which renderings."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

from fleetlint.roles.raw import render
from fleetlint.vault.frontmatter import find_block, read_note
from tests.oracle.headers import note
from tests.oracle.shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.oracle.conftest import Oracle

BATCH = 5_000


def ours(data: bytes) -> dict[str, str] | None:
    """Key -> rendering; None where there is no metadata, or none that has a key."""
    block = find_block(data)
    header = None if block is None else read_note("note.md", data, block).header
    if header is None or not header.entries:
        return None
    return {str(key.value): render(value).text for key, value in header.entries}


def theirs(oracle: Oracle, notes: Sequence[bytes]) -> list[dict[str, str] | None]:
    return [metadata or None for metadata in oracle.metadata(notes)]


def differences(oracle: Oracle, cases: list[tuple[str, ...]]) -> list[bool]:
    notes = [text.encode("latin-1") for (text,) in cases]
    return [ours(data) != metadata for data, metadata in zip(notes, theirs(oracle, notes), strict=True)]


def compare(oracle: Oracle, count: int, seed: str) -> float:
    """Compare on so many notes; gives the share that has metadata."""
    random = Random(seed)
    found = 0
    for start in range(0, count, BATCH):
        notes = [note(random) for _ in range(min(BATCH, count - start))]
        for data, metadata in zip(notes, theirs(oracle, notes), strict=True):
            found += metadata is not None
            if ours(data) != metadata:
                # Byte by byte, each byte a character.
                (least,) = shrink((data.decode("latin-1"),), lambda cases: differences(oracle, cases))
                small = least.encode("latin-1")
                pytest.fail(
                    f"{small!r}: the server sees {theirs(oracle, [small])}, we {ours(small)} (found as {data!r})"
                )
    return found / count


def test_headers_are_read_as_the_server_reads_them(oracle: Oracle) -> None:
    assert compare(oracle, 2_000, "small") > 0.4


@pytest.mark.slow
def test_a_hundred_thousand_headers_are_read_as_the_server_reads_them(oracle: Oracle) -> None:
    assert compare(oracle, 100_000, "large") > 0.4
