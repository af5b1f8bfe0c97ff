"""Two runs of one wave that can write one path: the result depends on which of them comes last."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from fleetlint.globs import Found, find_path, meeting_pairs, witness_key
from fleetlint.graph.derive import questions_for
from fleetlint.graph.flow import edits_that_wake
from fleetlint.rule import Facts, Finding, Place, Rule, Severity, Step, page_beside

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fleetlint.globs import Pattern
    from fleetlint.graph.flow import Flow, Together

    Causes = tuple[int, int]
    Meeting = tuple[bool, tuple[bool, int, int, str], int, int]
    """Two write patterns that meet, the better ones smaller: not proven, the witness, the index in either role."""

UNPROVEN = (False, 0, 0, "")


def check(facts: Facts, options: Mapping[str, str]) -> Iterator[Finding]:  # noqa: ARG001 - the signature of every rule
    currents, shared = facts.flow, facts.together
    for (one, other), (causes, meeting) in sorted(_races(currents, shared).items()):
        yield _of_two(currents, one, other, causes, meeting)
    for role in sorted(currents.writing):
        again = shared.repeated(role) if currents.roles[role].may_overlap_itself else None
        if again is not None:
            yield from _of_one(currents, role, again)


def _races(currents: Flow, shared: Together) -> dict[tuple[int, int], tuple[Causes, Meeting]]:
    """The pairs of roles that race, each with what sets both off and the best pair of patterns."""
    writers: dict[Pattern, list[tuple[int, int]]] = {}
    for role in sorted(currents.writing):
        for index, glob in enumerate(currents.roles[role].write_patterns):
            if glob.pattern and shared.once[role]:
                writers.setdefault(glob.pattern, []).append((role, index))
    written = list(writers)
    causes: dict[tuple[int, int], Causes | None] = {}
    found: dict[tuple[int, int], tuple[Causes, Meeting]] = {}
    most = questions_for(len(currents.roles))
    for left, right in islice(meeting_pairs(written, written), most):
        if left > right:
            continue
        for one, one_index in writers[written[left]]:
            for other, other_index in writers[written[right]]:
                if one == other or (left == right and one > other):
                    continue
                pair = min(one, other), max(one, other)
                if pair not in causes:
                    causes[pair] = shared.causes(*pair)
                cause = causes[pair]
                # Asked again and again of the same two patterns, it is looked up.
                met = find_path(all_of=[written[left], written[right]]) if cause else None
                if cause is None or met is None:
                    continue
                indices = (one_index, other_index) if one < other else (other_index, one_index)
                proof = (False, witness_key(met.path)) if isinstance(met, Found) else (True, UNPROVEN)
                meeting = (*proof, *indices)
                if pair not in found or meeting < found[pair][1]:
                    found[pair] = cause, meeting
    return found


def _of_two(currents: Flow, one: int, other: int, causes: Causes, meeting: Meeting) -> Finding:
    first, second = currents.roles[one], currents.roles[other]
    unproven, witness, one_index, other_index = meeting
    write, match = first.write_patterns[one_index].text, second.write_patterns[other_index].text
    what = f"may write what `{match}` takes (no path proven)" if unproven else f"can write `{witness[-1]}`"
    cause = _cause(currents, causes)
    return Finding(
        message=f"{what}, and so can `{second.path}` in the same wave: {cause} sets off both, and the last to write wins",
        help="let one of the two do the writing, or give each a path of its own: narrow one of the two write scopes",
        place=Place(first.path, "write_patterns", one_index),
        nodes=(first.path, second.path),
        identity=(write, match),
        related=(Step(Place(second.path, "write_patterns", other_index), f"`{match}` is written here"),),
        data={"witness": witness[-1], "roles": [first.path, second.path], "cause": cause},
    )


def _of_one(currents: Flow, number: int, causes: Causes) -> Iterator[Finding]:
    role = currents.roles[number]
    answers = [
        (find_path(all_of=[glob.pattern]), index) for index, glob in enumerate(role.write_patterns) if glob.pattern
    ]
    found = min(
        ((*witness_key(answer.path), index) for answer, index in answers if isinstance(answer, Found)), default=None
    )
    if found is None:
        return
    path, index = found[-2:]
    cause = _cause(currents, causes)
    yield Finding(
        message=f"can write `{path}` in two runs that overlap: {cause} sets off more than one, and the last to write wins",
        help="let each run write a path of its own; `concurrency: queue_one` keeps them apart where a delivery may be lost",
        place=Place(role.path, "write_patterns", index),
        nodes=(role.path,),
        identity=(role.write_patterns[index].text,),
        data={"witness": path, "roles": [role.path], "cause": cause},
    )


def _cause(currents: Flow, causes: Causes) -> str:
    """What sets both off: origins as `Together` numbers them."""
    one, other = (bit >> 1 for bit in causes)
    if causes[0] % 2:
        return f"a tick of `{currents.roles[one].path}`"
    edit = edits_that_wake(currents, one, other)
    if edit is None or not edit[0]:
        return f"an edit that wakes `{currents.roles[one].path}`"
    return f"an edit of `{edit[0]}`"


RULE = Rule(
    name="write-race",
    summary="Two runs of one wave can write the same path, so the result depends on timing.",
    severity=Severity.WARN,
    check=check,
    page=page_beside(__file__),
    tags=("maintainability", "race"),
)
