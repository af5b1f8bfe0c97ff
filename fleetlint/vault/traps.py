"""Traps in headers that do parse: where the server reads something else than a person sees."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fleetlint.vault.note import HeaderRemark, Mapping, Scalar, Sequence, Span

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from fleetlint.vault.compose import Composed
    from fleetlint.vault.frontmatter import Block

_NUMBERS = ("max_depth", "max_tokens", "max_steps", "timeout_seconds")
_PATTERNS = ("trigger_include", "trigger_exclude", "read_patterns", "write_patterns", "attach_notes")


def remarks_on(
    header: Mapping, composed: Composed, header_text: str, data: bytes, block: Block
) -> tuple[HeaderRemark, ...]:
    """The traps of a header, in the order of their places."""
    remarks: list[HeaderRemark] = []
    has_comment = " #" in header_text or "\t#" in header_text
    for key, value in header.entries:
        if key.value in _NUMBERS and isinstance(value, Scalar):
            remarks.extend(_octal(key, value))
        elif has_comment and key.value in _PATTERNS:
            remarks.extend(_comments(header_text, value))
    remarks.extend(_tagged(tag, scalar) for tag, scalar in composed.tags)
    remarks.extend(
        HeaderRemark(
            f"the key `{key.source}` comes again below, and the last one wins", "delete one of the two", key.span
        )
        for key in composed.repeated
    )
    if composed.end_mark is not None:
        remarks.extend(_after_the_end(header_text, composed.end_mark))
    if not header_text.isascii() or "\r" in header_text:
        remarks.extend(_odd_line_ends(header_text))
    if block.closed:
        remarks.extend(_closed_early(data, block, header_text))
    return tuple(sorted(remarks, key=lambda remark: (remark.span, remark.message))) if remarks else ()


def _octal(key: Scalar, value: Scalar) -> Iterator[HeaderRemark]:
    plain = value.source.replace("_", "").lstrip("+-")
    if value.quoted or type(value.value) is not int or not plain.isdecimal() or len(plain) < 2 or plain[0] != "0":
        return
    if abs(value.value) != int(plain[:40]):
        yield HeaderRemark(
            f"`{value.source}` begins with a zero, which makes it octal: the server reads {value.value}",
            f"write `{key.source}: {value.value}`, or {plain.lstrip('0')} if that is meant",
            value.span,
        )


def _comments(text: str, value: object) -> Iterator[HeaderRemark]:
    """Plain patterns that a comment cuts: ` #` with something glued to it that belongs to a path."""
    lines: list[str] | None = None
    for item in value.items if isinstance(value, Sequence) else (value,):
        if not isinstance(item, Scalar) or item.quoted or not item.source:
            continue
        if lines is None:
            lines = text.split("\n")
        number = item.span.end_line - 2
        line = lines[number] if 0 <= number < len(lines) else ""
        if comment := _cut().match(line, item.span.end_column - 1):
            yield HeaderRemark(
                f"`{comment[1]}` is a comment, so the pattern is `{item.source}` alone",
                f'put the whole pattern in quotes: `"{item.source}{comment[0].rstrip()}"`',
                item.span,
            )


def _tagged(tag: str, scalar: Scalar) -> HeaderRemark:
    if scalar.source:
        message = f"`{tag}` is a YAML tag: it is dropped, and the server reads `{scalar.source}`"
    else:
        message = f"`{tag}` is a YAML tag, and the server reads an empty text"
    return HeaderRemark(message, f"put it in quotes if it is meant as text: `'{tag}'`", scalar.span)


def _after_the_end(text: str, end: Span) -> Iterator[HeaderRemark]:
    """Keys behind the end of the first document: `...`, or what begins another one."""
    rest = text.split("\n")[end.line - 2 :]
    first = rest[0][end.column - 1 :].rstrip() if rest else ""
    is_mark = end.end_column > end.column  # `...`
    rest = rest[1:] if is_mark else [first, *rest[1:]]
    if any(line.strip() and not line.lstrip().startswith("#") for line in rest):
        yield HeaderRemark(
            f"`{first[:40]}` ends the YAML here, and the server does not see what follows it",
            "delete it, or move what follows it above",
            Span(end.line, end.column, end.line, end.column + max(1, len(first))),
        )


def _odd_line_ends(text: str) -> Iterator[HeaderRemark]:
    for number, line in enumerate(text.split("\n")):
        for match in _odd_end().finditer(line):
            column = match.start() + 1
            yield HeaderRemark(
                f"U+{ord(match[1]):04X} ends a line of YAML, so `{match[2]}` behind it is a key of its own",
                "replace the character with a space, or put the text in quotes",
                Span(number + 2, column, number + 2, column + 1),
            )


def _closed_early(data: bytes, block: Block, header_text: str) -> Iterator[HeaderRemark]:
    """A line of hyphens inside a longer text closes the header; keys of a role behind it tell that it was not meant to."""
    fence = data[block.end : block.body]
    if fence[:1] not in b" \t" or data[:1] in b" ":
        return
    from fleetlint.vault.frontmatter import find_block, looks_like_role

    rest = find_block(b"-\n" + data[block.body : block.body + 65_536])
    if rest is None or not rest.closed:
        return
    lost = (b"-\n" + data[block.body : block.body + 65_536])[rest.start : rest.end]
    if not (looks_like_role(lost) or any(line.startswith(b"mode:") for line in lost.split(b"\n"))):
        return
    line = header_text.count("\n") + 2
    shown = fence.decode("utf-8", "replace").rstrip("\r\n")
    yield HeaderRemark(
        f"`{shown.strip()}` closes the header here, although it is indented: the keys below it are not seen by trip2g",
        "write the line without hyphens alone, or put it into the body",
        Span(line, 1, line, len(shown) + 1),
    )


@cache
def _cut() -> re.Pattern[str]:
    import re

    return re.compile(r"[ \t]+(#[^\s#](?:.*[/*].*|[^ ]*\.md))\r?$")


@cache
def _odd_end() -> re.Pattern[str]:
    import re

    return re.compile("([\x85\u2028\u2029]|\r(?!$))[ \\t]*([A-Za-z_][\\w-]*)[ \\t]*:(?=\\s|$)")
