"""Edits of a note's header: what is to change, symbolically, and the note with it, byte by byte as it was elsewhere.

A rule says what a key is to hold; how that is spelled is found here by trying: the way the note spells its neighbours
first, then plain, then quoted, and the first spelling counts from which the fleet reads just what was asked for, and
everything else of the header as before. What no spelling does is not done.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from fleetlint.globs.normal import trim
from fleetlint.roles import read_role
from fleetlint.roles.written import mangled, meant, surviving
from fleetlint.vault.frontmatter import find_block, read_note
from fleetlint.vault.note import Mapping, Scalar, Sequence, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fleetlint.roles import Role
    from fleetlint.vault.note import Note, Value


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one key of a note, in terms of what the fleet is to see.

    `add` puts `values` behind the items of the list `key`, which may be new; `remove` takes these items out of it;
    `items` makes the list just these; `text` makes the value the one text; `rename` gives the key the one name. `quote`
    quotes the values on line `key` (a number) of a header that does not parse.
    """

    path: str
    kind: Literal["add", "remove", "items", "text", "rename", "quote"]
    key: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mend:
    """Edits that remove a finding, as the rule proposes them; they count only when deriving the graph again agrees.

    `sentence` says what is done, as in "exclude `a/**` from ...". `cuts` are the edges, source and target, that stop
    being there or being live: these and no others. None is for a mend by which something that was meant takes effect,
    such as a mistyped exclude: it cuts what it cuts. `safe` is False where the rule knows of an effect that the graph does
    not show; a mend that changes what wakes whom is not safe anyhow.
    """

    edits: tuple[Edit, ...]
    sentence: str
    cuts: frozenset[tuple[str, str]] | None = frozenset()
    safe: bool = True


