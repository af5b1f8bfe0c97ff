"""Where a fleet does not see the list that a person wrote, and how to write the list so that it does.

The server hands a list over as text, its items joined with spaces and bracketed, and the fleet takes that text apart
at spaces and commas. What an item becomes is therefore known from the item alone; only when the whole field does not
come out that way (a list in a list, a lone bracket, an empty value) is the field compared as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fleetlint.globs.normal import SPACE, trim

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fleetlint.roles.role import Field


class Mangled(NamedTuple):
    """One written entry that reaches the fleet as something else.

    `written` is the entry's text, None when the value is neither a text nor a list of texts; `seen` what the fleet makes
    of it: the items of the field from index `first` on.
    """

    written: str | None
    seen: tuple[str, ...]
    first: int

    @property
    def items(self) -> range:
        """The indices of its pieces among the field's items."""
        return range(self.first, self.first + len(self.seen))


def mangled(field: Field) -> tuple[Mangled, ...]:
    """The entries of a list field that the fleet sees otherwise than they are written.

    A text that is split at spaces and commas was meant as a list, so it is none of these unless a bracket or a brace
    is cut. An entry without any text leaves nothing and changes nothing; it is none either.
    """
    seen = tuple(item.text for item in field.items)
    written = field.written
    if written is None or field.raw == "<nil>":
        return (Mangled(None, seen, 0),) if seen else ()
    if _is_one_text(field):
        return _mangled_text(written[0], seen)
    found: list[Mangled] = []
    at = 0
    for entry in written:
        pieces = _pieces(entry)
        if pieces != seen[at : at + len(pieces)]:
            return (Mangled(", ".join(written), seen, 0),)
        if pieces and pieces != (trim(entry),):
            found.append(Mangled(entry, pieces, at))
        at += len(pieces)
    return tuple(found) if at == len(seen) else (Mangled(", ".join(written), seen, 0),)


def pieces(field: Field) -> frozenset[int]:
    """The indices of the items that no person wrote: pieces of something else."""
    return frozenset(index for entry in mangled(field) for index in entry.items)


def meant(field: Field) -> tuple[str, ...] | None:
    """The items that a person meant by a list of which entries are mangled; None where that is a guess.

    Blanks in an entry and commas inside its braces are meant. A comma outside of braces, or quotes inside of quotes, may
    be there to part two entries, and so may the blanks of a list written as one text.
    """
    if field.raw == "<nil>":
        return ()
    if field.written is None:
        return None
    texts = tuple([trim(text) for text in field.written])
    if _is_one_text(field):
        return texts if texts[0].split() == [texts[0]] and not _has_doubt(texts[0]) else None
    return None if any(_has_doubt(text) for text in texts) else texts


def _has_doubt(text: str) -> bool:
    depth = 0
    for char in text:
        depth += (char == "{") - (char == "}")
        if char == "," and depth <= 0:
            return True
    return depth != 0 or not text or not text.isprintable() or text[0] in "\"'" or text[-1] in "\"'"


def surviving(key: str, items: Sequence[str]) -> str:
    """The line of YAML from which a fleet reads exactly these items: a JSON list inside one quoted text."""
    import json

    return f"{key}: '" + json.dumps(list(items), ensure_ascii=False).replace("'", "''") + "'"


def _is_one_text(field: Field) -> bool:
    return field.written is not None and len(field.written) == 1 and field.raw == field.written[0]


def _mangled_text(text: str, seen: tuple[str, ...]) -> tuple[Mangled, ...]:
    text = trim(text)
    if _is_json_list(text):
        return ()
    inner = text[1:-1] if text[:1] == "[" and text[-1:] == "]" else text
    # A list written as one text, brackets and all, arrives as it was meant: the one pair around it is dropped.
    whole = _pieces(text if "[" in inner or "]" in inner else inner) != seen
    # A brace that is open where the text is split is cut: `wiki/{a,b}/**` becomes `wiki/{a` and `b}/**`.
    cut = any(piece.count("{") != piece.count("}") for piece in seen)
    return (Mangled(text, seen, 0),) if whole or (cut and len(seen) > 1) else ()


def _is_json_list(text: str) -> bool:
    if not text.startswith("["):
        return False
    import json

    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _pieces(entry: str) -> tuple[str, ...]:
    """What the fleet makes of one entry of a list."""
    if entry.isprintable():
        words = entry.replace(",", " ").split()
    else:
        words = entry.translate(dict.fromkeys(map(ord, SPACE + ","), " ")).split(" ")
    return tuple([piece for word in words if (piece := word.strip("\"'"))])
