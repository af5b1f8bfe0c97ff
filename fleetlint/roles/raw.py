"""A YAML value as the server hands it to a fleet, and the list that a fleet makes of that text.

The server renders every value with Go's `%v` ("raw"); the fleet takes lists apart again from that text.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.globs.normal import SPACE, trim
from fleetlint.vault.note import Mapping, Scalar, Sequence, Span

if TYPE_CHECKING:
    import re

    from fleetlint.vault.note import Value


class Item(NamedTuple):
    """One entry of a list field, as the fleet sees it; `span` is where the text it comes from stands."""

    text: str
    span: Span


class Raw(NamedTuple):
    """The text, and which scalars it is made of: the offset in the text at which each begins."""

    text: str
    starts: tuple[int, ...]
    scalars: tuple[Scalar, ...]


def render(value: Value) -> Raw:
    """The value as Go's `%v` prints it. Works without recursion, however deep the value."""
    if isinstance(value, Scalar):
        return Raw(_scalar(value), (0,), (value,))
    parts: list[str] = []
    starts: list[int] = []
    scalars: list[Scalar] = []
    length = 0
    todo: list[Value | str] = [value]
    while todo:
        part = todo.pop()
        if isinstance(part, Scalar):
            starts.append(length)
            scalars.append(part)
            part = _scalar(part)
        elif isinstance(part, Sequence):
            todo.append("]")
            for item in reversed(part.items):
                todo += (item, " ")
            if part.items:
                todo.pop()
            part = "["
        elif isinstance(part, Mapping):
            todo.append("]")
            for key, item in sorted(part.entries, key=_order, reverse=True):
                todo += (item, ":", key, " ")
            if part.entries:
                todo.pop()
            part = "map["
        parts.append(part)
        length += len(part)
    return Raw("".join(parts), tuple(starts), tuple(scalars))


def plain_items(value: Value) -> tuple[Item, ...] | None:
    """The items of a list of plain texts, which reach the fleet as they are; None for anything else.

    What `parse_list` gives, without the way through the raw text: nearly every list is such a one.
    """
    if type(value) is not Sequence:
        return None
    items: list[Item] = []
    for item in value.items:
        if type(item) is not Scalar:
            return None
        text = item.value
        if type(text) is not str or text != item.source or not _is_plain(text):
            return None
        items.append(tuple.__new__(Item, (text, item.span)))
    return tuple(items)


def _is_plain(text: str) -> bool:
    """Whether a text in a list stays whole: no white space, commas or quotes, nor brackets that might look like JSON."""
    return bool(text) and "," not in text and '"' not in text and "'" not in text and text.split() == [text]


def parse_list(raw: Raw, note_lines: list[str] | None = None) -> tuple[Item, ...]:
    """The items a fleet makes of a raw text, each with the place of the text it comes from.

    `note_lines` are the note's lines, by which an item inside a longer scalar is placed; without them it gets the
    scalar's place.
    """
    text = trim(raw.text)
    if not text:
        return ()
    if text[0] == "[" and (listed := _json_list(text)) is not None:
        return _place_json(raw, listed, note_lines)
    begin = len(raw.text) - len(raw.text.lstrip(SPACE))
    end = begin + len(text)
    begin += text[0] == "["
    end -= text[-1] == "]" and end > begin
    found: list[tuple[str, int]] = []
    for match in _words().finditer(raw.text, begin, end):
        word = match[0]
        item = word.strip("\"'")
        if item:
            found.append((item, match.start() + (0 if item is word else word.index(item))))
    return _placed(raw, found, note_lines)


def _json_list(text: str) -> list[str] | None:
    """The items when the text is a JSON list of strings."""
    if text[-1] != "]" or text[1:].lstrip()[:1] not in ('"', "]"):
        return None
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        return None
    # Half a surrogate pair is U+FFFD to the server.
    return [
        item if item.isascii() else item.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for item in value
    ]