class Replacement(NamedTuple):
    """A stretch of a note's text, as offsets in code points and as a span, and what takes its place."""

    path: str
    start: int
    end: int
    span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A mend that was verified by deriving the graph again with it.

    `safe` says that it changes nothing of what wakes whom. `cuts` and `wakes` are the edges, source and target, that it
    cuts, and that come to be or come to life by it; `appears` are the findings it brings: information, and warnings of
    what comes to life.
    """

    mend: Mend
    safe: bool
    replacements: tuple[Replacement, ...]
    cuts: tuple[tuple[str, str], ...] = ()
    wakes: tuple[tuple[str, str], ...] = ()
    appears: tuple[str, ...] = ()


def edited(note: Note, edits: Iterable[Edit]) -> Note | None:
    """The note after these edits of it, one by one; None when one of them cannot be made without touching more."""
    found: Note | None = note
    for edit in edits:
        if found is None:
            return None
        found = _quoted(found, edit) if edit.kind == "quote" else _edited(found, edit)
    return found


def replacement(before: Note, after: Note) -> Replacement:
    """The one stretch in which two texts of a note differ."""
    old, new = before.text, after.text
    start = _shared(old, new)
    rest = min(len(old), len(new)) - start
    same = _shared(old[len(old) - rest :][::-1], new[len(new) - rest :][::-1])
    end = len(old) - same
    span = Span(*_line_and_column(old, start), *_line_and_column(old, end))
    return Replacement(before.path, start, end, span, new[start : len(new) - same])


def _shared(one: str, other: str) -> int:
    """How many characters two texts begin with alike."""
    return bisect_left(range(min(len(one), len(other))), True, key=lambda last: one[: last + 1] != other[: last + 1])


def _line_and_column(text: str, offset: int) -> tuple[int, int]:
    return text.count("\n", 0, offset) + 1, offset - (text.rfind("\n", 0, offset) + 1) + 1


def _edited(note: Note, edit: Edit) -> Note | None:
    if note.header is None or "\ufffd" in note.header_text:
        return None
    role = read_role(note)
    wanted = _wanted(role, edit)
    if wanted is None:
        return None
    field = role.fields.get(edit.key)
    seen = len(field.items) if field else 0
    if _is_as_wanted(role, role, edit, wanted):
        return note
    for text in _Header(note, note.header).spellings(edit, wanted, seen):
        again = _read(note, text)
        if again is not None and again.body == note.body and _is_as_wanted(role, read_role(again), edit, wanted):
            return again
    return None


def _read(note: Note, text: str) -> Note | None:
    data = text.encode("utf-8", "surrogatepass")
    block = find_block(data)
    return read_note(note.path, data, block) if block else None


def _wanted(role: Role, edit: Edit) -> tuple[str, ...] | None:
    """The items or the text that the fleet is to see at the key, or the key's new name; None when that can't be."""
    field = role.fields.get(edit.key)
    seen = tuple(item.text for item in field.items) if field and field.raw != "<nil>" else ()
    if edit.kind == "add":
        new = tuple(value for value in dict.fromkeys(edit.values) if value not in seen)
        return (*seen, *new)
    if edit.kind == "remove":
        left = tuple(item for item in seen if item not in edit.values)
        return left if field else None
    if edit.kind == "rename":
        return None if field is None or edit.values[0] in role.fields else edit.values
    return edit.values


def _is_as_wanted(before: Role, after: Role, edit: Edit, wanted: tuple[str, ...]) -> bool:
    old = {key: field.raw for key, field in before.fields.items()}
    new = {key: field.raw for key, field in after.fields.items()}
    if edit.kind == "rename":
        if edit.key in old:
            old[wanted[0]] = old.pop(edit.key)
        return edit.key not in new and new == old
    field = after.fields.get(edit.key)
    old.pop(edit.key, None)
    new.pop(edit.key, None)
    if field is None or old != new:
        return False
    return (trim(field.raw),) == wanted if edit.kind == "text" else tuple(item.text for item in field.items) == wanted


_ORDER = (
    *(
        "fleet_id",
        "enabled",
        "description",
        "mode",
        "cron_schedule",
        "trigger_on",
        "trigger_include",
        "trigger_exclude",
    ),
    *("read_patterns", "attach_notes", "write_patterns", "for_each", "concurrency", "max_depth", "max_tokens"),
    *("max_steps", "timeout_seconds", "tools", "model"),
)
"""A new key goes behind the nearest one before it here."""


class _Header:
    """The text of a header, by places."""

    def __init__(self, note: Note, header: Mapping) -> None:
        self._text = note.text
        self._header = header
        self._starts = [0]
        for line in note.text.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def _at(self, line: int, column: int) -> int:
        return (
            min(self._starts[line - 1] + column - 1, len(self._text)) if line < len(self._starts) else len(self._text)
        )

    def _start(self, span: Span) -> int:
        return self._at(span.line, span.column)

    def _end(self, span: Span) -> int:
        return self._at(span.end_line, span.end_column)

    def _with(self, start: int, end: int, text: str) -> str:
        return self._text[:start] + text + self._text[end:]

    def spellings(self, edit: Edit, wanted: tuple[str, ...], seen: int) -> Iterator[str]:
        """The whole text with the edit, in each way that may be right, the best first.

        `seen` is how many items the fleet sees at the key now.
        """
        entry = next((entry for entry in self._header.entries if entry[0].value == edit.key), None)
        if entry is None:
            yield from self._new_key(edit, wanted)
            return
        key, value = entry
        if edit.kind == "rename":
            for spelled in _quotings(wanted[0], self._text[self._start(key.span) : self._end(key.span)][:1]):
                yield self._with(self._start(key.span), self._end(key.span), spelled)
        elif edit.kind == "text":
            yield from self._new_text(value, wanted[0])
        else:
            if edit.kind == "add" and isinstance(value, Sequence):
                yield from self._longer(value, wanted[seen:])
            if edit.kind == "remove" and isinstance(value, Sequence):
                yield from self._shorter(value, edit.values)
            if edit.kind == "items" and isinstance(value, Sequence):
                yield from self._respelled(value, wanted)
            yield from self._new_list(key, value, wanted)

    # --- A key that is not there yet ---

    def _new_key(self, edit: Edit, wanted: tuple[str, ...]) -> Iterator[str]:
        entries = [entry for entry in self._header.entries if entry[0].span.column == self._column()]
        if edit.kind not in ("add", "items", "text") or not entries or self._is_flow(self._header):
            return
        before = _ORDER[: _ORDER.index(edit.key)] if edit.key in _ORDER else ()
        known = [entry for entry in entries if entry[0].value in before]
        last = (
            max(known, key=lambda entry: before.index(str(entry[0].value)))
            if known
            else max(entries, key=lambda entry: entry[0].span)
        )
        start = self._line_end(self._last_line(last))
        indent = " " * (self._column() - 1)
        if edit.kind == "text":
            for spelled in _quotings(wanted[0], ""):
                yield self._new_line(start, f"{indent}{edit.key}: {spelled}")
            return
        dash = self._dash(last[1].items[-1]) if isinstance(last[1], Sequence) and last[1].items else None
        for style in (self._style(), "", "'", '"'):
            items = [_spelled(item, style) for item in wanted]
            if dash is not None:
                yield self._new_line(start, f"{indent}{edit.key}:", *(dash + item for item in items))
            else:
                yield self._new_line(start, f"{indent}{edit.key}: [{', '.join(items)}]")
        yield self._new_line(start, indent + surviving(edit.key, wanted))

    def _column(self) -> int:
        return self._header.entries[0][0].span.column if self._header.entries else 1

    def _style(self) -> str:
        """The quote that the lists of the header use, none for plain."""
        for _, value in self._header.entries:
            if isinstance(value, Sequence) and value.items and isinstance(value.items[0], Scalar):
                sign = self._text[self._start(value.items[0].span)]
                if sign in ("'", '"'):
                    return sign
        return ""

    def _is_flow(self, value: Mapping | Sequence) -> bool:
        """Whether all of a collection stands between brackets, behind its tag or anchor; or is an alias of one elsewhere."""
        import re

        behind = re.compile(r"(?:[&!]\S*\s+)*").match(self._text, self._start(value.span))
        at = behind.end() if behind else 0
        return self._text[at : at + 1] in ("[", "{", "*")

    def _last_line(self, entry: tuple[Scalar, Value]) -> int:
        """The line on which the value of a key ends."""
        value: Value | None = entry[1]
        last = entry[0].span.end_line
        while value is not None:
            span = value.span
            if isinstance(value, Scalar) or self._is_flow(value):
                # A text in block style ends where the next line begins.
                return max(last, span.end_line - (span.end_column == 1 and span.end_line > span.line))
            last = max(last, span.line)
            if isinstance(value, Sequence):
                value = value.items[-1] if value.items else None
            else:
                value = value.entries[-1][1] if value.entries else None
        return last

    def _line_end(self, line: int) -> int:
        """Where a line ends, before its line break."""
        end = self._starts[line] - 1 if line < len(self._starts) else len(self._text)
        end = min(end, len(self._text))
        return end - 1 if self._text[end - 1 : end] == "\r" else end

    def _break(self, at: int) -> str:
        """The line break at a line's end; that of the first line where the text ends without one."""
        if at >= len(self._text):
            at = self._line_end(1)
        return "\r\n" if self._text[at : at + 2] == "\r\n" else "\n"

    def _new_line(self, at: int, *lines: str) -> str:
        """The text with lines behind the one that ends there."""
        return self._with(at, at, "".join(self._break(at) + line for line in lines))

    # --- A list that gets longer or shorter ---

    def _longer(self, value: Sequence, new: tuple[str, ...]) -> Iterator[str]:
        if not new or self._text[self._start(value.span)] == "*":
            return
        last = value.items[-1] if value.items else None
        sign = self._text[self._start(last.span)] if last else self._style()
        for style in dict.fromkeys((sign if sign in ("'", '"') else "", "'", '"')):
            items = [_spelled(item, style) for item in new]
            if last is None:
                at = self._end(value.span) - 1
                yield self._with(at, at, ", ".join(items))
            elif self._is_flow(value):
                at = self._end(last.span)
                prefix = self._text[self._starts[last.span.line - 1] : self._start(last.span)]
                own_line = (
                    last.span.line == last.span.end_line and not prefix.strip() and last.span.line > value.span.line
                )
                joint = "," + self._break(self._line_end(last.span.line)) + prefix if own_line else ", "
                yield self._with(at, at, "".join(joint + item for item in items))
            elif (dash := self._dash(last)) is not None:
                at = self._line_end(self._last_line((_NOWHERE, last)))
                yield self._new_line(at, *(dash + item for item in items))

    def _shorter(self, value: Sequence, gone: tuple[str, ...]) -> Iterator[str]:
        """Without the items whose texts these are, one at a time; what stands between them goes with the later one."""
        at = [index for index, item in enumerate(value.items) if isinstance(item, Scalar) and item.source in gone]
        if len(at) != 1 or len(value.items) < 2:
            return
        item = value.items[at[0]]
        if self._is_flow(value):
            if at[0]:
                start, end = self._end(value.items[at[0] - 1].span), self._end(item.span)
            else:
                start, end = self._start(item.span), self._start(value.items[1].span)
            if "#" not in self._text[start:end].replace(self._text[self._start(item.span) : self._end(item.span)], ""):
                yield self._with(start, end, "")
        elif self._dash(item) is not None and item.span.line == item.span.end_line:
            start, end = self._starts[item.span.line - 1], min(self._starts[item.span.line], len(self._text))
            if not self._text[self._end(item.span) : end].strip():
                yield self._with(start, end, "")

    def _respelled(self, value: Sequence, wanted: tuple[str, ...]) -> Iterator[str]:
        """With another text in the place of the one item that differs."""
        pairs = list(zip(value.items, wanted, strict=False))
        others = [(item, new) for item, new in pairs if not isinstance(item, Scalar) or item.value != new]
        if len(value.items) == len(wanted) and len(others) == 1:
            yield from self._new_text(*others[0])

    def _dash(self, item: Value) -> str | None:
        """What stands before an entry of a block list on its line, when that is its dash alone."""
        prefix = self._text[self._starts[item.span.line - 1] : self._start(item.span)]
        return prefix if prefix.strip() == "-" else None

    # --- A value that is written anew ---

    def _new_text(self, value: Value, text: str) -> Iterator[str]:
        if not isinstance(value, Scalar):
            return
        start, end = self._start(value.span), self._end(value.span)
        sign = self._text[start : start + 1]
        if sign in ("|", ">"):
            return
        blank = " " if start == end and self._text[start - 1 : start] == ":" else ""
        for spelled in _quotings(text, sign if value.quoted else ""):
            yield self._with(start, end, blank + spelled)

    def _new_list(self, key: Scalar, value: Value, wanted: tuple[str, ...]) -> Iterator[str]:
        """The list in the place of the whole value, where no comment stands in it."""
        start, end = self._start(value.span), self._end(value.span)
        if isinstance(value, Scalar) and self._text[start : start + 1] in ("|", ">"):
            return
        if isinstance(value, Sequence) and not self._is_flow(value) and value.items:
            colon = self._text.find(":", self._end(key.span))
            start, end = colon + 1, self._end(value.items[-1].span)
        stretch = self._text[start:end]
        for item in value.items if isinstance(value, Sequence) else ():
            stretch = stretch.replace(self._text[self._start(item.span) : self._end(item.span)], "")
        if "#" in stretch and not isinstance(value, Scalar):
            return
        blank = " " if self._text[start - 1 : start] == ":" else ""
        json_list = surviving("", wanted).removeprefix(": ")
        was_json = isinstance(value, Scalar) and value.source.lstrip().startswith('["')
        styles = dict.fromkeys((self._style(), "", "'", '"'))
        lists = [f"[{', '.join(_spelled(item, style) for item in wanted)}]" for style in styles]
        for spelled in (json_list, *lists) if was_json else (*lists, json_list):
            yield self._with(start, end, blank + spelled)


