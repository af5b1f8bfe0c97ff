"""Findings that may stay, for a reason: what headers and settings say of them, and which findings that takes away."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.roles.role import shown
from fleetlint.rule import Place, Suppression
from fleetlint.settings import is_day, nearest, takes
from fleetlint.vault.note import Mapping, Scalar, Span

if TYPE_CHECKING:
    from collections import abc
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from fleetlint.rule import Rule
    from fleetlint.settings import Ignore, Settings
    from fleetlint.vault.note import Note, Value

    Rules = abc.Mapping[str, Rule]

KEY = "fleetlint"
"""The key of a header under which a note tells fleetlint something; the server ignores it."""

USED, UNUSED, EXPIRED, FAULTY = "used", "unused", "expired", "faulty"

EXAMPLE = 'write `fleetlint: {ignore: {cycle: "why it may stay"}}`'


class Judged(NamedTuple):
    """The suppressions with their states, by place, and for each finding the first that silences it."""

    suppressions: tuple[Suppression, ...]
    by_finding: tuple[Suppression | None, ...]


def read_suppressions(notes: Iterable[Note], settings: Settings, rules: Rules) -> tuple[Suppression, ...]:
    """All suppressions: those of the settings, then those of the notes. `rules` are those that there are, by name.

    Where the rules of a folder have not been loaded (`settings.rules_folder`), an unknown name may be one of theirs.
    """
    found = [_of_settings(ignore, settings.file) for ignore in settings.ignore]
    for note in notes:
        if note.header is not None and KEY in note.header_text:
            found += _of_note(note)
    return tuple(_known(suppression, rules, tolerant=bool(settings.rules_folder)) for suppression in found)


def _known(suppression: Suppression, rules: Rules, *, tolerant: bool) -> Suppression:
    """The suppression; a faulty one when its rule is none that can be suppressed."""
    name = suppression.rule
    if suppression.state:
        return suppression
    if name not in rules:
        if tolerant:
            return suppression
        return suppression._replace(
            state=FAULTY, fault=f"there is no rule `{shown(name)}` to suppress", help=nearest(name, rules)
        )
    if rules[name].last:
        fault = f"`{name}` cannot be suppressed, for it speaks of suppressions"
        return suppression._replace(state=FAULTY, fault=fault, help="do what it says instead, and take this away")
    return suppression


def _of_settings(ignore: Ignore, file: str) -> Suppression:
    line = max(ignore.line, 1)
    place = Place(file, span=Span(line, 1, line, 1))
    return Suppression(ignore.rule, ignore.glob, False, ignore.reason, ignore.until, place)


def _of_note(note: Note) -> Iterator[Suppression]:
    for key, value in _entries(note.header):
        if key.value != KEY:
            continue
        faulty = _Faulty(note.path)
        if not isinstance(value, Mapping):
            yield faulty.at(key, f"`{KEY}` is no mapping, so it suppresses nothing", EXAMPLE)
        for name, inner in _entries(value):
            if name.value != "ignore":
                yield faulty.at(name, f"`{shown(name.source)}` is no key of `{KEY}`", nearest(name.source, ["ignore"]))
            elif not isinstance(inner, Mapping):
                yield faulty.at(name, "`ignore` is no mapping of rules to reasons, so it suppresses nothing", EXAMPLE)
            else:
                for rule, reason in _entries(inner):
                    yield _suppression(note.path, rule, reason)


def _entries(value: Value | None) -> tuple[tuple[Scalar, Value], ...]:
    return value.entries if isinstance(value, Mapping) else ()


class _Faulty(NamedTuple):
    path: str

    def at(self, key: Scalar, fault: str, help: str) -> Suppression:
        return Suppression(
            rule=key.source,
            glob=self.path,
            in_note=True,
            reason="",
            until="",
            place=Place(self.path, span=key.span),
            state=FAULTY,
            fault=fault,
            help=help,
        )


def _suppression(path: str, rule: Scalar, value: Value) -> Suppression:
    faulty = _Faulty(path)
    name = shown(rule.source)
    parts = {key.source: inner for key, inner in _entries(value)} or {"reason": value}
    for key in sorted(parts.keys() - {"reason", "until"}):
        fault = f"`{shown(key)}` is no key of the suppression of `{name}`, which does nothing"
        return faulty.at(rule, fault, nearest(key, ["reason", "until"]))
    reason, until = _text(parts.get("reason")), _text(parts.get("until"))
    if not reason:
        fault = f"the suppression of `{name}` has no reason, so it does nothing"
        return faulty.at(rule, fault, f'write why its findings may stay: `{name}: "..."`')
    if "until" in parts and not is_day(until):
        fault = f"the suppression of `{name}` has an `until` that is no day, so it does nothing"
        return faulty.at(rule, fault, "write a day like `2027-01-31`")
    return Suppression(rule.source, path, True, reason, until, Place(path, span=rule.span))


def _text(value: Value | None) -> str:
    return value.value.strip() if isinstance(value, Scalar) and isinstance(value.value, str) else ""


def judge(
    suppressions: Iterable[Suppression], found: Sequence[tuple[str, str]], *, ran: Collection[str], today: str | None
) -> Judged:
    """Which suppressions are used, and which findings they silence.

    `found` are path and rule of each finding, `ran` the rules that looked. A suppression counts up to the day `until`,
    itself included; without `today` (`YYYY-MM-DD`) none is past. Where several silence a finding, all of them are used.
    """
    listed = [_dated(suppression, today) for suppression in suppressions]
    in_notes: dict[tuple[str, str], list[int]] = defaultdict(list)
    in_settings: dict[str, list[int]] = defaultdict(list)
    for number, suppression in enumerate(listed):
        if suppression.state:
            continue
        if suppression.in_note:
            in_notes[suppression.glob, suppression.rule].append(number)
        else:
            in_settings[suppression.rule].append(number)
    used: set[int] = set()
    silenced: list[Suppression | None] = []
    for path, rule in found:
        by = [
            *in_notes.get((path, rule), ()),
            *(number for number in in_settings.get(rule, ()) if takes([listed[number].glob], path)),
        ]
        used.update(by)
        silenced.append(listed[by[0]] if by else None)
    judged = (
        suppression._replace(state=USED if number in used else UNUSED if suppression.rule in ran else "")
        if not suppression.state
        else suppression
        for number, suppression in enumerate(listed)
    )
    return Judged(tuple(judged), tuple(silenced))


def _dated(suppression: Suppression, today: str | None) -> Suppression:
    # Days of this form sort as texts.
    is_past = not suppression.state and suppression.until and today is not None and suppression.until < today
    return suppression._replace(state=EXPIRED) if is_past else suppression
