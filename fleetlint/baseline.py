"""A baseline: the findings that a vault had on the day it began to be linted, so that only new ones are told."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.lint import order
from fleetlint.report.characters import whole
from fleetlint.rule import Place, Suppression

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fleetlint.lint import Report, Result

VERSION = 1


class Entry(NamedTuple):
    """A finding of the baseline. Its fingerprint is the key; the rest is there for people to read."""

    fingerprint: str
    rule: str
    path: str
    message: str


class Baseline(NamedTuple):
    """The entries by fingerprint, and the file as messages name it."""

    entries: Mapping[str, Entry]
    file: str


class Against(NamedTuple):
    """A report without the findings of a baseline, which are among its suppressed ones, and the entries that nothing
    answers to any more, although their rules ran."""

    report: Report
    stale: tuple[Entry, ...]


def render(report: Report) -> str:
    """The baseline of a report as JSON: sorted, one finding a line, ends in a newline."""
    import json

    lines = [
        json.dumps(_entry(result)._asdict(), ensure_ascii=False)
        for result in sorted(report.results, key=lambda result: (_entry(result)[1:], result.fingerprint))
    ]
    listed = "[\n  " + ",\n  ".join(lines) + "\n ]" if lines else "[]"
    return f'{{"version": {VERSION},\n "findings": {listed}}}\n'


def _entry(result: Result) -> Entry:
    return Entry(result.fingerprint, result.rule.name, whole(result.at.path), whole(result.finding.message))


def parse(data: bytes, file: str) -> Baseline:
    """The baseline in a file; `file` is its name for messages. Raises ValueError with one sentence."""
    import json

    mend = "write it anew with `--generate-baseline`"
    try:
        document = json.loads(data)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else " ".join(str(error).split())[:200]
        raise ValueError(f"{file}: this is no JSON ({reason}); {mend}") from None
    if not isinstance(document, dict) or not isinstance(document.get("findings"), list):
        raise ValueError(f"{file}: this is no baseline, for it has no list `findings`; {mend}")
    if document.get("version") != VERSION:
        raise ValueError(f"{file}: this baseline is not of version {VERSION}, the one that is known here; {mend}")
    entries: dict[str, Entry] = {}
    for number, found in enumerate(document["findings"], 1):
        texts = [found.get(key) if isinstance(found, dict) else None for key in Entry._fields]
        known = [text for text in texts if isinstance(text, str)]
        if len(known) < len(texts):
            raise ValueError(f"{file}: entry {number} of `findings` lacks one of {', '.join(Entry._fields)}; {mend}")
        entries[known[0]] = Entry(*known)
    return Baseline(entries, file)


def against(report: Report, baseline: Baseline) -> Against:
    """The report as it stands against a baseline."""
    place = Place(baseline.file)
    known = {
        result.fingerprint: replace(
            result,
            suppression=Suppression(
                rule=result.rule.name,
                glob="",
                in_note=False,
                reason=f"it is in the baseline {baseline.file}",
                until="",
                place=place,
                state="used",
            ),
        )
        for result in report.results
        if result.fingerprint in baseline.entries
    }
    idle = {rule.name for rule in report.rules} - report.ran
    stale = [entry for entry in baseline.entries.values() if entry.fingerprint not in known and entry.rule not in idle]
    return Against(
        replace(
            report,
            results=tuple(result for result in report.results if result.fingerprint not in known),
            suppressed=tuple(sorted([*report.suppressed, *known.values()], key=order)),
        ),
        tuple(sorted(stale, key=lambda entry: (entry.path, entry.rule, entry.message, entry.fingerprint))),
    )
