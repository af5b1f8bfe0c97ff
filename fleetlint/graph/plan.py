"""What the next reconcile of each fleet does when the server has these notes: roles compared with what is registered."""

from __future__ import annotations

from itertools import permutations, product
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.graph.derive import EVENTS
from fleetlint.graph.owners import UNNAMED, claims, owners_of_all
from fleetlint.registry.delivery import callback_of, callback_of_most, callbacks, delivery_url, is_old_form
from fleetlint.registry.marker import Marker
from fleetlint.registry.version import registered_fields, version_of
from fleetlint.roles.cron import BadCron, read_cron
from fleetlint.roles.validate import refused_by_fleet, refused_by_server

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fleetlint.graph.model import Fleet
    from fleetlint.registry import Registry, Webhook
    from fleetlint.registry.version import Fields
    from fleetlint.roles import Role

    Value = str | tuple[str, ...]
    _Key = tuple[str, str, str]
    """Fleet id, note path, kind: what a reconcile tells webhooks apart by."""

CREATE = "create"
REPLACE = "replace"
REPOINT = "repoint"
DELETE = "delete"
REFUSED = "refused"
LEAVE = "leave"


class Change(NamedTuple):
    """A field that enters the version: the key of the note, the registered value, and the note's."""

    key: str
    before: Value
    after: Value


class Action(NamedTuple):
    """What becomes of one webhook. `verb` is one of the constants above; `refused` is what the fleet asks for and the
    server does not take, so that all stays as it is.

    `marker` is the one that the webhook will have, or has when it is deleted or left alone; `webhook` is what is
    registered, None when nothing is. `key` is the key of the note that the reason is about.

    `changes` are the fields by which a replaced webhook differs. They are all of them when `hidden` is empty; else those
    that the registry shows, and the `hidden` ones, which it does not show in full, may differ, too. `url` is the address before
    and after, where it moves.
    """

    verb: str
    marker: Marker
    webhook: Webhook | None
    why: str = ""
    key: str | None = None
    changes: tuple[Change, ...] = ()
    hidden: tuple[str, ...] = ()
    url: tuple[str, str] | None = None
    remarks: tuple[str, ...] = ()


class Daemon(NamedTuple):
    """A fleet, and where its webhooks deliver: `callback` is where all of them will, None where that is not known.

    `callbacks` are the bases there are, that of most webhooks first.
    """

    fleet_id: str
    callback: str | None
    callbacks: tuple[str, ...]


class Idle(NamedTuple):
    """A role for which nothing is registered, and nothing will be."""

    path: str
    why: str


class Plan(NamedTuple):
    """`actions` change something or fail, `left` are the webhooks of fleets that stay as they are; by fleet, path, kind.

    `fleets` are those that are known or have webhooks, by id; `idle` comes by path.
    """

    actions: tuple[Action, ...]
    left: tuple[Action, ...]
    fleets: tuple[Daemon, ...]
    idle: tuple[Idle, ...]


def plan(
    roles: Sequence[Role],
    fleets: Sequence[Fleet],
    registry: Registry,
    *,
    configured: bool,
    given: Mapping[str, str] | None = None,
) -> Plan:
    """The next reconcile of each fleet.

    `fleets` are those of the settings when `configured`: then no other is known, and its webhooks are left alone. Else
    they are inferred from the roles, and every fleet that has registered something counts as running. `given` are callback
    bases by fleet id; those of other fleets are taken from their webhooks: where more than half of them deliver.
    """
    roles = sorted(roles, key=lambda role: role.path)
    takers = _takers(roles, fleets, registry)
    registered: dict[_Key, list[Webhook]] = {}
    left = []
    known = {fleet.id for fleet in fleets} if configured else None
    for webhook in registry.webhooks:
        marker = webhook.marker
        if marker is None:
            continue
        if marker.kind != webhook.kind:
            left.append(Action(LEAVE, marker, webhook, f"its marker is that of a {marker.kind} webhook"))
        elif known is not None and marker.fleet_id not in known:
            left.append(Action(LEAVE, marker, webhook, f"no fleet `{marker.fleet_id}` is known here"))
        else:
            registered.setdefault((marker.fleet_id, marker.path, marker.kind), []).append(webhook)
    wanted = {
        (fleet_id, role.path, kind): role
        for role in roles
        for fleet_id, fleet in takers[role.path].items()
        if role.enabled and not _is_invalid(role, fleet)
        for kind, runs in (("change", role.is_change), ("cron", role.is_cron))
        if runs
    }
    daemons = _daemons(fleets, registry, given or {})
    by_path = {role.path: role for role in roles}
    moves = _Moves(registry, daemons)
    found = [
        action
        for key in registered.keys() | wanted.keys()
        for action in _of_key(key, wanted.get(key), registered.get(key, []), by_path, takers, moves)
    ]
    busy = {path for _, path, _ in (*registered, *wanted)}
    return Plan(
        actions=tuple(sorted((action for action in found if action.verb != LEAVE), key=_order)),
        left=tuple(sorted([*left, *(action for action in found if action.verb == LEAVE)], key=_order)),
        fleets=tuple(daemons[fleet_id] for fleet_id in sorted(daemons)),
        idle=tuple(Idle(role.path, _why_idle(role, takers[role.path])) for role in roles if role.path not in busy),
    )


