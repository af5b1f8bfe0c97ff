"""SARIF 2.1.0, in the shape that code scanning accepts.

Two sources of rules: the OASIS standard, and what GitHub enforces on an upload ("SARIF support for code scanning"; the
SARIF Multitool knows these as its `Ghas` rules). Where the standard leaves a choice, GitHub's reading decides.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from fleetlint.report.characters import whole
from fleetlint.rule import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable

    import sarif_om

    from fleetlint.edits import Fix
    from fleetlint.lint import Located, Report, Result
    from fleetlint.report import Context
    from fleetlint.rule import Rule, Suppression
    from fleetlint.vault import Span

HOME = "https://github.com/fleetlint/fleetlint"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

MAX_RESULTS = 25_000
MAX_LOCATIONS = 1_000
MAX_STEPS = 10_000
MAX_TAGS = 20
MAX_EFFECTS = 5
"""Edges and findings that the description of a fix names."""
MAX_GZIPPED = 10_000_000

LEVELS = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "note"}
PROBLEM_SEVERITIES = {Severity.ERROR: "error", Severity.WARN: "warning", Severity.INFO: "recommendation"}
WORST_FIRST = {Severity.ERROR: 0, Severity.WARN: 1, Severity.INFO: 2}


def render(report: Report, context: Context) -> str:
    """The log as JSON text with a final newline.

    Every rule is listed on every run and `results` is there even when empty: that is how code scanning learns that an
    alert is fixed. The run is `executionSuccessful` whatever was found: this module is only reached by a run that
    could lint.
    """
    return _fitting(report, context)[0]


def left_out(report: Report, context: Context) -> tuple[str, ...]:
    """What the SARIF of this report does not hold, one sentence each, for stderr; empty when it holds everything."""
    return _fitting(report, context)[1]


def _fitting(report: Report, context: Context) -> tuple[str, tuple[str, ...]]:
    """The log with as many results as code scanning takes, and a sentence for each kind of result that it lacks."""
    placed = [result for result in (*report.results, *report.suppressed) if _uri(result.at.path, context) is not None]
    sentences: list[str] = []
    if missing := len(report.results) + len(report.suppressed) - len(placed):
        sentences.append(
            f"{_count(missing, 'finding')} without a file in the repository {'is' if missing == 1 else 'are'} left out "
            "of the SARIF log, which can't hold them; see them with `--format text`."
        )
    limit = min(len(placed), MAX_RESULTS)
    while True:
        kept = _worst(placed, limit)
        said = tuple(sentences + _left_out_for_size(len(placed) - len(kept)))
        text = _log(report, context, kept, said)
        if limit == 0 or not _too_large(text):
            return text, said
        limit //= 2


def _worst(results: list[Result], limit: int) -> list[Result]:
    """The most severe that are not suppressed, in the order that they came in."""
    if len(results) <= limit:
        return results

    def rank(number: int) -> tuple[bool, int]:
        return (results[number].suppression is not None, WORST_FIRST[results[number].severity])

    worst = sorted(range(len(results)), key=rank)
    return [results[number] for number in sorted(worst[:limit])]


def _left_out_for_size(number: int) -> list[str]:
    if not number:
        return []
    return [
        f"{_count(number, 'finding')} of the least severe {'is' if number == 1 else 'are'} left out of the SARIF log, "
        f"since code scanning refuses more than {MAX_RESULTS:,} findings or {MAX_GZIPPED // 1_000_000} MB; mend the "
        "others first, or see all with `--format json`."
    ]


def _too_large(text: str) -> bool:
    data = text.encode()
    if len(data) <= MAX_GZIPPED:
        return False
    import zlib

    return len(zlib.compress(data)) > MAX_GZIPPED


def _log(report: Report, context: Context, results: list[Result], said: tuple[str, ...]) -> str:
    import json

    import sarif_om

    index = {rule.name: number for number, rule in enumerate(report.rules)}
    driver = sarif_om.ToolComponent(
        name="fleetlint",
        version=context.version,
        semantic_version=context.version,
        information_uri=HOME,
        rules=[_descriptor(rule) for rule in report.rules],
    )
    invocation = sarif_om.Invocation(
        execution_successful=True, tool_execution_notifications=_notifications(report, context, said)
    )
    # A result without the property is of an unknown state; so all have it, or none.
    says_suppressions = any(result.suppression for result in results)
    run = sarif_om.Run(
        tool=sarif_om.Tool(driver=driver),
        results=[
            _result(result, index[result.rule.name], context, says_suppressions=says_suppressions) for result in results
        ],
        invocations=[invocation],
        column_kind="unicodeCodePoints",
    )
    log = sarif_om.SarifLog(schema_uri=SCHEMA, version="2.1.0", runs=[run])
    return json.dumps(_plain(log), ensure_ascii=False, indent=2) + "\n"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _notifications(report: Report, context: Context, said: tuple[str, ...]) -> list[sarif_om.Notification] | None:
    """What a reader of the log must know about the run: what it leaves out, and files that could not be read."""
    import sarif_om

    notes = [sarif_om.Notification(level="warning", message=sarif_om.Message(text=sentence)) for sentence in said]
    for problem in report.vault.problems:
        uri = _uri(problem.path, context)
        place = sarif_om.PhysicalLocation(artifact_location=sarif_om.ArtifactLocation(uri=uri)) if uri else None
        notes.append(
            sarif_om.Notification(
                level="warning",
                message=sarif_om.Message(text=_text(problem.message)),
                locations=[sarif_om.Location(physical_location=place)] if place else None,
            )
        )
    return notes or None


def _descriptor(rule: Rule) -> sarif_om.ReportingDescriptor:
    import sarif_om

    page = rule.page()
    summary = _sentence(rule.summary)
    properties: dict[str, Any] = {
        "tags": list(rule.tags[:MAX_TAGS]),
        "precision": "high",
        "problem.severity": PROBLEM_SEVERITIES[rule.severity],
    }
    if rule.security_severity is not None:
        properties["security-severity"] = rule.security_severity
    return sarif_om.ReportingDescriptor(
        id=rule.name,
        name=_friendly_name(rule.name),
        short_description=sarif_om.MultiformatMessageString(text=summary),
        full_description=sarif_om.MultiformatMessageString(text=_first_paragraph(page) or summary),
        help=sarif_om.MultiformatMessageString(text=page, markdown=page),
        help_uri=_help_uri(rule),
        default_configuration=sarif_om.ReportingConfiguration(level=LEVELS[rule.severity], enabled=not rule.off),
        properties=properties,
    )


def _friendly_name(name: str) -> str | None:
    """`DeadTrigger` for `dead-trigger`; None for a single word, since a name must be more than the id again."""
    return "".join(part.capitalize() for part in name.split("-")) if "-" in name else None


def _help_uri(rule: Rule) -> str | None:
    """The rule's page on the forge; rules of other packages have theirs in the log alone."""
    package, _, folder = rule.check.__module__.partition(".")
    if package != "fleetlint_rules" or not folder:
        return None
    return f"{HOME}/blob/main/rules/fleetlint_rules/{folder.partition('.')[0]}/README.md"


