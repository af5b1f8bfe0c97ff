"""A pattern as the server has it before it matches anything."""

from __future__ import annotations

SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
"""White space as Go's `unicode.IsSpace` knows it; Python also counts U+001C to U+001F."""


def trim(text: str) -> str:
    return text.strip(SPACE)


def normalised(text: str) -> str:
    """A pattern as the server has it: without white space around it and without leading `/` and `./`."""
    text = trim(text)
    while True:
        if text.startswith("/"):
            text = text[1:]
        elif text.startswith("./"):
            text = text[2:]
        else:
            return text
