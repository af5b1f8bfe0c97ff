"""The header of a note as trip2g finds it and its parser reads it.

The facts are those of goldmark 1.7 with goldmark-meta 1.1 and yaml.v2 2.4, obtained by running them (`tests/oracle`).
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.vault.note import HeaderFault, Mapping, Note, Span

if TYPE_CHECKING:
    import re

    from fleetlint.vault.note import HeaderRemark

MAX_BLOCK = 256 * 1024
"""Bytes; a larger block is not read."""

MAX_OPENERS = 10_000
"""A block with more `[` and `{` is not read."""


_PIECES = (b"fle", b"mode", b"trig", b"pattern", b"cron", b"each", b"attach", b"depth", b"concurr", b"\\")
"""One of these is in all that `_role_words` finds."""


class Block(NamedTuple):
    """Where a header lies in a note's bytes: between the fences, and where the body begins.

    `closed` is False when no second fence was seen.
    """

    start: int
    end: int
    body: int
    closed: bool


def find_block(data: bytes) -> Block | None:
    """The header of a note of which `data` is all, or a beginning of whole lines; None when its first line is no fence.

    The first line is a fence when it holds hyphens alone, indented by less than four columns, white space behind them.
    The next line of hyphens alone closes, however indented and long; without one the end of the file does.
    """
    opening = _fences()[0].match(data)
    if opening is None:
        return None
    closing = _fences()[1].search(data, opening.end())
    if closing is None:
        return Block(opening.end(), len(data), len(data), False)
    return Block(opening.end(), closing.start(), closing.end(), True)


def may_matter(block: bytes) -> bool:
    """Whether a header holds a word of role notes, in any spelling near enough to be a typo."""
    # Nearly every role has the one, and nearly no other note has.
    if b"fleet_id" in block:
        return True
    lower = block.lower()
    # Looking for the pieces takes a tenth of the time, and most headers have none.
    for piece in _PIECES:
        if piece in lower:
            return _role_words().search(lower) is not None
    return False


def looks_like_role(text: bytes) -> bool:
    """Whether lines of a text begin with the key `fleet_id`, or with two others that make a role."""
    keys = {match[1] for match in _role_lines().finditer(text)}
    return b"fleet_id" in keys or len(keys) > 1


def read_note(path: str, data: bytes, block: Block) -> Note:
    """A note with its header: a mapping, or a fault when the server gets none from what looks like a role.

    Never raises. `data` may lack the end of a long body.
    """
    header = data[block.start : block.end]
    text = data.decode("utf-8", "replace")
    header_text = header.decode("utf-8", "replace")
    body = data[block.body :].decode("utf-8", "replace")
    try:
        mapping, remarks = _read_header(data, header, header_text, block)
    except _Fault as found:
        return Note(path, text, None, found.fault if looks_like_role(header) else None, (), header_text, body)
    return Note(path, text, mapping, None, remarks, header_text, body)


class _Fault(Exception):  # noqa: N818 - carries one
    def __init__(self, fault: HeaderFault) -> None:
        super().__init__(fault.message)
        self.fault = fault


def _read_header(
    data: bytes, header: bytes, header_text: str, block: Block
) -> tuple[Mapping | None, tuple[HeaderRemark, ...]]:
    if len(header) > MAX_BLOCK:
        raise _Fault(_too_much(f"the header is larger than {MAX_BLOCK // 1024} KiB", "move text into the body"))
    if header.count(b"[") + header.count(b"{") > MAX_OPENERS:
        raise _Fault(_too_much(f"the header holds more than {MAX_OPENERS:,} of `[` and `{{`", "shorten its lists"))
    # Late: a vault without roles needs none of these.
    import yaml

    from fleetlint.vault.compose import Broken, Places, compose
    from fleetlint.vault.traps import remarks_on

    try:
        composed = compose(header, header_text, 2)
    except Broken as error:
        raise _Fault(HeaderFault("broken", error.message, error.help, error.span)) from None
    except yaml.YAMLError as error:
        from fleetlint.vault.mends import fault_of

        raise _Fault(fault_of(error, header, Places(header_text, 2))) from None
    value = composed.value
    if value is not None and not isinstance(value, Mapping):
        if getattr(value, "value", "") is None:  # a lone `~`: no metadata, and no error either
            return None, ()
        raise _Fault(
            HeaderFault("broken", "the header is no mapping of keys to values", "write `key: value` lines", value.span)
        )
    if value is None:
        return Mapping((), Span(2, 1, 2, 1)), ()
    return value, remarks_on(value, composed, header_text, data, block)


def _too_much(message: str, help: str) -> HeaderFault:
    return HeaderFault("broken", f"{message}, which is not read", help, Span(1, 1, 1, 2))


@cache
def _fences() -> tuple[re.Pattern[bytes], re.Pattern[bytes]]:
    import re

    # Vertical tabs and form feeds are trimmed like blanks, but a line of them is not blank: it closes.
    return (
        re.compile(rb" {0,3}-++[ \t\v\f\r]*+(?:\n|\Z)"),
        re.compile(rb"^[ \t\v\f\r]*+(?:-++[ \t\v\f\r]*+|(?<=[\v\f])|(?<=[\v\f][ \t\r]))(?:\n|\Z)", re.MULTILINE),
    )


@cache
def _role_words() -> re.Pattern[bytes]:
    import re

    # A key with an escape in it may be any key.
    return re.compile(
        rb"fle+t|\bmode\b|trig|pattern|cron|for.?each|attach|"
        rb"max.?depth|concurr|\"[^\"\\\n]*+\\[^\"\n]*+\"[ \t]*+:"
    )


@cache
def _role_lines() -> re.Pattern[bytes]:
    import re

    return re.compile(
        rb"^(fleet_id|mode|trigger_on|trigger_include|trigger_exclude|read_patterns|write_patterns|cron_schedule"
        rb"|attach_notes|for_each)[ \t]*:",
        re.MULTILINE,
    )