def _order(action: Action) -> tuple[str, str, str, int, str]:
    """Ids are mostly numbers: 9 comes before 10."""
    webhook_id = action.webhook.id if action.webhook else ""
    return (action.marker.fleet_id, action.marker.path, action.marker.kind, len(webhook_id), webhook_id)


def _takers(roles: Sequence[Role], fleets: Sequence[Fleet], registry: Registry) -> dict[str, dict[str, Fleet]]:
    """By path the fleets that take the role, by id.

    The fleet without a name is called as the one that has registered the role, or as the only one that has registered
    anything.
    """
    claimed = claims(registry)
    ids = frozenset().union(*claimed.values())
    lone = ids if len(ids) == 1 else frozenset({UNNAMED})
    return {
        role.path: {
            name: fleet
            for fleet in taking
            for name in sorted(claimed.get(role.path, lone) if fleet.id == UNNAMED else {fleet.id})
        }
        for role, taking in zip(roles, owners_of_all(roles, fleets), strict=True)
    }


def _is_invalid(role: Role, fleet: Fleet) -> bool:
    return bool(role.problems or refused_by_fleet(role, fleet.tools))


def _of_key(
    key: _Key,
    role: Role | None,
    webhooks: Sequence[Webhook],
    by_path: Mapping[str, Role],
    takers: Mapping[str, Mapping[str, Fleet]],
    moves: _Moves,
) -> Iterator[Action]:
    """What becomes of the webhooks of one fleet for one note; `role` is the one that they are wanted for, if any."""
    fleet_id, path, kind = key
    if role is None:
        why = _why_unwanted(by_path.get(path), fleet_id, takers.get(path, {}), kind)
        yield from (_deleted(webhook, *why) for webhook in webhooks)
        return
    fields = registered_fields(role, kind)
    marker = Marker(fleet_id, path, version_of(fields, kind), kind)
    if not webhooks:
        yield _refused(role, marker, None) or Action(CREATE, marker, None, key="mode")
        return
    # A fleet keeps one. Which, is described nowhere: taken is the current one, else the oldest.
    kept, *others = sorted(webhooks, key=lambda one: (_version(one) != marker.version, len(one.id), one.id))
    yield _kept(role, marker, kept, fields, moves)
    yield from (_deleted(webhook, "this role has another one", "mode") for webhook in others)


def _version(webhook: Webhook) -> str:
    return webhook.marker.version if webhook.marker else ""


def _deleted(webhook: Webhook, why: str, key: str | None) -> Action:
    assert webhook.marker is not None
    return Action(DELETE, webhook.marker, webhook, why, key)


def _kept(role: Role, marker: Marker, webhook: Webhook, fields: Fields, moves: _Moves) -> Action:
    remarks = [] if webhook.enabled else ["it is disabled at the server, and stays so"]
    url = moves.of(webhook)
    if _version(webhook) == marker.version:
        # What somebody changed at the server. The fleet looks at the version only.
        remarks += [
            f"at the server its `{change.key}` is {told(change.before)} and in the note {told(change.after)}, but no "
            "reconcile changes it, for its version is the note's"
            for change in _visible(fields, webhook)
        ]
        verb = LEAVE if url is None else REPOINT
        return Action(verb, marker, webhook, url=url, remarks=tuple(remarks))
    refused = _refused(role, marker, webhook)
    if refused:
        return refused
    changes, hidden = differences(fields, webhook)
    key = changes[0].key if changes else "mode"
    return Action(REPLACE, marker, webhook, "", key, changes, hidden, url, tuple(remarks))


def _refused(role: Role, marker: Marker, webhook: Webhook | None) -> Action | None:
    for problem in refused_by_server(role):
        return Action(REFUSED, marker, webhook, problem.message, problem.key)
    if marker.kind == "cron":
        try:
            read_cron(role.cron_schedule)
        except BadCron as fault:
            return Action(REFUSED, marker, webhook, fault.message, "cron_schedule")
    return None


def _why_unwanted(role: Role | None, fleet_id: str, takers: Mapping[str, Fleet], kind: str) -> tuple[str, str | None]:
    """The reason, and the key of the note that it is about."""
    if role is None:
        return "its note is no role of this vault", None
    if not role.enabled:
        return "the role is paused", "enabled"
    if fleet_id not in takers:
        return f"the fleet `{fleet_id}` does not claim this role", "fleet_id"
    if _is_invalid(role, takers[fleet_id]):
        return "the role is invalid", "mode"
    return f"the role's `mode` is `{role.mode}`, which needs no {kind} webhook", "mode"


