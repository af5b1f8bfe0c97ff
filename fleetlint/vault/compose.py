"""YAML text to values with places, as the server's parser and decoder make them.

libyaml's events are read, never its node trees: events need no recursion, so no nesting can end the process, and what
the server does otherwise than PyYAML (anchors given twice, merges that overwrite, keys by type) is done here.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, Any

import yaml
from yaml._yaml import CParser

from fleetlint.vault.note import Mapping, Scalar, Sequence, Span, Value
from fleetlint.vault.resolve import CORE, MEANINGFUL, BadTag, resolve, resolve_tagged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MAX_DEPTH = 10_000
"""Collections in collections; the server gives up beyond."""

_QUOTES = ("'", '"')


MAX_DEEP = 64 * 1024
"""Characters of a block that is read although libyaml finds it nested too deeply."""


class Broken(ValueError):  # noqa: N818 - named like BadPattern
    """The server gets no metadata: one sentence, the mend when it is known, and the place in the file."""

    def __init__(self, message: str, span: Span, help: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.span = span
        self.help = help


class Composed:
    """The value of a block, None for an empty one, with what the remarks are made of.

    `end_mark` is where the document ends, when that is before the end of the block; `tags` are explicit tags outside YAML's core,
    `repeated` the keys of the top level that come again below.
    """

    __slots__ = ("end_mark", "repeated", "tags", "value")

    def __init__(self) -> None:
        self.value: Value | None = None
        self.end_mark: Span | None = None
        self.tags: list[tuple[str, Scalar]] = []
        self.repeated: list[Scalar] = []


class Places:
    """Turns libyaml's marks into spans of the file. `first_line` is the file's line on which the block begins."""

    __slots__ = ("_starts", "_text", "first_line", "is_direct", "span")

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self.first_line = first_line
        self._starts: list[int] | None = None
        # libyaml also ends lines at a lone CR, NEL, LS and PS, and skips a byte order mark without counting it.
        plain = ("\r" not in text or text.count("\r") == text.count("\r\n")) and (
            text.isascii() or not any(odd in text for odd in "\x85\u2028\u2029\ufeff")
        )
        self.is_direct = plain
        self.span: Callable[[Any, Any], Span] = self._direct if plain else self._counted

    def _direct(self, start: Any, end: Any) -> Span:
        line = self.first_line
        return Span(start.line + line, start.column + 1, end.line + line, end.column + 1)

    def _counted(self, start: Any, end: Any) -> Span:
        skipped = self._text.startswith("\ufeff")
        return Span(*self.at(start.index + skipped), *self.at(end.index + skipped))

    def at(self, index: int) -> tuple[int, int]:
        """Line and column in the file of a character of the block."""
        if self._starts is None:
            self._starts = [0, *(at + 1 for at, char in enumerate(self._text) if char == "\n")]
        line = bisect_right(self._starts, index) - 1
        return self.first_line + line, index - self._starts[line] + 1


class _Open:
    """A collection whose end has not come. `key` is a mapping's key that waits for its value."""

    __slots__ = ("anchor", "entries", "is_flow", "is_mapping", "items", "key", "merge", "start")

    def __init__(self, event: Any, *, is_mapping: bool) -> None:
        self.start = event.start_mark
        self.anchor: str | None = event.anchor
        self.is_mapping = is_mapping
        self.is_flow: bool = event.flow_style
        self.items: list[Value] = []
        self.entries: dict[object, tuple[Scalar, Value]] = {}
        self.key: Scalar | None = None
        self.merge = False


def compose(data: bytes, text: str, first_line: int) -> Composed:
    """The value of the block's first document; what follows that is not read, as the server does not.

    `data` are the block's bytes, `text` the same decoded. Raises Broken, yaml.YAMLError.
    """
    places = Places(text, first_line)
    back: dict[int, str] = {}
    if b":," in data or b":[" in data or b":]" in data or b":{" in data or b":}" in data or b"!" in data:
        from fleetlint.vault.older import respelled

        if other := respelled(text):
            text, back = other
            # Bytes that are not UTF-8 end the reading in either form.
            data = text.encode() if data.isascii() or "\ufffd" not in text else data
    try:
        return _Composer(CParser(data).get_event, places, text, back).run()
    except yaml.YAMLError as error:
        if "nesting depth" not in str(error) or len(text) > MAX_DEEP:
            raise
        # Newer libyaml gives up earlier than the server. Rare enough for the slow parser.
        from fleetlint.vault.deep import events

        return _Composer(events(text), places, text, back).run()