_NOWHERE = Scalar("", "", False, Span(1, 1, 1, 1))


def _spelled(text: str, style: str) -> str:
    if style == "'":
        return "'" + text.replace("'", "''") + "'"
    if style == '"':
        import json

        return json.dumps(text, ensure_ascii=False)
    return text


def _quotings(text: str, first: str) -> Iterator[str]:
    """The text in each of the ways to spell it, the given quote first."""
    for style in dict.fromkeys((first if first in ("'", '"') else "", "", "'", '"')):
        if text or style:
            yield _spelled(text, style)


# --- A header that does not parse ---


def _quoted(note: Note, edit: Edit) -> Note | None:
    """The note with quotes around what YAML misreads on a line; None when its header does not parse even so."""
    from fleetlint.vault.note import HeaderFault

    lines = note.text.split("\n")
    number = int(edit.key)
    if not isinstance(note.fault, HeaderFault) or note.fault.kind != "broken" or not 1 < number <= len(lines):
        return None
    for line in _with_quotes(lines[number - 1]):
        again = _read(note, "\n".join((*lines[: number - 1], line, *lines[number:])))
        if again is None or again.body != note.body:
            continue
        if again.header is not None:
            return _with_meant_lists(again)
        # Another line with the same fault may follow.
        if again.fault and again.fault.kind == "broken" and again.fault.span.line > number:
            rest = _quoted(again, Edit(edit.path, "quote", str(again.fault.span.line)))
            if rest is not None:
                return rest
    return None


