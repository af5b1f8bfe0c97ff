"""Loads rules, runs them over a graph, and puts what they found in order: selection, places, fingerprints."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.graph import derive
from fleetlint.rule import Facts, Rule, Severity
from fleetlint.settings import OFF, SEVERITIES, SettingsError, nearest, takes
from fleetlint.vault.note import Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from fleetlint.edits import Fix
    from fleetlint.graph.model import Graph
    from fleetlint.registry import Registry
    from fleetlint.roles import Role
    from fleetlint.rule import Finding, Place, Suppression
    from fleetlint.settings import Settings
    from fleetlint.vault import Note, Vault

GROUP = "fleetlint.rules"
"""The entry-point group by which packages, our own included, bring rules."""


SUPPRESSING = "fleetlint"
"""What stands in each header that suppresses findings."""

LARGEST = 10**9
"""The largest number that a setting of a rule may be."""


class RuleError(Exception):
    """A rule that cannot be loaded, or fails: one sentence that names the rule and says what to do."""


class Located(NamedTuple):
    """A sentence at its place: vault path (or the name of a settings or snapshot file), and the exact stretch."""

    path: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Result:
    """A finding of a rule with its places resolved. `severity` is the one in force, after the settings."""

    rule: Rule
    severity: Severity
    finding: Finding
    at: Located
    related: tuple[Located, ...]
    hops: tuple[Located, ...]
    fingerprint: str
    """Hex; the same after edits of unrelated lines."""
    fix: Fix | None = None
    """A mend that was verified; None also where nobody asked for one."""
    suppression: Suppression | None = None
    """What lets it stay, if something does."""


@dataclass(frozen=True, slots=True)
class Report:
    """What a run found. `results` come by path, line, column, rule; `rules` are all that were loaded, by name.

    `notes` gives the text of the notes that results point into. `suppressed` are the findings that headers or settings
    let stay, in the same order; they are not among the results. `ran` are the names of the rules that ran.
    """

    vault: Vault
    graph: Graph
    results: tuple[Result, ...]
    rules: tuple[Rule, ...]
    notes: Mapping[str, Note]
    suppressed: tuple[Result, ...] = ()
    ran: frozenset[str] = frozenset()


def lint(
    vault: Vault,
    settings: Settings,
    *,
    select: Iterable[str] | None = None,
    ignore: Iterable[str] = (),
    registry: Registry | None = None,
    rules: Sequence[Rule] | None = None,
    today: str | None = None,
) -> Report:
    """What the rules find in a vault.

    `select` names the rules that run, also such as the settings turn off; `ignore` those that don't. `rules` are the
    rules there are, by default all that are installed. `today` is the day (`YYYY-MM-DD`) by which suppressions expire;
    without it none does.

    Raises SettingsError where the settings, `select` or `ignore` name a rule or an option that there is not, and
    RuleError where a rule cannot be loaded or fails.
    """
    known = {rule.name: rule for rule in (load_rules() if rules is None else rules)}
    _check_names(settings, known)
    ignore = list(ignore)
    running = _running(known, settings, select, ignore)
    roles = {role.path: role for role in roles_of(vault, settings)}
    graph = derive(list(roles.values()), fleets=settings.fleets, registry=registry)
    notes = {note.path: note for note in vault.notes}
    facts = Facts(
        graph=graph,
        roles=roles,
        near=tuple(note for note in vault.notes if note.fault),
        notes=notes,
        folders=vault.folders,
        registry=registry,
        configured=settings.fleets is not None,
        graph_note=settings.graph_note,
        settings_file=settings.file,
    )
    results = [result for rule in running if not rule.last for result in _results(rule, facts, settings)]
    if settings.ignore or any(SUPPRESSING in note.header_text for note in vault.notes):
        asked = [] if select is None else _asked_by_the_last(running, known, settings, ignore)
        unshown = [result for rule in asked for result in _results(rule, facts, settings)]
        ran = {rule.name for rule in (*running, *asked) if not rule.last}
        judged, facts = _with_suppressions([*results, *unshown], facts, settings, known=known, ran=ran, today=today)
        results = judged[: len(results)]
    results += [result for rule in running if rule.last for result in _results(rule, facts, settings)]
    results.sort(key=order)
    found = _with_fingerprints(results)
    return Report(
        vault=vault,
        graph=graph,
        results=tuple(result for result in found if not result.suppression),
        rules=tuple(known[name] for name in sorted(known)),
        notes=notes,
        suppressed=tuple(result for result in found if result.suppression),
        ran=frozenset(rule.name for rule in running),
    )


def order(result: Result) -> tuple[str, Span, str, str]:
    """The key by which results are sorted."""
    return (result.at.path, result.at.span, result.rule.name, result.finding.message)


def roles_of(vault: Vault, settings: Settings) -> Iterator[Role]:
    """The roles of a vault, in the order of its notes."""
    from fleetlint.roles import is_role_note, read_role

    in_a_folder = settings.keep
    for note in vault.notes:
        if note.header is not None and (is_role_note(note) or (in_a_folder and in_a_folder(note.path))):
            yield read_role(note)


def _asked_by_the_last(
    running: Sequence[Rule], known: Mapping[str, Rule], settings: Settings, ignore: Iterable[str]
) -> list[Rule]:
    """Rules that were not selected, and whose findings one that runs last has to know of; they are not shown."""
    if not any(rule.last for rule in running):
        return []
    names = {rule.name for rule in running}
    return [rule for rule in _running(known, settings, None, ignore) if rule.name not in names and not rule.last]


def _with_suppressions(
    results: Sequence[Result],
    facts: Facts,
    settings: Settings,
    *,
    known: Mapping[str, Rule],
    ran: Collection[str],
    today: str | None,
) -> tuple[list[Result], Facts]:
    """The results, each with what lets it stay, and the facts with all suppressions, judged by the results."""
    from fleetlint.suppress import judge, read_suppressions

    written = read_suppressions(facts.notes.values(), settings, known)
    judged = judge(written, [(result.at.path, result.rule.name) for result in results], ran=ran, today=today)
    silenced = [
        replace(result, suppression=by) if by else result for result, by in zip(results, judged.by_finding, strict=True)
    ]
    return silenced, replace(facts, suppressions=judged.suppressions)


# --- Which rules run, and how ---


def _check_names(settings: Settings, known: Mapping[str, Rule]) -> None:
    """Raises SettingsError for a rule, an option or a value that does not exist.

    Where the rules of a folder have not been loaded, an unknown rule may be one of theirs.
    """

    def is_elsewhere(name: str) -> bool:
        return bool(settings.rules_folder) and name not in known

    for name, setting in settings.rules.items():
        if is_elsewhere(name):
            continue
        rule = _known_rule(name, known, setting.place)
        for option, value in setting.options.items():
            known_options = {"severity", *rule.options, *rule.numbers}
            if option not in known_options:
                raise SettingsError(
                    f"{setting.place}: `{name}` has no setting `{option}`; {nearest(option, known_options)}"
                )
            if option in rule.numbers:
                if not _is_number(value):
                    raise SettingsError(
                        f"{setting.place}: the `{option}` of `{name}` is `{value}`; write a whole number from 1 to {LARGEST:,}"
                    )
                continue
            words = (*((OFF, *SEVERITIES) if option == "severity" else ()), *rule.options.get(option, ()))
            if value not in words:
                raise SettingsError(
                    f"{setting.place}: the `{option}` of `{name}` is `{value}`, which is no value for it; "
                    f"{nearest(value, words)}"
                )
    for group in settings.path_rules:
        for name, setting in group.rules.items():
            if not is_elsewhere(name):
                _known_rule(name, known, setting.place)
    for ignored in settings.ignore:
        if not is_elsewhere(ignored.rule):
            _known_rule(ignored.rule, known, f"{settings.file}:{ignored.line}" if ignored.line else settings.file)


def _is_number(value: str) -> bool:
    return value.isascii() and value.isdecimal() and len(value) < 20 and 1 <= int(value) <= LARGEST


def _known_rule(name: str, known: Mapping[str, Rule], place: str) -> Rule:
    if name not in known:
        raise SettingsError(f"{place}: there is no rule `{name}`; {nearest(name, known)}")
    return known[name]


def _running(
    known: Mapping[str, Rule], settings: Settings, select: Iterable[str] | None, ignore: Iterable[str]
) -> list[Rule]:
    ignored = {_known_rule(name, known, "--ignore").name for name in ignore}
    if select is None:
        off = {name for name, setting in settings.rules.items() if setting.severity == OFF}
        off |= {name for name, rule in known.items() if rule.off and name not in settings.rules}
        return [rule for name, rule in known.items() if name not in ignored | off]
    selected = {_known_rule(name, known, "--select").name for name in select}
    return [rule for name, rule in known.items() if name in selected - ignored]


def _results(rule: Rule, facts: Facts, settings: Settings) -> Iterator[Result]:
    """The rule's findings with their places and the severity in force; no fingerprints yet."""
    setting = settings.rules.get(rule.name)
    try:
        found = list(rule.check(facts, setting.options if setting else {}))
    except Exception as error:
        raise RuleError(
            f"the rule `{rule.name}` of `{rule.check.__module__}` failed: {_said(error)}; report it to its authors, and "
            f"leave it out with `--ignore {rule.name}` until then"
        ) from error
    for finding in found:
        at = _located(finding.place, "", facts)
        severity = _severity(rule, finding, at.path, settings)
        if severity is not None:
            yield Result(
                rule=rule,
                severity=severity,
                finding=finding,
                at=at,
                related=tuple(_located(step.place, step.message, facts) for step in finding.related),
                hops=tuple(_located(step.place, step.message, facts) for step in finding.hops),
                fingerprint="",
            )


