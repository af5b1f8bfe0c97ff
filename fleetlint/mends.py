"""Which mends hold: each is tried on the notes, the graph is derived again, and all rules judge the result.

A mend holds when its findings are gone, the edges that it says it cuts are cut and no others, and whatever else is found
then, and was not before, is information only; where it brings something to life, a warning may be said of that. One trial costs as much as linting the vault once, so nothing here runs in
a plain `check`. Many mends at once are tried together and, where that fails, by halves: n mends of which k don't hold take
about k log n trials. What all trials of a run may cost is bounded, in roles times trials.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.edits import Fix, edited, replacement
from fleetlint.globs import find_path
from fleetlint.graph import TRIGGER
from fleetlint.rule import Severity
from fleetlint.settings import OFF

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from fleetlint.edits import Mend
    from fleetlint.globs import Pattern
    from fleetlint.lint import Report, Result
    from fleetlint.roles import Glob, Role
    from fleetlint.settings import Settings
    from fleetlint.vault import Note, Vault

    Lint = Callable[[Vault, Sequence[str]], Report]
    """Lints a vault with the rules of these names, all else as it was for the report."""

MOST_SHOWN = 5_000
"""Roles times trials for the mends that a report carries: some seconds at worst."""
MOST_APPLIED = 100_000
"""Roles times trials for the mends that are applied."""
LEAST = 10
"""So many trials there may be in the largest vault."""
ROUNDS = 10
"""A mend may make way for another one, so often at most."""


class Trials:
    """Lints changed vaults as a report's was, with every rule that runs by itself and those that found something in it."""

    def __init__(self, report: Report, settings: Settings, lint: Lint, *, most: int) -> None:
        off = {name for name, setting in settings.rules.items() if setting.severity == OFF}
        off |= {rule.name for rule in report.rules if rule.off and rule.name not in settings.rules}
        self._rules = sorted({rule.name for rule in report.rules} - off | {found.rule.name for found in report.results})
        self._lint = lint
        self.left = max(LEAST, most // max(1, len(report.graph.nodes)))
        self.first = lint(report.vault, self._rules)

    def of(self, before: Report, changed: Mapping[str, Note]) -> Report:
        self.left -= 1
        notes = tuple(changed.get(note.path, note) for note in before.vault.notes)
        return self._lint(replace(before.vault, notes=notes), self._rules)


class Proposal(NamedTuple):
    """A finding, and a mend for it."""

    result: Result
    mend: Mend


class Held(NamedTuple):
    """Mends that hold together: the report of the vault with them, and what they bring."""

    report: Report
    safe: bool
    cuts: tuple[tuple[str, str], ...]
    wakes: tuple[tuple[str, str], ...]
    appears: tuple[str, ...]


def with_fixes(report: Report, settings: Settings, lint: Lint) -> tuple[Report, int]:
    """The report with the first mend that holds for each finding that has one, the worst findings first; and how many
    findings were left out because the trials were used up."""
    if not any(_mends(result) for result in report.results):
        return report, 0
    trials = Trials(report, settings, lint, most=MOST_SHOWN)
    order = list(Severity)
    fixes: dict[str, Fix] = {}
    left_out = 0
    for result in sorted(report.results, key=lambda result: order.index(result.severity)):
        for mend in _mends(result):
            if trials.left <= 0:
                left_out += 1
                break
            held = hold(trials, trials.first, [Proposal(result, mend)])
            if held is not None:
                fixes[result.fingerprint] = _fix(trials.first, held, mend)
                break
    results = tuple(replace(result, fix=fixes.get(result.fingerprint)) for result in report.results)
    return replace(report, results=results), left_out


def _mends(result: Result) -> tuple[Mend, ...]:
    return tuple(result.finding.mends())


def _fix(before: Report, held: Held, mend: Mend) -> Fix:
    pairs = [(before.notes[path], held.report.notes[path]) for path in sorted({edit.path for edit in mend.edits})]
    return Fix(mend, held.safe, tuple(replacement(old, new) for old, new in pairs), held.cuts, held.wakes, held.appears)


class Mended(NamedTuple):
    """The report of the vault with the mends applied.

    `taken` is what was mended in which order, `appears` what is found now beside, as sentences; `withheld` counts
    findings left for which there is an unsafe mend that may hold; `ran_out` says that more trials would have been needed.
    """

    report: Report
    taken: tuple[Proposal, ...]
    appears: tuple[str, ...] = ()
    withheld: int = 0
    ran_out: bool = False


def mend_all(
    report: Report,
    settings: Settings,
    lint: Lint,
    *,
    unsafe: bool,
    may_touch: Callable[[str], bool] = lambda path: True,  # noqa: ARG005 - every note
) -> Mended:
    """Applies to the notes, in memory, the mends of the report's findings that hold; those that change what wakes whom
    only with `unsafe`, and only in notes that `may_touch` allows. Repeated while something changes, ROUNDS times at most.
    """
    if not any(_mends(result) for result in report.results):
        return Mended(report, ())
    trials = Trials(report, settings, lint, most=MOST_APPLIED)
    now = trials.first
    # What the report leaves out, for a baseline or the arguments do, stays; what a mend brings may be mended, too.
    unshown = {result.fingerprint for result in now.results} - {result.fingerprint for result in report.results}
    taken: list[Proposal] = []
    withheld: set[str] = set()
    for _ in range(ROUNDS):
        choices = []
        for result in now.results if trials.left > 0 else ():
            if result.fingerprint not in unshown and result.rule.name in report.ran:
                mends = [mend for mend in _mends(result) if all(may_touch(edit.path) for edit in mend.edits)]
                allowed = [mend for mend in mends if unsafe or _may_be_safe(mend)]
                choices += [(result, allowed)] if allowed else []
                withheld |= {result.fingerprint} if len(allowed) < len(mends) else set()
        now, new = _take(trials, now, choices, unsafe=unsafe, withheld=withheld)
        taken += new
        if not new:
            break
    return Mended(
        report=now,
        taken=tuple(taken),
        appears=_sentences(_appearing(trials.first, now, {proposal.result.fingerprint for proposal in taken})),
        withheld=len(withheld & {result.fingerprint for result in now.results}),
        ran_out=trials.left <= 0,
    )


def _may_be_safe(mend: Mend) -> bool:
    """Whether a trial might find the mend safe; most are not, and that need not be tried."""
    return mend.safe and not mend.cuts and all(edit.key not in _WAKING and edit.kind != "quote" for edit in mend.edits)


def _take(
    trials: Trials,
    before: Report,
    choices: Sequence[tuple[Result, Sequence[Mend]]],
    *,
    unsafe: bool,
    withheld: set[str],
) -> tuple[Report, list[Proposal]]:
    """The report with as many of the findings mended as can be, all together if that holds, else by halves."""
    present = {result.fingerprint for result in before.results}
    choices = [(result, mends) for result, mends in choices if result.fingerprint in present]
    if len(choices) == 1:
        result, mends = choices[0]
        for mend in mends:
            held = hold(trials, before, [Proposal(result, mend)]) if trials.left > 0 else None
            if held is not None and (unsafe or held.safe):
                return held.report, [Proposal(result, mend)]
            if held is not None:
                withheld.add(result.fingerprint)
    if len(choices) < 2 or trials.left <= 0:
        return before, []
    proposals = [Proposal(result, mends[0]) for result, mends in choices]
    held = hold(trials, before, proposals)
    if held is not None and (unsafe or held.safe):
        return held.report, proposals
    middle = len(choices) // 2
    half, first = _take(trials, before, choices[:middle], unsafe=unsafe, withheld=withheld)
    whole, second = _take(trials, half, choices[middle:], unsafe=unsafe, withheld=withheld)
    return whole, first + second


# --- Whether mends hold ---


def hold(trials: Trials, before: Report, proposals: Sequence[Proposal]) -> Held | None:
    """What the mends bring together; None when one of them can't be made, or does not do what it says."""
    edits = dict.fromkeys(edit for proposal in proposals for edit in proposal.mend.edits)
    changed: dict[str, Note] = {}
    for edit in edits:
        note = changed.get(edit.path) or before.notes.get(edit.path)
        after_edit = edited(note, [edit]) if note else None
        if after_edit is None:
            return None
        changed[edit.path] = after_edit
    after = trials.of(before, changed)
    left = {result.fingerprint for result in after.results}
    if any(proposal.result.fingerprint in left for proposal in proposals):
        return None
    appearing = _appearing(before, after, mended={proposal.result.fingerprint for proposal in proposals})
    woken = _woken(before, after)
    allowed = (Severity.INFO, Severity.WARN) if woken or _owners(before) != _owners(after) else (Severity.INFO,)
    if any(result.severity not in allowed for result in appearing):
        return None
    cut = _cut(before, after)
    said = {pair for proposal in proposals for pair in proposal.mend.cuts or ()}
    if not said <= cut or (cut != said and all(proposal.mend.cuts is not None for proposal in proposals)):
        return None
    return Held(
        report=after,
        safe=all(proposal.mend.safe for proposal in proposals) and _wakes_alike(before, after, changed),
        cuts=tuple(sorted(cut)),
        wakes=tuple(sorted(woken)),
        appears=_sentences(appearing),
    )


def _sentences(results: Iterable[Result]) -> tuple[str, ...]:
    return tuple(f"{result.at.path}: {result.finding.message} [{result.rule.name}]" for result in results)


def _appearing(before: Report, after: Report, mended: Collection[str]) -> list[Result]:
    """The findings that there were not, or that are more severe than they were.

    One that takes the place of another of its rule, such as a race with the next writer, is not new; but what is to be
    mended must be gone, and not come back in another form.
    """
    order = list(Severity)
    known = {result.fingerprint: order.index(result.severity) for result in before.results}
    still = {result.fingerprint for result in after.results}
    gone: dict[tuple[object, ...], list[int]] = {}
    for result in before.results:
        if result.fingerprint not in still and result.fingerprint not in mended:
            gone.setdefault(_spot(result), []).append(order.index(result.severity))
    appearing = []
    for result in after.results:
        severity = order.index(result.severity)
        was = known.get(result.fingerprint)
        if was is None and gone.get(_spot(result)):
            was = gone[_spot(result)].pop()
        if was is None or severity < was:
            appearing.append(result)
    return appearing


def _spot(result: Result) -> tuple[object, ...]:
    place = result.finding.place
    return result.rule.name, place.path, place.key, place.item


def _cut(before: Report, after: Report) -> set[tuple[str, str]]:
    """The edges that are no more, or that no chain crosses any more. One that feeds may have come to trigger."""
    now = {(edge.source, edge.target, edge.kind): edge for edge in after.graph.all_edges}
    cut = set()
    for edge in before.graph.all_edges:
        still = now.get((edge.source, edge.target, edge.kind))
        if still is None:
            if edge.kind == TRIGGER or (edge.source, edge.target, TRIGGER) not in now:
                cut.add((edge.source, edge.target))
        elif edge.live and not still.live:
            cut.add((edge.source, edge.target))
    return cut


def _woken(before: Report, after: Report) -> set[tuple[str, str]]:
    """The trigger edges that there were not, or that more chains cross than before."""
    known = {(edge.source, edge.target): edge.live for edge in before.graph.all_edges if edge.kind == TRIGGER}
    return {
        (edge.source, edge.target)
        for edge in after.graph.all_edges
        if edge.kind == TRIGGER
        and ((edge.source, edge.target) not in known or edge.live - known[edge.source, edge.target])
    }


_WAKING = (
    *("fleet_id", "enabled", "mode", "cron_schedule", "trigger_on", "for_each", "concurrency", "max_depth", "tools"),
    "attach_notes",
)
"""Keys of which any change may change what is woken, or what it raises."""


def _wakes_alike(before: Report, after: Report, changed: Collection[str]) -> bool:
    """Whether the changed roles are woken, by people too, and wake as they did."""
    if _owners(before) != _owners(after):
        return False
    if before.graph.depths != after.graph.depths or _chains(before) != _chains(after):
        return False
    roles = {node.path: node.role for node in before.graph.nodes}
    return all(
        was is not None and node.role is not None and _is_woken_alike(was, node.role)
        for node in after.graph.nodes
        if node.path in changed
        for was in [roles[node.path]]
    )


def _owners(report: Report) -> dict[str, tuple[tuple[str, ...], bool]]:
    """By role who runs it, and whether anyone can."""
    return {node.path: (node.fleet_ids, node.valid) for node in report.graph.nodes}


def _chains(report: Report) -> dict[tuple[str, str], tuple[frozenset[str], frozenset[str]]]:
    return {
        (edge.source, edge.target): (edge.live, edge.cut) for edge in report.graph.all_edges if edge.kind == TRIGGER
    }


def _is_woken_alike(was: Role, now: Role) -> bool:
    """Whether a role listens to the same paths, and can write no others than before."""

    def raw(role: Role, key: str) -> str | None:
        return role.fields[key].raw if key in role.fields else None

    return (
        all(raw(was, key) == raw(now, key) for key in _WAKING)
        and _is_within(_patterns(now.write_patterns), (), _patterns(was.write_patterns), ())
        and all(
            _is_within(
                _patterns(one.trigger_include),
                _patterns(one.trigger_exclude),
                _patterns(other.trigger_include),
                _patterns(other.trigger_exclude),
            )
            for one, other in ((was, now), (now, was))
        )
    )


def _patterns(globs: Iterable[Glob]) -> tuple[Pattern, ...]:
    return tuple(glob.pattern for glob in globs if glob.pattern)


def _is_within(
    includes: Sequence[Pattern],
    excludes: Sequence[Pattern],
    wider_includes: Sequence[Pattern],
    wider_excludes: Sequence[Pattern],
) -> bool:
    """Whether each path in an include and in no exclude is also one of the wider ones, and provably so."""
    return all(
        find_path(all_of=[include], none_of=[*excludes, *wider_includes]) is None
        and all(find_path(all_of=[include, wrong], none_of=excludes) is None for wrong in wider_excludes)
        for include in includes
    )