class _Composer:
    def __init__(self, get_event: Callable[[], Any], places: Places, text: str, back: dict[int, str]) -> None:
        self._get_event = get_event
        self._text = text
        self._back = back
        # Most headers hold none of these, and then no anchor, alias, tag or escape has to be looked for.
        self._is_plain = not back and not any(sign in text for sign in ("&", "!", "?", "\\/"))
        self._places = places
        self._span = places.span
        self._stack: list[_Open] = []
        self._anchors: dict[str, Value | _Open] = {}
        self._result = Composed()
        # One entry a node in the order of the text, for the count of what aliases repeat: None, or the stretch of
        # this list that an alias repeats.
        self._log: list[tuple[int, int, Span] | None] = []
        self._logged: dict[str, tuple[int, int]] = {}
        self._has_alias = False

    def run(self) -> Composed:
        get_event = self._get_event
        make_span = self._span
        is_direct = self._places.is_direct
        first_line = self._places.first_line
        is_plain = self._is_plain
        stack = self._stack
        new = tuple.__new__
        while True:
            event = get_event()
            kind = type(event)
            if kind is yaml.ScalarEvent:
                start, end = event.start_mark, event.end_mark
                if is_direct:
                    place = (start.line + first_line, start.column + 1, end.line + first_line, end.column + 1)
                    span = new(Span, place)
                else:
                    span = make_span(start, end)
                text = event.value
                if not is_plain:
                    self._scalar(event, span)
                    continue
                if event.implicit[0]:
                    value = text if text and text[0] not in MEANINGFUL else resolve(text)
                    scalar = new(Scalar, (value, text, False, span))
                else:
                    value = text
                    scalar = new(Scalar, (text, text, event.style in _QUOTES, span))
                if not stack:
                    self._result.value = scalar
                    continue
                opened = stack[-1]
                if not opened.is_mapping:
                    opened.items.append(scalar)
                elif opened.key is None or opened.merge:
                    self._place(scalar, is_merge=text == "<<" and event.implicit[0])
                else:
                    key = opened.key
                    entries = opened.entries
                    identity = key.value if type(key.value) is str else _identity(key)
                    if identity in entries:
                        self._add(scalar)
                    else:
                        entries[identity] = (key, scalar)
                        opened.key = None
            elif kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
                self._open(_Open(event, is_mapping=kind is yaml.MappingStartEvent), event)
            elif kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
                self._close(stack.pop(), event.end_mark)
            elif kind is yaml.AliasEvent:
                self._alias(event)
            elif kind is yaml.DocumentStartEvent:
                # The directive is read by newer libyaml and refused by the server.
                if event.version is not None and event.version != (1, 1):
                    version = ".".join(map(str, event.version))
                    raise Broken(
                        f"the server's parser reads YAML 1.1 and refuses `%YAML {version}`",
                        make_span(event.start_mark, event.start_mark),
                        "leave the line out",
                    )
            elif kind is yaml.DocumentEndEvent:
                if event.start_mark.index < len(self._text):
                    self._result.end_mark = make_span(event.start_mark, event.end_mark)
                break
            elif kind is yaml.StreamEndEvent:
                break
        if self._has_alias:
            _count_aliases(self._log)
        return self._result

    def _scalar(self, event: Any, span: Span) -> None:
        """A scalar of a header in which anything may be."""
        text = event.value.translate(self._back)
        tag = event.tag and event.tag.translate(self._back)
        quoted = event.style in _QUOTES
        self._refuse(event, span)
        if tag is None or tag == "!":
            scalar = Scalar(resolve(text) if tag is None and event.implicit[0] else text, text, quoted, span)
        else:
            try:
                scalar = Scalar(resolve_tagged(tag, text), text, quoted, span)
            except BadTag as error:
                raise Broken(str(error), span, "leave the tag out") from None
            if not tag.startswith(CORE):
                self._result.tags.append((tag, scalar))
        self._log.append(None)
        if event.anchor is not None:
            self._anchors[event.anchor] = scalar
            self._logged[event.anchor] = (len(self._log) - 1, len(self._log))
        implicit = tag is None and event.implicit[0]
        self._place(scalar, is_merge=text == "<<" and (implicit or tag in ("!", CORE + "merge")))

    def _place(self, scalar: Scalar, *, is_merge: bool) -> None:
        """Put a scalar where it belongs, as a key or as a value."""
        opened = self._stack[-1] if self._stack else None
        if opened is None or not opened.is_mapping or opened.key is not None or opened.merge:
            self._add(scalar)
        elif is_merge:
            opened.merge = True
            if self._log:
                self._log[-1] = (0, 0, scalar.span)  # the key of a merge is not decoded
        else:
            opened.key = self._top_key(scalar) if len(self._stack) == 1 else scalar

    def _open(self, opened: _Open, event: Any) -> None:
        self._log.append(None)
        if opened.anchor is not None:
            self._anchors[opened.anchor] = opened
            self._logged[opened.anchor] = (len(self._log) - 1, 0)
        if len(self._stack) >= MAX_DEPTH:
            where = self._span(event.start_mark, event.end_mark)
            raise Broken(f"collections are nested more than {MAX_DEPTH:,} deep", where, "nest less deeply")
        self._stack.append(opened)

    def _refuse(self, event: Any, span: Span) -> None:
        """What libyaml takes and the server does not."""
        if event.style == '"':
            source = self._text[event.start_mark.index : event.end_mark.index]
            if "\\/" in source and "\\/" in source.replace("\\\\", ""):
                raise Broken(
                    "in double quotes `\\/` is an escape that the server's parser does not know",
                    span,
                    "write `/` without the backslash",
                )
            return
        if event.style in (None, "") and self._stack and self._stack[-1].is_flow:
            opened = self._stack[-1]
            lone = opened.is_mapping and not opened.entries and opened.key is None and not event.value
            if "?" in event.value or (lone and self._text[opened.start.index : opened.start.index + 1] == "?"):
                raise Broken(
                    "`?` without quotes begins a key inside `[...]` and `{...}`", span, "put the entry in quotes"
                )

    def _top_key(self, key: Scalar) -> Scalar:
        """Keys of the top level are texts, whatever they look like; null is the empty text."""
        if type(key.value) is str:
            return key
        return Scalar("" if key.value is None else key.source, key.source, key.quoted, key.span)

    def _close(self, opened: _Open, end: Any) -> None:
        span = self._span(opened.start, end)
        value: Value
        if opened.is_mapping:
            value = Mapping(tuple(opened.entries.values()), span)
        else:
            value = Sequence(tuple(opened.items), span)
        if opened.anchor is not None and self._anchors.get(opened.anchor) is opened:
            self._anchors[opened.anchor] = value
            self._logged[opened.anchor] = (self._logged[opened.anchor][0], len(self._log))
        self._add(value)

    def _alias(self, event: Any) -> None:
        span = self._span(event.start_mark, event.end_mark)
        name = event.anchor
        if name not in self._anchors:
            raise Broken(f"`*{name}` stands for an anchor `&{name}`, and there is none", span, _QUOTE)
        value = self._anchors[name]
        if isinstance(value, _Open):
            raise Broken(f"`*{name}` stands inside the value that it repeats", span, _QUOTE)
        self._has_alias = True
        self._log.append((*self._logged[name], span))
        if isinstance(value, Scalar):
            self._place(Scalar(value.value, value.source, value.quoted, span), is_merge=False)
            return
        if isinstance(value, Sequence):
            if self._stack and self._stack[-1].merge:
                raise Broken("`<<` takes in mappings, and this is none", span, "give it a mapping")
            self._add(Sequence(value.items, span))
        else:
            self._add(Mapping(value.entries, span))

    def _add(self, value: Value) -> None:
        """Put a finished value where it belongs."""
        if not self._stack:
            self._result.value = value
            return
        opened = self._stack[-1]
        if not opened.is_mapping:
            opened.items.append(value)
        elif opened.merge:
            for mapping in _merged(value):
                for key, entry in mapping.entries:
                    self._put(opened, self._top_key(key) if len(self._stack) == 1 else key, entry)
            opened.merge = False
        elif opened.key is None:
            raise Broken("a list or mapping cannot be a key", value.span, _QUOTE)
        else:
            if len(self._stack) == 1 and (earlier := opened.entries.get(_identity(opened.key))):
                self._result.repeated.append(earlier[0])
            self._put(opened, opened.key, value)
            opened.key = None

    def _put(self, opened: _Open, key: Scalar, value: Value) -> None:
        identity = _identity(key)
        opened.entries.pop(identity, None)
        opened.entries[identity] = (key, value)