def _severity(rule: Rule, finding: Finding, path: str, settings: Settings) -> Severity | None:
    """The severity in force, None when it is off. The last of the path settings that speaks of the rule wins."""
    setting = settings.rules.get(rule.name)
    # A rule that is off everywhere runs only when it was asked for by name.
    word = setting.severity if setting and setting.severity != OFF else ""
    for group in settings.path_rules:
        if rule.name in group.rules and takes([group.glob], path):
            word = group.rules[rule.name].severity
    if word == OFF:
        return None
    return Severity(word) if word else finding.severity or rule.severity


# --- Places and fingerprints ---


def _located(place: Place, message: str, facts: Facts) -> Located:
    """The place as line and column, by the most precise part of it that the note has."""
    return Located(place.path, place.span or _span(place, facts), message)


def _span(place: Place, facts: Facts) -> Span:
    role = facts.roles.get(place.path)
    if role is not None:
        field = role.fields.get(place.key or "")
        if field is None:
            return role.header_span
        if place.item is not None and place.item < len(field.items):
            return field.items[place.item].span
        return field.key_span
    note = facts.notes.get(place.path)
    return note.fault.span if note and note.fault else Span(1, 1, 1, 1)


def _with_fingerprints(results: Sequence[Result]) -> tuple[Result, ...]:
    """The results, each with its fingerprint; those that would share one are told apart by their order."""
    if not results:
        # The usual vault is clean, and loading the hash takes milliseconds.
        return ()
    from hashlib import sha256

    found = []
    seen: dict[tuple[str, ...], int] = {}
    for result in results:
        identity = (result.rule.name, *sorted(result.finding.nodes), "", *result.finding.identity)
        seen[identity] = number = seen.get(identity, 0) + 1
        parts = identity if number == 1 else (*identity, str(number))
        # `ascii` keeps the parts apart, whatever they hold, and is the same in every version of Python.
        digest = sha256(ascii(parts).encode()).hexdigest()
        found.append(replace(result, fingerprint=digest))
    return tuple(found)


