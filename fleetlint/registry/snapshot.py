"""A registry snapshot: the two webhook listings of a trip2g server, read from JSON text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fleetlint.registry.marker import parse_marker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fleetlint.registry.marker import Marker


@dataclass(frozen=True, slots=True)
class Webhook:
    """One webhook. What the listing does not show, as older servers and other kinds of webhooks have no such field, is None."""

    id: str
    kind: str
    """`change` or `cron`."""
    url: str
    description: str
    enabled: bool
    marker: Marker | None
    max_depth: int | None
    events: tuple[str, ...] | None
    include_patterns: tuple[str, ...] | None
    exclude_patterns: tuple[str, ...] | None
    read_patterns: tuple[str, ...] | None
    write_patterns: tuple[str, ...] | None
    attach_notes: tuple[str, ...] | None
    concurrency: str | None
    timeout_seconds: int | None
    cron_schedule: str | None


@dataclass(frozen=True, slots=True)
class Registry:
    """The webhooks by kind, description and id, whatever the order of the listing."""

    webhooks: tuple[Webhook, ...]
    source: str = ""
    """The snapshot file as findings name it."""


LISTINGS = (("changeWebhooks", "allChangeWebhooks", "change"), ("cronWebhooks", "allCronWebhooks", "cron"))
"""Of each kind: the listing in a snapshot file, the field of the server's answer, the kind."""


def parse_snapshot(text: str, source: str) -> Registry:
    """A snapshot file, or the server's raw answers to the two queries: one after the other, or in a list.

    Raises ValueError with one sentence that names the place and the mend. A snapshot without one of the two listings
    is refused: it would say of each role of that kind that it is not registered.
    """
    listings: dict[str, tuple[str, list[object]]] = {}
    for at, document in _documents(text, source):
        for key, field, kind in LISTINGS:
            found = _listing(document, at, key, field, source)
            if found is None:
                continue
            if kind in listings:
                raise ValueError(
                    f"{source}: `{found[0]}` is the second listing of {kind} webhooks; keep one of the two"
                )
            listings[kind] = found
    for key, _, kind in LISTINGS:
        if kind not in listings:
            raise ValueError(
                f"{source}: there is no listing of {kind} webhooks; add `{key}` "
                f"(an empty list when there are none) or the server's answer that lists them"
            )
    webhooks = [
        _webhook(_Node(source, f"{place}[{index}]", node), kind)
        for kind, (place, nodes) in listings.items()
        for index, node in enumerate(nodes)
    ]
    return Registry(tuple(sorted(webhooks, key=lambda hook: (hook.kind, hook.description, hook.id))), source)


def _documents(text: str, source: str) -> Iterator[tuple[str, dict[str, object]]]:
    """The objects at the top of the file, each with the JSON path that leads to it."""
    values = _values(text, source)
    one = len(values) == 1
    for number, value in enumerate(values):
        at = "" if one else f"[{number}]."
        for index, item in enumerate(value) if isinstance(value, list) else [(-1, value)]:
            place = at if index < 0 else f"{at.removesuffix('.')}[{index}]."
            if not isinstance(item, dict):
                what = f"`{place[:-1]}`" if place else "the file"
                raise ValueError(f"{source}: {what} is {_a(item)} where an object is needed; {MEND}")
            yield place, item


MEND = "write it as `fleetlint registry pull` or the server gives it"


def _values(text: str, source: str) -> list[object]:
    """The JSON values of the file, one after the other."""
    import json

    def refuse(name: str) -> object:
        raise ValueError(f"{name} is no JSON")

    decoder = json.JSONDecoder(parse_constant=refuse)
    text = text.removeprefix("\ufeff").strip(_SPACE)
    if not text:
        raise ValueError(f"{source}: the file is empty; {MEND}")
    values: list[object] = []
    at = 0
    try:
        while at < len(text):
            value, end = decoder.raw_decode(text, at)
            values.append(value)
            at = end
            while at < len(text) and text[at] in _SPACE:
                at += 1
    except json.JSONDecodeError as error:
        raise ValueError(f"{source}:{error.lineno}:{error.colno}: this is no JSON ({error.msg}); {MEND}") from None
    except RecursionError:
        raise ValueError(f"{source}: the JSON is nested too deeply to be read; {MEND}") from None
    except ValueError as error:  # NaN, Infinity, or an integer of thousands of digits
        raise ValueError(f"{source}: the JSON holds a number that cannot be read ({error}); {MEND}") from None
    return values


_SPACE = " \t\r\n"


