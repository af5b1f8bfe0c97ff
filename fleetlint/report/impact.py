"""What touching a path sets off: as text for people, and as JSON (`docs/impact.md` has its shape)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fleetlint.graph.model import DIRECT
from fleetlint.report.characters import printable, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fleetlint.graph.budget import Count
    from fleetlint.graph.waves import Budget, Cut, Impact, Level, Run, Wave

SHOWN = 50
"""So many runs of a level, and cut edges, the text shows."""
LEVELS = 20


def text(impact: Impact) -> str:
    """One block a wave, its levels from depth 0 on, and what it costs. Nothing of a note reaches the terminal as a
    command."""
    blocks = [printable_lines(_wave(wave, impact.glob)) for wave in impact.waves]
    if not blocks:
        return f"Nobody wakes when a path of `{printable(impact.glob)}` is touched.\n"
    return "\n".join(blocks)


def printable_lines(lines: Iterator[str]) -> str:
    return "".join(f"{printable(line)}\n" for line in lines)


def _wave(wave: Wave, glob: str) -> Iterator[str]:
    if wave.origin == DIRECT:
        yield f"A direct edit of one path of `{glob}`"
    else:
        yield f"A tick of `{wave.origin}`, which can write {_path(wave.levels[0].runs[0])}"
    for level in wave.levels[:LEVELS]:
        yield f"  depth {level.first}" + (f" to {level.last}" if level.last > level.first else "")
        yield from _some([f"    {_run(run)}" for run in level.runs])
    deeper = sum(level.last - level.first + 1 for level in wave.levels[LEVELS:]) + wave.unlisted
    if deeper:
        yield f"  and {deeper:,} more depth{'s' if deeper > 1 else ''}"
    if wave.cuts:
        yield "  cut by depth"
        yield from _some([f"    {_cut(cut)}" for cut in wave.cuts])
    yield from _budget(wave.budget, "edit" if wave.origin == DIRECT else "tick")


def _some(lines: list[str]) -> list[str]:
    more = len(lines) - SHOWN
    return lines if more <= 0 else [*lines[:SHOWN], f"    and {more:,} more"]


def _run(run: Run) -> str:
    many = " (N runs a delivery)" if run.splits else ""
    if run.edge is None:
        return f"{run.role}{many}: {_path(run)}"
    others = f", and {run.sources - 1:,} more wake it" if run.sources > 1 else ""
    return f"{run.role}{many}: {run.edge.source} writes {_path(run)}{others}"


def _path(run: Run) -> str:
    return run.path or "a path that is not proven"


def _cut(cut: Cut) -> str:
    path = cut.edge.witness or "a path that is not proven"
    return f"{cut.edge.target}: {cut.edge.source} writes {path} at depth {cut.depth}, which its `max_depth` stops"


def _budget(budget: Budget, origin: str) -> Iterator[str]:
    kind = "exactly" if budget.exact else "at most"
    yield f"  runs per {origin}, worst case: " + (f"{kind} {budget.runs}" if budget.runs else "too many to be counted")
    if budget.worst is not None and len(budget.worst.wakes) > 1:
        yield f"    by the event {budget.worst.event} on {budget.worst.path}"
    yield from (f"    {reason}" for reason in budget.reasons)
    if budget.tokens is None:
        yield f"  tokens per {origin}: too many to be counted"
    elif budget.tokens.coefficients:
        without = f", without {_named(budget.unstated)} (no `max_tokens`)" if budget.unstated else ""
        yield f"  tokens per {origin}: at most {budget.tokens}{without}"
    if any(count is not None and len(count.coefficients) > 1 for count in (budget.runs, budget.tokens)):
        yield "  N: the notes that one delivery holds where `for_each` splits it"


def _named(roles: tuple[str, ...]) -> str:
    more = len(roles) - 5
    return ", ".join(roles[:5]) + (f" and {more:,} more" if more > 0 else "")


def json(impact: Impact) -> str:
    """One object, ends in a newline. All of it is valid Unicode."""
    from json import dumps

    document = {"glob": impact.glob, "waves": [_wave_object(wave) for wave in impact.waves]}
    return whole(dumps(document, ensure_ascii=False, indent=1)) + "\n"


def _wave_object(wave: Wave) -> dict[str, Any]:
    budget = wave.budget
    worst = budget.worst
    return {
        "origin": {"kind": "edit"} if wave.origin == DIRECT else {"kind": "tick", "role": wave.origin},
        "levels": [_level_object(level) for level in wave.levels],
        "unlisted_depths": wave.unlisted,
        "cuts": [
            {"from": cut.edge.source, "to": cut.edge.target, "witness": cut.edge.witness, "depth": cut.depth}
            for cut in wave.cuts
        ],
        "runs": _count_object(budget.runs),
        "exact": budget.exact,
        "reasons": list(budget.reasons),
        "worst": {"path": worst.path, "event": worst.event, "wakes": list(worst.wakes)} if worst else None,
        "tokens": _count_object(budget.tokens),
        "tokens_unstated": list(budget.unstated),
    }


def _level_object(level: Level) -> dict[str, Any]:
    return {
        "first": level.first,
        "last": level.last,
        "runs": [
            {
                "role": run.role,
                "path": run.path,
                "from": run.edge.source if run.edge else None,
                "via": {"write": run.edge.via.write, "match": run.edge.via.match} if run.edge else None,
                "sources": run.sources,
                "splits": run.splits,
            }
            for run in level.runs
        ],
    }


def _count_object(count: Count | None) -> dict[str, Any] | None:
    return None if count is None else {"text": str(count), "powers_of_n": list(count.coefficients)}
