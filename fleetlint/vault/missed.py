"""Headers that a person meant and trip2g does not find, because they do not open on the first line."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from fleetlint.vault.frontmatter import looks_like_role
from fleetlint.vault.note import HeaderFault, Note, Span

if TYPE_CHECKING:
    import re

_FIRST = b"\xef\xbb\xbf \t\r\n<\xc2\xe2\xff\xfe%"
"""The bytes with which such a note can begin."""

BEGINNINGS = b"-" + _FIRST
"""The bytes with which a note can begin that has a header, or was meant to."""


def find_missed(head: bytes) -> HeaderFault | None:
    """Why a note that begins with these bytes has no header, when it holds one that looks like a role's."""
    if not head or head[0] not in _FIRST:
        return None
    if head[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return _utf16(head)
    match = _meant().match(head)
    if match is None or not looks_like_role(match["block"]):
        return None
    before, fence = match["before"], match["fence"]
    # What stands before the hyphens on their own line.
    prefix = before.rpartition(b"\n")[2].decode("utf-8", "replace")
    line = before.count(b"\n") + 1
    message, help = _reason(before, prefix, fence.decode())
    return HeaderFault("missed", message, help, Span(line, 1, line, len(prefix) + len(fence.decode()) + 1))


def missed_note(path: str, data: bytes, fault: HeaderFault) -> Note:
    """The note of such a header."""
    encoding = "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"
    text = data.decode(encoding, "replace")
    return Note(path, text, None, fault, body=text)


def _reason(before: bytes, prefix: str, fence: str) -> tuple[str, str]:
    if before.startswith(b"\xef\xbb\xbf"):
        return (
            "a byte order mark stands before the header, which has to be the very first thing",
            "save the note as UTF-8 without a byte order mark",
        )
    if b"\n" in before:
        what = "a comment" if b"<!--" in before or b"%%" in before else "a blank line"
        return f"{what} stands before the header, which has to begin on line 1", "delete what stands before the `---`"
    if strange := next((char for char in fence + prefix if char not in "- \t\r"), None):
        return (
            f"the first line holds U+{ord(strange):04X} where only hyphens may stand",
            "write the first line as `---`",
        )
    return (
        "the `---` of the header is indented by four columns or more, which makes it a code block",
        "begin the line with the hyphens",
    )


def _utf16(head: bytes) -> HeaderFault | None:
    text = head[: len(head) // 2 * 2].decode("utf-16", "replace").encode("utf-8", "replace")
    if not text.startswith(b"---") or not looks_like_role(text):
        return None
    return HeaderFault(
        "missed",
        "the note is UTF-16, in which the server finds no header",
        "save the note as UTF-8 without a byte order mark",
        Span(1, 1, 1, 4),
    )


@cache
def _meant() -> re.Pattern[bytes]:
    import re

    return re.compile(
        # Blanks, byte order mark, no-break and zero-width characters, comments of HTML and Obsidian.
        rb"(?P<before>(?>[ \t\r\n\f\v]|\xef\xbb\xbf|\xc2\xa0|\xe2\x80[\x80-\x8f\xa8\xa9\xaf]|\xe2\x81\xa0"
        rb"|(?s:<!--.*?-->)|(?s:%%.*?%%))*+)"
        # Hyphens, or the dashes that an editor made of them.
        rb"(?P<fence>(?:-|\xe2\x80[\x90-\x95])++)(?>[ \t\r\f\v]|\xc2\xa0|\xe2\x80\x8b)*+\n"
        rb"(?P<block>(?s:.*?))(?:\n[ \t]*(?:-|\xe2\x80[\x90-\x95])++[ \t\r]*+(?:\n|\Z)|\Z)"
    )