def _first_paragraph(page: str) -> str:
    """What a page says first, below its heading, as one line."""
    for block in page.replace("\r\n", "\n").split("\n\n"):
        if block.strip() and not block.lstrip().startswith("#"):
            return _sentence(" ".join(block.split()))
    return ""


def _result(result: Result, rule_index: int, context: Context, *, says_suppressions: bool) -> sarif_om.Result:
    import sarif_om

    finding = result.finding
    return sarif_om.Result(
        rule_id=result.rule.name,
        rule_index=rule_index,
        level=LEVELS[result.severity],
        message=sarif_om.Message(text=f"{_text(finding.message)} {_text(finding.help)}".strip()),
        locations=[_location(result.at._replace(message=""), context)],
        related_locations=_locations(result.related, context)[: MAX_LOCATIONS - 1] or None,
        code_flows=_flow(result.hops, context),
        # GitHub tells alerts apart by `primaryLocationLineHash` alone. Without ours its upload action hashes the line,
        # and two findings of one rule on one line, such as two patterns of a flow list, would be one alert.
        partial_fingerprints={
            "fleetlint/v1": result.fingerprint,
            "primaryLocationLineHash": f"{result.fingerprint}:1",
        },
        suppressions=_suppressions(result.suppression) if says_suppressions else None,
        fixes=_fixes(result.fix, context),
    )


