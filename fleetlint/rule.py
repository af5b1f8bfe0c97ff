"""What a rule is, what it gets and what it gives: the whole of what a rule author needs."""

from __future__ import annotations

import os.path
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fleetlint.edits import Mend
    from fleetlint.graph.flow import Flow, Together
    from fleetlint.graph.model import Graph
    from fleetlint.registry import Registry
    from fleetlint.roles import Role
    from fleetlint.vault import Note, Span


class Severity(StrEnum):
    ERROR = "error"
    WARN = "warn"
    INFO = "info"


class Place(NamedTuple):
    """Where a finding points, symbolically: a role, a key of it, an item of that key's list.

    Turned into line and column on output, from the most precise part that the note has. `span` overrules key and item
    where a rule knows the exact stretch. `path` may also be the settings or snapshot file; empty means none of all.
    """

    path: str
    key: str | None = None
    item: int | None = None
    span: Span | None = None


class Step(NamedTuple):
    """A place with a sentence: another role of the finding, or one hop of a loop."""

    place: Place
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault. `message` says in one sentence what is, with the witness; `help` says what to do.

    `severity` None means the rule's default. `identity` is what makes the finding the same one after edits elsewhere
    (rule and roles are added to it): a key and value, or a pattern pair. `related` are the other roles' places;
    `hops` the steps of a loop in order. `data` is what the rule knows in numbers and paths, JSON-like. `mends` gives edits
    that may remove it, the smallest first; it is only called, and they are only verified, where mends are asked for.
    """

    message: str
    help: str
    place: Place
    nodes: tuple[str, ...]
    identity: tuple[str, ...] = ()
    severity: Severity | None = None
    related: tuple[Step, ...] = ()
    hops: tuple[Step, ...] = ()
    data: Mapping[str, Any] = field(default_factory=dict)
    mends: Callable[[], Iterable[Mend]] = field(default=tuple, compare=False)


class Suppression(NamedTuple):
    """What a note's header, or an entry of the settings, says of findings that may stay.

    `rule` is the rule that it silences, for findings in files that `glob` takes: a wcmatch glob of the settings, or, when
    `in_note`, the path of the note itself. `until` is its last day (`YYYY-MM-DD`), empty for no end. `place` is where it
    is written.

    `state` is `used`, `unused`, `expired`, `faulty` (then `fault` and `help` say what is wrong with it; it suppresses
    nothing), or empty when its rule did not run, so that nobody knows.
    """

    rule: str
    glob: str
    in_note: bool
    reason: str
    until: str
    place: Place
    state: str = ""
    fault: str = ""
    help: str = ""


@dataclass(frozen=True)
class Facts:
    """All that a rule may know: frozen, derived once, the same for every rule.

    `roles` are the graph's roles by path, `near` the notes that are nearly roles (a header trip2g misses or cannot
    parse), `folders` every folder of the vault.
    """

    graph: Graph
    roles: Mapping[str, Role]
    near: tuple[Note, ...]
    notes: Mapping[str, Note]
    folders: frozenset[str]
    registry: Registry | None = None
    configured: bool = False
    """Whether the settings or the command line name the fleets."""
    graph_note: str = "_fleet-graph.md"
    settings_file: str = ""
    """The settings file as findings name it, empty when there is none."""
    suppressions: tuple[Suppression, ...] = ()
    """What is suppressed where, by place. Only a rule that runs `last` gets them: they are judged by what others found."""

    @cached_property
    def flow(self) -> Flow:
        """How the trigger edges carry runs; made once, when a rule first asks."""
        from fleetlint.graph.flow import flow

        return flow(self.graph)

    @cached_property
    def together(self) -> Together:
        """Which roles share a wave; made once, when a rule first asks."""
        from fleetlint.graph.flow import together

        return together(self.flow)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule: what it is called, what it flags, and the pure function that finds it.

    `check(facts, options)` yields findings in any order. `options` are the rule's settings as the settings file gives
    them, checked against `options` here (name -> the values it may have) and `numbers` (names of options whose value is
    a whole number of 1 or more). `page` reads the rule's page (Markdown). A rule with `off` runs only where the settings
    or the command line name it. `tags` are SARIF tags; `security_severity` is a number from 0.1 to 10 as text where the rule is about security.
    """

    name: str
    summary: str
    severity: Severity
    check: Callable[[Facts, Mapping[str, str]], Iterable[Finding]]
    page: Callable[[], str]
    tags: tuple[str, ...] = ("maintainability",)
    security_severity: str | None = None
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    numbers: tuple[str, ...] = ()
    off: bool = False
    last: bool = False
    """Whether it runs after the others, which is when the facts have the suppressions."""
    kind: str | None = None
    """The name in the machine JSON where an older contract fixes another one (`conflict`)."""


def page_beside(module_file: str) -> Callable[[], str]:
    """A reader of the `README.md` beside a rule's module: a rule passes its `__file__`. Read only when asked for."""

    def read() -> str:
        with open(os.path.join(os.path.dirname(module_file), "README.md"), encoding="utf-8") as page:
            return page.read()

    return read