def _why_idle(role: Role, takers: Mapping[str, Fleet]) -> str:
    if not role.enabled:
        return "paused"
    return "invalid" if takers else "no fleet takes it"


# --- Addresses ---


def _daemons(fleets: Sequence[Fleet], registry: Registry, given: Mapping[str, str]) -> dict[str, Daemon]:
    bases = callbacks(registry)
    ids = {webhook.marker.fleet_id for webhook in registry.webhooks if webhook.marker}
    # The fleet without a name is the only one that has registered anything, if there is such.
    ids |= {fleet.id for fleet in fleets if fleet.id != UNNAMED or len(ids) != 1}
    found = {}
    for fleet_id in ids:
        counts = bases.get(fleet_id, {})
        found[fleet_id] = Daemon(fleet_id, given.get(fleet_id, callback_of_most(counts)), tuple(counts))
    return found


class _Moves:
    """Which webhooks their fleets will let deliver elsewhere."""

    def __init__(self, registry: Registry, daemons: Mapping[str, Daemon]) -> None:
        self._callbacks = {daemon.fleet_id: daemon.callback for daemon in daemons.values()}
        self._current = {
            webhook.marker.fleet_id
            for webhook in registry.webhooks
            if webhook.marker and callback_of(webhook.url) != webhook.url and not is_old_form(webhook.url)
        }
        """The fleets that make URLs of the new form: they replace those of the old one."""

    def of(self, webhook: Webhook) -> tuple[str, str] | None:
        """The URL before and after; None where it stays, or nobody knows."""
        marker = webhook.marker
        callback = self._callbacks[marker.fleet_id] if marker else None
        if marker is None or callback is None or not webhook.url:
            return None
        is_old = is_old_form(webhook.url)
        renewed = is_old and marker.fleet_id in self._current
        if callback_of(webhook.url) == callback and not renewed:
            return None
        return webhook.url, delivery_url(callback, marker, old=is_old and not renewed)


# --- Fields ---


def told(value: Value) -> str:
    """A value in words."""
    return value if isinstance(value, str) else f"[{', '.join(value)}]"


def differences(now: Fields, webhook: Webhook) -> tuple[tuple[Change, ...], tuple[str, ...]]:
    """The fields that differ, and the keys that the registry does not show in full and that may differ, too.

    Where the version of the marker can be made of what the registry shows, the fields before are known to the letter, the
    order of events included, which the registry itself does not tell.
    """
    shown = _shown(webhook)
    for before in _readings(now, shown):
        if version_of(before, webhook.kind) == _version(webhook):
            return tuple(Change(key, before[key], now[key]) for key in now if before[key] != now[key]), ()
    visible = _visible(now, webhook)
    seen = {change.key for change in visible}
    # Of the events it shows which there are, neither their order nor words that are no events.
    return visible, tuple(key for key in now if shown[key] is None or (key == "trigger_on" and key not in seen))


def _visible(now: Fields, webhook: Webhook) -> tuple[Change, ...]:
    """The fields that mean something else at the server than in the note, as far as the registry shows them."""
    shown = _shown(webhook)
    return tuple(
        Change(key, before, now[key])
        for key in now
        if (before := shown[key]) is not None and _meaning(key, before) != _meaning(key, now[key])
    )


def _meaning(key: str, value: Value) -> object:
    if key == "trigger_on":
        return EVENTS.intersection(value)
    return value or "allow_overlap" if key == "concurrency" else value


def _shown(webhook: Webhook) -> Mapping[str, Value | None]:
    return {
        "trigger_on": webhook.events,
        "trigger_include": webhook.include_patterns,
        "trigger_exclude": webhook.exclude_patterns,
        "cron_schedule": webhook.cron_schedule,
        "read_patterns": webhook.read_patterns,
        "write_patterns": webhook.write_patterns,
        "attach_notes": webhook.attach_notes,
        "max_depth": None if webhook.max_depth is None else str(webhook.max_depth),
        "concurrency": webhook.concurrency,
        "timeout_seconds": None if webhook.timeout_seconds is None else str(webhook.timeout_seconds),
    }


def _readings(now: Fields, shown: Mapping[str, Value | None]) -> Iterator[Fields]:
    """What the note may have said when it was registered; what the registry does not show is taken to be as it is now."""
    choices: list[list[Value]] = []
    for key, value in now.items():
        before = shown[key]
        if before is None:
            choices.append([value])
        elif key == "trigger_on":
            same = [value] if _meaning(key, before) == _meaning(key, value) else []
            choices.append([*same, *permutations(before)])
        elif key == "concurrency" and before in ("", "allow_overlap"):
            choices.append(["allow_overlap", ""])
        else:
            choices.append([before])
    for values in product(*choices):
        yield dict(zip(now, values, strict=True))