def _listing(
    document: dict[str, object], at: str, key: str, field: str, source: str
) -> tuple[str, list[object]] | None:
    """The nodes of one kind with the JSON path of their list; None when the document is not about them."""
    if document.get("errors"):
        raise ValueError(
            f"{source}: `{at}errors` says that the server refused{_first_error(document['errors'])}; "
            "ask again with the rights of an administrator"
        )
    if key in document:
        return _list(document[key], f"{at}{key}", source)
    if "data" not in document:
        return None
    place, value = f"{at}data", document["data"]
    for step in ("admin", field, "nodes"):
        if not isinstance(value, dict):
            raise ValueError(f"{source}: `{place}` is {_a(value)} where an object is needed; {MEND}")
        if step not in value:
            if step == field:
                return None
            raise ValueError(f"{source}: `{place}` has no `{step}`; {MEND}")
        place, value = f"{place}.{step}", value[step]
    return _list(value, place, source)


def _list(value: object, place: str, source: str) -> tuple[str, list[object]]:
    if not isinstance(value, list):
        raise ValueError(f"{source}: `{place}` is {_a(value)} where a list is needed; {MEND}")
    return place, value


def _first_error(errors: object) -> str:
    first = errors[0] if isinstance(errors, list) else errors
    message = first.get("message") if isinstance(first, dict) else first
    return f" ({' '.join(message.split())[:200]})" if isinstance(message, str) else ""


def _webhook(node: _Node, kind: str) -> Webhook:
    description = node.text("description") or ""
    events = (("create", "onCreate"), ("update", "onUpdate"), ("remove", "onRemove"))
    heard = tuple(event for event, key in events if node.flag(key, missing=False))
    return Webhook(
        id=node.id(),
        kind=kind,
        url=node.text("url") or "",
        description=description,
        enabled=node.flag("enabled", missing=True),
        marker=parse_marker(description),
        max_depth=node.number("maxDepth"),
        events=heard if kind == "change" and node.shows(key for _, key in events) else None,
        include_patterns=node.texts("includePatterns"),
        exclude_patterns=node.texts("excludePatterns"),
        read_patterns=node.texts("readPatterns"),
        write_patterns=node.texts("writePatterns"),
        attach_notes=node.texts("attachNotes"),
        concurrency=node.text("concurrencyMode"),
        timeout_seconds=node.number("timeoutSeconds"),
        cron_schedule=node.text("cronSchedule"),
    )


class _Node:
    """A webhook as it stands in the JSON. What is null counts as missing."""

    def __init__(self, source: str, place: str, value: object) -> None:
        self._source = source
        self._place = place
        if not isinstance(value, dict):
            raise self._wrong("", value, "an object")
        self._value = value
        if "description" not in value:
            raise ValueError(
                f"{source}: `{place}` has no `description`, which says whose webhook it is; ask the server for it"
            )

    def _wrong(self, key: str, value: object, needed: str) -> ValueError:
        place = f"{self._place}.{key}" if key else self._place
        return ValueError(f"{self._source}: `{place}` is {_a(value)} where {needed} is needed; {MEND}")

    def id(self) -> str:
        """The id as text; servers give a number or a text."""
        value = self._value.get("id")
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str):
            raise self._wrong("id", value, "a number or text")
        return _whole(value)

    def text(self, key: str) -> str | None:
        value = self._value.get(key)
        if value is not None and not isinstance(value, str):
            raise self._wrong(key, value, "a text")
        return None if value is None else _whole(value)

    def number(self, key: str) -> int | None:
        value = self._value.get(key)
        if value is not None and (not isinstance(value, int) or isinstance(value, bool)):
            raise self._wrong(key, value, "an integer")
        return value

    def shows(self, keys: Iterable[str]) -> bool:
        return any(self._value.get(key) is not None for key in keys)

    def flag(self, key: str, *, missing: bool) -> bool:
        value = self._value.get(key, missing)
        if value is None:
            return missing
        if not isinstance(value, bool):
            raise self._wrong(key, value, "true or false")
        return value

    def texts(self, key: str) -> tuple[str, ...] | None:
        value = self._value.get(key)
        if value is None:
            return None
        if not isinstance(value, list):
            raise self._wrong(key, value, "a list of texts")
        for index, item in enumerate(value):
            if not isinstance(item, str):
                raise self._wrong(f"{key}[{index}]", item, "a text")
        return tuple(_whole(item) for item in value)


def _whole(text: str) -> str:
    """The text with half a surrogate pair (`\\ud800` in JSON) made U+FFFD, so that every output can hold it."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _a(value: object) -> str:
    """What a JSON value is, for a message."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return "a number"
    return "a text" if isinstance(value, str) else "a list" if isinstance(value, list) else "an object"