def _with_meant_lists(note: Note) -> Note | None:
    """The note with each list that reaches the fleet mangled, now that it can be read at all, as it was meant."""
    found: Note | None = note
    role = read_role(note)
    for key, globs in role.globs():
        if found is not None and globs and mangled(role.fields[key]) and (items := meant(role.fields[key])) is not None:
            found = _edited(found, Edit(note.path, "items", key, items))
    return found


def _with_quotes(line: str) -> Iterator[str]:
    """The line with quotes around its value, or around the entries of its flow list that need them."""
    import re

    match = re.match(r"(\s*(?:- +)*(?:[\w.-]+:[ \t]+)?)(.*?)(\s*)$", line, re.DOTALL)
    if match is None or not match[2] or match[2][0] in "\"'|>":
        return
    if any(match[2].count(opening) != match[2].count(closing) for opening, closing in ("[]", "{}")):
        return
    before, value, after = match.groups()
    if value[0] == "[" and value[-1] == "]":
        entries = _entries(value[1:-1])
        for style in ('"', "'"):
            yield before + "[" + ", ".join(_as_needed(entry, style) for entry in entries) + "]" + after
        return
    comment = re.search(r"[ \t]+#.*$", value)
    text, rest = (value[: comment.start()], comment[0]) if comment else (value, "")
    yield before + _spelled(text, '"' if "\\" not in text else "'") + rest + after


def _entries(text: str) -> list[str]:
    """The entries of a flow list, cut at the commas outside of braces and quotes."""
    found, depth, quote, begin = [], 0, "", 0
    for at, char in enumerate(text):
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'":
            quote = char
        elif char in "{[":
            depth += 1
        elif char in "}]":
            depth -= 1
        elif char == "," and depth <= 0:
            found.append(text[begin:at].strip())
            begin = at + 1
    return [entry for entry in (*found, text[begin:].strip()) if entry]


def _as_needed(entry: str, style: str) -> str:
    """The entry in quotes when something in it means something to YAML."""
    if entry[0] in "\"'" or not any(char in entry for char in "*&!%@`{}[]#?|>:,"):
        return entry
    return _spelled(entry, style if "\\" not in entry else "'")
