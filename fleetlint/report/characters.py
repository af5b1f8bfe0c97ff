"""Texts of notes as an output can hold them: file names that are not UTF-8, control characters, terminal escapes."""

from __future__ import annotations

JOINERS = "\u200c\u200d"
"""Invisible, and part of how words and emoji are written."""


def printable(text: str) -> str:
    r"""The text with whatever a terminal could obey, or a reader not see, as an escape: `\x1b`, `\u202e`, `\n`."""
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() or character in JOINERS else escaped(character) for character in text
    )


def escaped(character: str) -> str:
    r"""The escape that stands for a character; a byte of a file name that is not UTF-8 is `\x` and its digits."""
    if "\udc80" <= character <= "\udcff":
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode("ascii")


def whole(text: str) -> str:
    """The text without lone surrogates, which UTF-8 cannot hold: a stray byte of a file name is `%XX`, others U+FFFD."""
    if text.isascii() or not any("\ud800" <= character <= "\udfff" for character in text):
        return text
    return "".join(
        character
        if not "\ud800" <= character <= "\udfff"
        else f"%{ord(character) - 0xDC00:02X}"
        if "\udc80" <= character <= "\udcff"
        else "\ufffd"
        for character in text
    )


def cells(character: str) -> int:
    """How many columns of a terminal a printable character takes: 0, 1 or 2."""
    if character.isascii():
        return 1
    from unicodedata import category, east_asian_width

    if character in JOINERS or category(character) in ("Mn", "Me"):
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