_QUOTE = "put the value in quotes if it is meant as text"


def _merged(value: Value) -> Iterator[Mapping]:
    """The mappings that a merge key takes in, in the order in which the server writes them: the first one wins."""
    mappings = reversed(value.items) if isinstance(value, Sequence) else (value,)
    for mapping in mappings:
        if not isinstance(mapping, Mapping):
            raise Broken("`<<` takes in mappings, and this is none", mapping.span, "give it a mapping")
        yield mapping


def _identity(key: Scalar) -> object:
    """What makes two keys one: type and value, as Go compares them. NaN is like no other key."""
    value = key.value
    if type(value) is str:
        return value
    if type(value) is float and value != value:
        return object()
    return (type(value), value)


def _count_aliases(log: list[tuple[int, int, Span] | None]) -> None:
    """Refuse what the server refuses as "excessive aliasing", by its own count of decoded nodes.

    It counts every node it decodes and those it decodes inside an alias. More than 100 of the latter and 1,000 in
    all are refused when their share is above 99 % (from 400,000 on the share falls, to 10 % at 4,000,000).
    """
    decoded, repeated = 1, 0
    stack: list[tuple[int, int, Span]] = []
    whole = Span(1, 1, 1, 1)
    at, end, cause = 0, len(log), whole
    while True:
        if at == end:
            if not stack:
                return
            at, end, cause = stack.pop()
            continue
        entry = log[at]
        at += 1
        if entry is not None and entry[0] == entry[1]:
            continue
        decoded += 1
        repeated += bool(stack)
        if repeated > 100 and decoded > 1000:
            share = 0.99 - 0.89 * max(0.0, min(1.0, (decoded - 400_000) / 3_600_000))
            if repeated / decoded > share:
                raise Broken(
                    "aliases repeat so much that the server refuses the header (excessive aliasing)",
                    cause,
                    "write the values out, or repeat less",
                )
        if entry is not None:
            stack.append((at, end, cause))
            at, end, cause = entry[0], entry[1], entry[2] if cause is whole else cause