def _fixes(fix: Fix | None, context: Context) -> list[sarif_om.Fix] | None:
    import sarif_om

    if fix is None or any(_uri(change.path, context) is None for change in fix.replacements):
        return None
    effects = [] if fix.safe else ["it changes what wakes whom"]
    effects += [f"`{target}` is then no longer woken or fed by `{source}`" for source, target in fix.cuts[:MAX_EFFECTS]]
    effects += [f"`{target}` is then woken by `{source}`" for source, target in fix.wakes[:MAX_EFFECTS]]
    effects += [f"then there is: {sentence}" for sentence in fix.appears[:MAX_EFFECTS]]
    return [
        sarif_om.Fix(
            description=sarif_om.Message(text=_text("; ".join((fix.mend.sentence, *effects)))),
            artifact_changes=[
                sarif_om.ArtifactChange(
                    artifact_location=sarif_om.ArtifactLocation(uri=_uri(change.path, context)),
                    replacements=[
                        sarif_om.Replacement(
                            deleted_region=_region(change.span),
                            inserted_content=sarif_om.ArtifactContent(text=change.text) if change.text else None,
                        )
                    ],
                )
                for change in fix.replacements
            ],
        )
    ]


def _suppressions(suppression: Suppression | None) -> list[sarif_om.Suppression]:
    import sarif_om

    if suppression is None:
        return []
    kind = "inSource" if suppression.in_note else "external"
    return [sarif_om.Suppression(kind=kind, justification=_text(suppression.reason))]


def _flow(hops: tuple[Located, ...], context: Context) -> list[sarif_om.CodeFlow] | None:
    import sarif_om

    steps = [sarif_om.ThreadFlowLocation(location=place) for place in _locations(hops[:MAX_STEPS], context)]
    return [sarif_om.CodeFlow(thread_flows=[sarif_om.ThreadFlow(locations=steps)])] if steps else None


def _locations(places: Iterable[Located], context: Context) -> list[sarif_om.Location]:
    return [_location(place, context) for place in places if _uri(place.path, context) is not None]


def _location(at: Located, context: Context) -> sarif_om.Location:
    import sarif_om

    return sarif_om.Location(
        physical_location=sarif_om.PhysicalLocation(
            artifact_location=sarif_om.ArtifactLocation(uri=_uri(at.path, context)), region=_region(at.span)
        ),
        message=sarif_om.Message(text=_text(at.message)) if at.message else None,
    )


def _region(span: Span) -> sarif_om.Region:
    import sarif_om

    return sarif_om.Region(
        start_line=span.line, start_column=span.column, end_line=span.end_line, end_column=span.end_column
    )


def _uri(path: str, context: Context) -> str | None:
    """A vault path as a URI reference relative to the top of the checkout, or to the vault where there is none.

    None for no path at all, and for one outside of that folder.

    Bytes of a name that are not UTF-8 become the `%XX` that they are.
    """
    from posixpath import normpath
    from urllib.parse import quote

    if not path:
        return None
    full = normpath(path if path.startswith("/") else f"{context.root}/{path}".replace(os.sep, "/"))
    base = normpath((context.repository_root or context.root).replace(os.sep, "/")).rstrip("/")
    if not full.startswith(f"{base}/"):
        return None
    relative = full[len(base) + 1 :]
    if not relative.isascii():
        relative = "".join(_whole(character) for character in relative)
    return quote(relative.encode("utf-8", "surrogateescape"))


def _whole(character: str) -> str:
    """The character; U+FFFD for half a surrogate pair that stands for no byte of a file name."""
    return "\ufffd" if "\ud800" <= character <= "\udfff" and not "\udc80" <= character <= "\udcff" else character


def _text(message: str) -> str:
    """A message as a sentence. `](` would make a link of what stands in brackets before it."""
    return _sentence(message).replace("](", "\\](")


def _sentence(text: str) -> str:
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if not text or text.endswith((".", "!", "?")) else text + "."


def _plain(value: Any) -> Any:
    """An object of the model as JSON values.

    What equals the standard's default is left out, but for a level: there a missing one means the rule's.
    """
    attributes = getattr(value, "__attrs_attrs__", None)
    if attributes is not None:
        return {
            attribute.metadata["schema_property_name"]: _plain(inner)
            for attribute in attributes
            if (inner := getattr(value, attribute.name)) is not None
            and (attribute.name == "level" or inner != attribute.default)
        }
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, str) and not value.isascii():
        return whole(value)
    return value