# --- Finding and loading rules ---


def load_rules() -> tuple[Rule, ...]:
    """All rules of the installed packages, by name. Raises RuleError.

    A package declares the entry point `name = module:attribute` in the group `fleetlint.rules`; the attribute is a
    Rule or an iterable of Rules.
    """
    found: dict[str, tuple[Rule, str]] = {}
    for target in _declared():
        for rule in load_target(target, "mend or uninstall the package that declares it"):
            if rule.name in found:
                raise RuleError(
                    f"both `{found[rule.name][1]}` and `{target}` bring a rule `{rule.name}`; uninstall one of the packages"
                )
            found[rule.name] = (rule, target)
    if not found:
        raise RuleError(f"no installed package declares rules (entry points `{GROUP}`); install fleetlint with pip")
    return tuple(found[name][0] for name in sorted(found))


def load_target(target: str, mend: str) -> list[Rule]:
    """The rules behind an entry point's `module:attribute`. Raises RuleError, which ends in the mend."""
    from importlib import import_module

    module, _, attributes = target.partition(":")
    try:
        value: object = import_module(module)
        for attribute in filter(None, attributes.split(".")):
            value = getattr(value, attribute)
        rules = [value] if isinstance(value, Rule) else list(value)  # type: ignore[call-overload]
    except (Exception, SystemExit) as error:
        raise RuleError(f"the rules at `{target}` cannot be loaded: {_said(error)}; {mend}") from error
    for rule in rules:
        if not isinstance(rule, Rule):
            raise RuleError(f"the rules at `{target}` hold a {type(rule).__name__}, which is no Rule; {mend}")
    return rules


def _declared() -> list[str]:
    """What the entry points of the group name, each once, in the order of `sys.path`.

    `importlib.metadata` would take as long as half a small vault, so the files are read that it reads.
    """
    found: dict[str, None] = {}
    for folder in sys.path:
        try:
            names = sorted(os.listdir(folder or "."))
        except OSError:
            continue
        for name in names:
            if name.endswith((".dist-info", ".egg-info")):
                found.update(dict.fromkeys(_entry_points(os.path.join(folder, name, "entry_points.txt"))))
    return list(found)


def _entry_points(file: str) -> list[str]:
    try:
        with open(file, encoding="utf-8", errors="replace") as opened:
            text = opened.read()
    except OSError:
        return []
    if GROUP not in text:
        return []
    found = []
    group = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            group = line.strip("[] ")
        elif group == GROUP and "=" in line and not line.startswith(("#", ";")):
            # An old form has extras in brackets at the end.
            found.append(line.partition("=")[2].partition("[")[0].strip())
    return found


def _said(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
