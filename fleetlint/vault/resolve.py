"""What the server's YAML parser makes of one scalar.

The facts are those of yaml.v2 2.4, obtained by running it (`tests/oracle`). It reads YAML 1.1 with its own mind: no numbers
to base 60, dates stay text, integers as Go reads literals, and what looks like a number and is none is text.
"""

from __future__ import annotations

import re

CORE = "tag:yaml.org,2002:"
_WORDS: dict[str, bool | float | None] = {
    **dict.fromkeys(("y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"), True),
    **dict.fromkeys(("n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"), False),
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
}
# Texts, which `re` compiles when they are first used and keeps: a small vault has numbers, and hardly anything else.
_INTEGER = (
    "[-+]?(?:(?P<hex>0[xX][0-9a-fA-F]+)|(?P<octal>0[oO][0-7]+)|(?P<binary>0[bB][01]+)|(?P<zero>0[0-7]*)"
    "|(?P<decimal>[1-9][0-9]*))"
)
_FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
_POINT = r"\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?"
_SIGNED = "0b([-+][01]+)"
_TIMESTAMP = (
    # A time behind `T` needs a zone; one behind a space has none.
    r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:(?:[Tt](?=.*(?:Z|[-+][0-9]{2}:[0-9]{2})$)| (?=[0-9:.,]*$))"
    r"([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.,][0-9]+)?(?:Z|[-+][0-9]{2}:[0-9]{2})?)?"
)
MEANINGFUL = frozenset("+-.0123456789yYnNtTfFoO~")
"""A text with another first character is nothing but text."""


class BadTag(ValueError):  # noqa: N818 - named like BadPattern
    """A text that is not what its tag says; the server then loses the whole header."""


def resolve(text: str) -> str | bool | int | float | None:
    """The value of a plain scalar without a tag."""
    if text and text[0] not in MEANINGFUL:
        return text
    if text in _WORDS:
        return _WORDS[text]
    if text[0] == ".":
        return _float(text, text) if re.fullmatch(_POINT, text) else text
    if text[0] in "+-0123456789":
        return _number(text)
    return text


def resolve_tagged(tag: str, text: str) -> str | bool | int | float | None:
    """The value of a scalar with an explicit tag, in its long form. Raises BadTag.

    A tag that is not of YAML's core leaves the text as it is: nothing is ever constructed.
    """
    if not tag.startswith(CORE):
        return text
    kind = tag.removeprefix(CORE)
    if kind == "binary":
        return _binary(text)
    if kind == "str" or kind not in ("bool", "int", "float", "null", "timestamp"):
        return text
    value = resolve(text)
    if kind == "timestamp":
        if not _is_timestamp(text):
            raise BadTag(f"`{text}` is no date, as its tag `!!timestamp` says")
        return text
    if kind == "float" and type(value) is int and value < 2**63:
        return float(value)
    found = {bool: "bool", int: "int", float: "float", type(None): "null"}.get(type(value))
    if found != kind:
        raise BadTag(f"`{text}` is not what its tag `!!{kind}` says")
    return value


def _number(text: str) -> str | int | float:
    """What begins with a sign or a digit. Underscores count for nothing, wherever they stand."""
    plain = text.replace("_", "")
    if match := re.fullmatch(_INTEGER, plain):
        value = _integer(plain, match.lastgroup or "")
        unsigned = plain[0] not in "+-"
        if value is not None and (-(2**63) <= value < 2**63 or (unsigned and value < 2**64)):
            return value
    if re.fullmatch(_FLOAT, plain):
        return _float(plain, text)
    if match := re.fullmatch(_SIGNED, plain):
        value = int(match[1], 2)
        if -(2**63) <= value < 2**63:
            return value
    return text


def _integer(text: str, base: str) -> int | None:
    """The integer; None when it has so many digits that Python would not count them."""
    bases = {"hex": 16, "octal": 8, "binary": 2, "zero": 8}
    if base in bases:
        return int(text, 8) if base == "zero" else int(text, bases[base])
    return int(text) if len(text) < 40 else None


def _float(digits: str, text: str) -> str | float:
    value = float(digits)
    return text if value in (float("inf"), float("-inf")) else value


def _binary(text: str) -> str:
    """The decoded bytes; what is not UTF-8 stays as lone surrogates."""
    import base64
    import binascii

    try:
        data = base64.b64decode(text.replace("\n", "").replace("\r", "").encode(), validate=True)
    except (binascii.Error, ValueError):
        raise BadTag("the text is no base64, as its tag `!!binary` says") from None
    return data.decode("utf-8", "surrogateescape")


def _is_timestamp(text: str) -> bool:
    from datetime import datetime

    match = re.fullmatch(_TIMESTAMP, text)
    if match is None:
        return False
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups())
    try:
        datetime(year or 4, month, day, hour, minute, second)
    except ValueError:
        return False
    return True
