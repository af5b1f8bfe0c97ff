"""What the next reconcile does: as text, as Markdown for a pull request, as JSON (`docs/plan.md` has its shape)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from fleetlint.graph.plan import CREATE, DELETE, REFUSED, REPLACE, REPOINT, told
from fleetlint.registry.delivery import callback_of, shown
from fleetlint.report.characters import printable, whole
from fleetlint.report.mermaid import cell
from fleetlint.report.text import Paint, count
from fleetlint.rule import Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fleetlint.graph.plan import Action, Daemon, Plan, Value
    from fleetlint.report import Context

FORMATS = ("text", "json", "markdown")

SIGNS = {CREATE: "+", REPLACE: "-/+", REPOINT: "~", DELETE: "-", REFUSED: "!"}
"""The verbs in the order in which they are counted."""
VALUE = 200
"""Characters of a value that the Markdown shows."""
COMMENT = 50_000
"""Characters that the Markdown has for what is done; GitHub takes comments of 65,536."""
OTHERS = 10_000
"""Characters for what stays as it is."""
NO_NAME = "(no name)"
NOTHING = "(none)"
"""What stands for an empty value."""


def render(format: str, plan: Plan, context: Context) -> str:
    """The plan in one of FORMATS, with a final newline."""
    return {"text": text, "json": json, "markdown": markdown}[format](plan, context)


# --- Text ---


def text(plan: Plan, context: Context) -> str:
    """A block a fleet, then what stays and why, and a last line that counts. Nothing of a note or of the registry reaches
    the terminal as a command."""
    paint = Paint(context)
    lines: list[str] = []
    for daemon in plan.fleets:
        of_fleet = [action for action in plan.actions if action.marker.fleet_id == daemon.fleet_id]
        doubt = _doubt(daemon)
        if of_fleet or doubt:
            at = f" at {shown(daemon.callback)}" if daemon.callback else ""
            lines.append(paint.bold(printable(f"fleet {daemon.fleet_id or NO_NAME}{at}")))
            lines += [f"  {printable(doubt)}"] if doubt else []
            lines += [line for action in of_fleet for line in _lines(action, paint)]
            lines.append("")
    remarks = [f"{_webhook(action)}: {remark}" for action in plan.left for remark in _remarks(action)]
    idle = [f"{role.path}: {role.why}" for role in plan.idle]
    for title, items in (("stay as they are", remarks), ("roles for which nothing is registered, nor will be", idle)):
        if items:
            lines += [paint.bold(title), *(f"  {printable(item)}" for item in items), ""]
    return "\n".join([*lines, f"{'Plan: ' if plan.actions else ''}{summary(plan)}."]) + "\n"


def _doubt(daemon: Daemon) -> str:
    """What a registry alone cannot tell of the fleet's address."""
    if daemon.callback is not None or len(daemon.callbacks) < 2:
        return ""
    return (
        f"its webhooks deliver to {', '.join(map(shown, daemon.callbacks))}, and to none of these more than half of them: two daemons "
        f"run as this fleet, or one has moved; `--callback {daemon.fleet_id}=URL` says where to"
    )


def _lines(action: Action, paint: Paint) -> Iterator[str]:
    sign = f"{SIGNS[action.verb]:<3} {action.verb:<7}"
    painted = {
        CREATE: paint.green(sign),
        REPLACE: paint.of(Severity.WARN, sign),
        REPOINT: paint.of(Severity.INFO, sign),
    }.get(action.verb) or paint.of(Severity.ERROR, sign)
    yield f"  {painted} {printable(_webhook(action) + (f': {action.why}' if action.why else ''))}"
    for said, before, after in _details(action):
        yield f"        {printable(said if before is None else f'{said}: {before} → {after}')}"


def _webhook(action: Action) -> str:
    number = f" {action.webhook.id}" if action.webhook else ""
    kind = action.webhook.kind if action.webhook else action.marker.kind
    return f"{action.marker.path}, {kind} webhook{number}"


class _Detail(NamedTuple):
    """A sentence, or a field with the value before and after."""

    said: str
    before: str | None = None
    after: str = ""


def _details(action: Action) -> Iterator[_Detail]:
    for change in action.changes:
        yield _Detail(change.key, told(change.before) or NOTHING, told(change.after) or NOTHING)
    if action.verb == REPLACE and not action.changes:
        yield _Detail(_unseen(action))
    elif action.hidden:
        yield _Detail(f"and perhaps {', '.join(action.hidden)}, which the registry does not show in full")
    if action.url:
        bases = tuple(map(callback_of, action.url))
        name, values = ("url", action.url) if len(set(bases)) == 1 else ("callback", bases)
        yield _Detail(name, *map(shown, values))
    yield from map(_Detail, action.remarks)


def _unseen(action: Action) -> str:
    """Why a webhook is replaced although no difference is to be seen."""
    registered = action.webhook.marker.version if action.webhook and action.webhook.marker else ""
    if not registered:
        return "it is registered without a version"
    what = (
        f"{', '.join(action.hidden)}: not shown in full by the registry"
        if action.hidden
        else "no difference is to be seen"
    )
    return f"version: {registered} → {action.marker.version} ({what})"


def _remarks(action: Action) -> Iterator[str]:
    if action.why:
        yield action.why
    yield from action.remarks


def counts(plan: Plan) -> dict[str, int]:
    """How many webhooks are concerned, by verb."""
    return {verb: sum(action.verb == verb for action in plan.actions) for verb in SIGNS}