def _place_json(raw: Raw, items: list[str], note_lines: list[str] | None) -> tuple[Item, ...]:
    found: list[tuple[str, int]] = []
    at = 1
    for item in items:
        # An item with escapes in it is not found.
        begin = raw.text.find(item, at) if item else at
        found.append((item, begin if begin >= 0 else len(raw.text) - 1))
        # Looked for once in vain is enough: a list of many such items would be gone through again and again.
        at = begin + len(item) if begin >= 0 else len(raw.text)
    return _placed(raw, found, note_lines)


def _placed(raw: Raw, found: list[tuple[str, int]], note_lines: list[str] | None) -> tuple[Item, ...]:
    if not found:
        return ()
    starts, scalars = raw.starts, raw.scalars
    items: list[Item] = []
    searched: dict[int, int] = {}
    for text, at in found:
        index = bisect_right(starts, at) - 1
        if index < 0:
            items.append(Item(text, scalars[0].span if scalars else Span(1, 1, 1, 2)))
            continue
        scalar = scalars[index]
        if scalar.source == text or note_lines is None:
            items.append(Item(text, scalar.span))
            continue
        span, searched[index] = _inside(scalar, text, note_lines, searched.get(index, 0))
        items.append(Item(text, span))
    return tuple(items)


def _inside(scalar: Scalar, text: str, note_lines: list[str], searched: int) -> tuple[Span, int]:
    """Where a piece of a scalar stands, looked for behind the pieces before it; the scalar's place if not found."""
    span = scalar.span
    if span.line == span.end_line and span.line <= len(note_lines):
        source = note_lines[span.line - 1]
        begin = source.find(text, max(searched, span.column - 1), span.end_column - 1)
        if begin >= 0:
            end = begin + len(text)
            return Span(span.line, begin + 1, span.line, end + 1), end
    return span, span.end_column


def _scalar(scalar: Scalar) -> str:
    value = scalar.value
    if type(value) is str:
        return value
    if value is None:
        return "<nil>"
    if type(value) is bool:
        return "true" if value else "false"
    return str(value) if type(value) is int else _float(float(value))


def _float(value: float) -> str:
    """The shortest digits that give the number, with an exponent from 1e-05 down and from 1e+06 up, as `%v` prints it."""
    if value != value:
        return "NaN"
    if value in (float("inf"), float("-inf")):
        return "+Inf" if value > 0 else "-Inf"
    sign, digits, exponent = _digits(value)
    point = len(digits) + exponent  # digits before the decimal point
    if not -4 < point <= 6:
        mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{sign}{mantissa}e{'-' if point < 1 else '+'}{abs(point - 1):02d}"
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    if exponent >= 0:
        return f"{sign}{digits}{'0' * exponent}"
    return f"{sign}{digits[:point]}.{digits[point:]}"


def _digits(value: float) -> tuple[str, str, int]:
    mantissa, _, exponent = repr(value).partition("e")
    sign = "-" if mantissa.startswith("-") else ""
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    digits = (whole + fraction).lstrip("0")
    shift = int(exponent or 0) - len(fraction)
    shorter = digits.rstrip("0")
    return sign, shorter or "0", shift + len(digits) - len(shorter) if shorter else 0


def _order(entry: tuple[Scalar, Value]) -> tuple[int, float, bytes]:
    """Go's order of keys: null, then type by type, each by value."""
    value = entry[0].value
    if value is None:
        return (0, 0, b"")
    if type(value) is str:
        return (1, 0, value.encode("utf-8", "surrogatepass"))
    if type(value) is bool:
        return (5, value, b"")
    if type(value) is int:
        return (2 if value >= 2**63 else 3, value, b"")
    return (4, float("-inf") if value != value else float(value), b"")


@cache
def _words() -> re.Pattern[str]:
    import re

    return re.compile(f"[^,{SPACE}]+")