def summary(plan: Plan) -> str:
    """What there is to do, in one line without a full stop."""
    numbers = counts(plan)
    stay = f"{count(len(plan.left), 'webhook')} {'stays as it is' if len(plan.left) == 1 else 'stay as they are'}"
    if not plan.actions:
        return f"Nothing to do; {stay}"
    todo = ", ".join(f"{numbers[verb]:,} to {verb}" for verb in (CREATE, REPLACE, REPOINT, DELETE))
    refused = f", {numbers[REFUSED]:,} refused by the server" if numbers[REFUSED] else ""
    return f"{todo}{refused}; {stay}"


# --- Markdown ---


def markdown(plan: Plan, context: Context) -> str:  # noqa: ARG001 - every format has this signature
    """A comment for a pull request: a heading that counts, a table a fleet that folds away, and what stays and why."""
    parts = [f"### fleetlint: {summary(plan)}"]
    room, left_out = COMMENT, 0
    for daemon in plan.fleets:
        rows = [_row(action) for action in plan.actions if action.marker.fleet_id == daemon.fleet_id]
        doubt = _doubt(daemon)
        if not (rows or doubt):
            continue
        title = f"fleet {_code(daemon.fleet_id or NO_NAME)}: {count(len(rows), 'webhook')}"
        frame = [f"<details open>\n<summary>{title}</summary>", *([cell(_short(doubt))] if doubt else [])]
        room -= sum(map(len, frame))
        shown = list(_fitting(rows, room))
        room -= sum(map(len, shown))
        left_out += len(rows) - len(shown)
        if shown or (doubt and room > 0):
            table = ["| | role | webhook | what changes |", "| --- | --- | --- | --- |", *shown] if shown else []
            parts += [*frame, *(["\n".join(table)] if table else []), "</details>"]
    parts += [f"{left_out:,} more {'is' if left_out == 1 else 'are'} left out."] if left_out else []
    others = [
        f"- {_code(action.marker.path)}: {cell(_short(said))}" for action in plan.left for said in _remarks(action)
    ]
    others += [f"- {_code(role.path)}: {role.why}; nothing is registered, nor will be" for role in plan.idle]
    if others:
        shown = list(_fitting(others, OTHERS))
        more = [f"- {len(others) - len(shown):,} more"] if len(others) > len(shown) else []
        title = "What stays as it is, and why"
        parts += [f"<details>\n<summary>{title}</summary>", "\n".join([*shown, *more]), "</details>"]
    return whole("\n\n".join(parts)) + "\n"


def _fitting(lines: Iterable[str], room: int) -> Iterator[str]:
    """As many of the lines, from the first on, as have room."""
    for line in lines:
        room -= len(line)
        if room < 0:
            return
        yield line


def _short(text: str) -> str:
    return printable(text if len(text) <= 2 * VALUE else f"{text[: 2 * VALUE - 1]}…")


def _row(action: Action) -> str:
    webhook = f"{action.webhook.kind} {_code(action.webhook.id)}" if action.webhook else action.marker.kind
    changes = [
        cell(_short(said)) if before is None else f"{said}: {_code(before)} → {_code(after)}"
        for said, before, after in (*([_Detail(action.why)] if action.why else []), *_details(action))
    ]
    sign = _code(SIGNS[action.verb])
    return f"| {sign} {action.verb} | {_code(action.marker.path)} | {webhook} | {'<br>'.join(changes)} |"


def _code(text: str) -> str:
    """Any text as code, in a cell or in HTML. Markdown's own code could hold neither every backtick nor every pipe."""
    shown = printable(text if len(text) <= VALUE else f"{text[: VALUE - 1]}…")
    escaped = "".join(
        f"&#{ord(character)};"
        if character.isascii() and not character.isalnum() and character not in " -/."
        else character
        for character in shown
    )
    return f"<code>{escaped.replace('www.', 'www&#46;')}</code>"


# --- JSON ---


def json(plan: Plan, context: Context) -> str:  # noqa: ARG001 - every format has this signature
    """One object, ends in a newline. All of it is valid Unicode."""
    from json import dumps

    document = {
        "summary": counts(plan) | {"leave": len(plan.left)},
        "fleets": [
            {
                "id": daemon.fleet_id,
                "callback": None if daemon.callback is None else shown(daemon.callback),
                "callbacks": list(map(shown, daemon.callbacks)),
            }
            for daemon in plan.fleets
        ],
        "actions": [_object(action) for action in plan.actions],
        "left": [_object(action) for action in plan.left],
        "idle": [{"note_path": role.path, "why": role.why} for role in plan.idle],
    }
    return whole(dumps(document, ensure_ascii=False, indent=1)) + "\n"


def _object(action: Action) -> dict[str, Any]:
    webhook, marker = action.webhook, action.marker
    return {
        "action": action.verb,
        "fleet_id": marker.fleet_id,
        "note_path": marker.path,
        "webhook": {"kind": webhook.kind if webhook else marker.kind, "id": webhook.id if webhook else None},
        "enabled": webhook.enabled if webhook else True,
        "why": action.why,
        "version": {
            "before": webhook.marker.version if webhook and webhook.marker else None,
            "after": None if action.verb == DELETE else marker.version,
        },
        "changes": [
            {"key": change.key, "before": _plain(change.key, change.before), "after": _plain(change.key, change.after)}
            for change in action.changes
        ],
        "hidden": list(action.hidden),
        "url": {"before": shown(action.url[0]), "after": shown(action.url[1])} if action.url else None,
        "remarks": list(action.remarks),
    }


def _plain(key: str, value: Value) -> Value | int:
    return int(value) if isinstance(value, str) and key in ("max_depth", "timeout_seconds") else value
