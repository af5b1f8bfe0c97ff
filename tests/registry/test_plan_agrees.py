"""`fleetlint plan` against a reconciler that knows nothing of it: random fleets, and one change at a time."""

from __future__ import annotations

import io
import json
from contextlib import redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from fleetlint.cli import main
from tests.registry.reconciler import LISTINGS, Fleet, Registry, as_an_older_server_shows, owner_of, reconcile

GLOBS = st.lists(
    st.sampled_from(["calls/**", "log/*.md", "a b/**", "wiki/{a,b}/**", "!x.md", "[a-z]*.md", "x", "ü/**"]), max_size=3
)


def texts(items: st.SearchStrategy[list[str]]) -> st.SearchStrategy[str]:
    """A list as people write it: flow, block of JSON in a text, or one text."""
    return st.one_of(
        items.map(lambda these: json.dumps(these, ensure_ascii=False)),
        items.map(lambda these: "'" + json.dumps(these, ensure_ascii=False) + "'"),
        items.map(lambda these: json.dumps(", ".join(these), ensure_ascii=False)),
    )


def words(*choices: str) -> st.SearchStrategy[str]:
    return st.sampled_from(choices)


EVENTS = st.lists(words("create", "update", "remove"), max_size=3) | st.just(["create", "created"])
IN_THE_VERSION = {
    "change": {
        *("trigger_include", "trigger_exclude", "read_patterns", "write_patterns", "attach_notes", "trigger_on"),
        *("max_depth", "concurrency", "timeout_seconds"),
    },
    "cron": {
        *("cron_schedule", "read_patterns", "write_patterns", "attach_notes"),
        *("concurrency", "max_depth", "timeout_seconds"),
    },
}
VALUES: dict[str, st.SearchStrategy[str]] = {
    "fleet_id": words('"a"', '"b"', '""'),
    "mode": words("change", "change", "cron", "both", "both", "Change"),
    "trigger_on": texts(EVENTS),
    "trigger_include": texts(GLOBS),
    "trigger_exclude": texts(GLOBS),
    "read_patterns": texts(GLOBS),
    "write_patterns": texts(GLOBS),
    "attach_notes": texts(GLOBS),
    "cron_schedule": words('"0 6 * * *"', '"*/15 * * * *"', '"@daily"', '""', '"0 0 31 2 *"', '"0 0 * * 7"'),
    "for_each": words('""', "changed_files", "attached_notes", "each"),
    "concurrency": words('""', "allow_overlap", "skip", "queue_one", "' skip '", "stop"),
    "max_depth": words("0", "1", "2", "999", "1000", "-1", '"+3"', "x", '""'),
    "max_tokens": words("1", "16000", "many"),
    "max_steps": words("1", "20"),
    "timeout_seconds": words("0", "300", "120", "3600", "3601", "-5"),
    "tools": texts(st.lists(words("search", "write_note", "patch_note"), max_size=2) | st.just(["hammer"])),
    "model": words('"m"', '"n"'),
    "description": words('"d"', '"e"'),
    "executor": words("llm", "code"),
    "env_passthrough": texts(st.just(["HOME"])),
    "enabled": words("yes", "true", "no", "off", '"no"', "maybe"),
    "body": words("Do it.\n", "Do change_file.\n", "```python\npass\n```\n", "```cobol\n```\n"),
}
USUAL = {
    "mode": "both",
    "trigger_on": "[create, update]",
    "trigger_include": "[calls/**]",
    "cron_schedule": '"0 6 * * *"',
    "write_patterns": "[log/**]",
    "max_depth": "2",
    "body": "Do it.\n",
}
PATHS = ("roles/a.md", "roles/b.md", "roles/ü#1:x.md", "other/c.md", "d.md")

Note = dict[str, str]


@st.composite
def notes(draw: st.DrawFn) -> Note:
    """A role that is mostly fine: a few keys have any value."""
    odd = draw(st.lists(st.sampled_from(sorted(VALUES)), max_size=4, unique=True))
    return {"fleet_id": draw(words('"a"', '"b"')), **USUAL, **{key: draw(VALUES[key]) for key in odd}}


class World(NamedTuple):
    notes: dict[str, Note]
    fleets: tuple[Fleet, ...]
    settings: str
    """The settings file; empty where the fleets are to be seen from the roles."""


INFERRED = (Fleet("a", "https://a.example.org"), Fleet("b", "http://127.0.0.1:7070/b", old_urls=True))
LONE = (Fleet("f", "https://f.example.org", mode="folder"),)
CONFIGURED = (
    Fleet("a", "https://a.example.org", default=True, tools=("search", "write_note", "hammer")),
    Fleet("f", "https://f.example.org", mode="folder", folder="roles/"),
)
SETTINGS = """\
fleets:
  - {id: a, default: true, tools: [search, write_note, hammer]}
  - {id: f, mode: folder, folder: roles/}
"""


@st.composite
def worlds(draw: st.DrawFn) -> World:
    fleets, settings = draw(st.sampled_from([(INFERRED, ""), (CONFIGURED, SETTINGS), (LONE, "")]))
    return World(draw(st.dictionaries(st.sampled_from(PATHS), notes(), min_size=1, max_size=4)), fleets, settings)


def told_apart(world: World) -> World:
    """The world as far as its fleets can be told without settings: roles that name fleets have selector fleets, roles of
    which none names one have a folder fleet."""
    if world.fleets == LONE:
        return world._replace(notes={path: {**note, "fleet_id": '""'} for path, note in world.notes.items()})
    assume(world.settings or any(note.get("fleet_id", '""') != '""' for note in world.notes.values()))
    return world


def written(note: Note) -> str:
    header = "".join(f"{key}: {value}\n" for key, value in note.items() if key != "body")
    return f"---\n{header}---\n{note.get('body', '')}"


def reconciled(world: World, registry: Registry) -> tuple[Registry, set[tuple[str, str, str]]]:
    """The registry after each fleet has run, and what the server refused."""
    refused = set()
    for fleet in world.fleets:
        registry, failed = reconcile({path: written(note) for path, note in world.notes.items()}, fleet, registry)
        refused |= {(fleet.id, path, kind) for path, kind in failed}
    return registry, refused


def planned(world: World, registry: Registry, *options: str) -> tuple[dict[str, Any], int]:
    """The plan as the command prints it, and its exit code."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        for path, note in world.notes.items():
            (root / path).parent.mkdir(exist_ok=True)
            (root / path).write_text(written(note), encoding="utf-8")
        (root / "registry.json").write_text(json.dumps(registry), encoding="utf-8")
        if world.settings:
            (root / ".fleetlint.yaml").write_text(world.settings)
        with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")) as out:
            arguments = [folder, "--registry", f"{folder}/registry.json", "--format", "json", "--no-cache"]
            code = main(["plan", *arguments, "--exit-code", *options])
            out.seek(0)
            return json.loads(out.read()), code


Did = tuple[str, str, str, str]
"""What happens, fleet, path, kind."""


def happened(before: Registry, after: Registry, refused: set[tuple[str, str, str]]) -> list[Did]:
    """What a reconcile did, seen from the two registries."""
    found: list[Did] = [("refused", *key) for key in refused]
    for kind, listing in LISTINGS.items():
        # One fleet may take the number of what another one has deleted.
        old, new = (
            {
                (owner, node["id"]): node
                for node in registry[listing]
                if (owner := (owner_of(node, kind) or ("", "", ""))[:2])
            }
            for registry in (before, after)
        )
        for (fleet_id, path), number in old.keys() | new.keys():
            was, now = (nodes.get(((fleet_id, path), number)) for nodes in (old, new))
            if was is None or now is None:
                verb = "create" if was is None else "delete"
            elif was["description"] != now["description"]:
                verb = "replace"
            elif was["url"] != now["url"]:
                verb = "repoint"
            else:
                continue
            found.append((verb, fleet_id, path, kind))
    return sorted(found)


def foreseen(plan: dict[str, Any]) -> list[Did]:
    """A fleet that has registered nothing yet, and that nothing names, is the lone one."""
    return sorted(
        (action["action"], action["fleet_id"] or LONE[0].id, action["note_path"], action["webhook"]["kind"])
        for action in plan["actions"]
    )


def agree(world: World, registry: Registry, *options: str) -> tuple[dict[str, Any], Registry]:
    """Asserts that the plan is what then happens, and that it is quiet afterwards; gives the plan and the new registry."""
    plan, code = planned(world, registry, *options)
    after, refused = reconciled(world, registry)
    did = happened(registry, after, refused)
    assert foreseen(plan) == did
    assert code == (3 if did else 0)
    again, _ = planned(world, after, *options)
    assert [action for action in foreseen(again) if action[0] != "refused"] == []
    return plan, after


def changes_of_one_field(data: st.DataObject, world: World) -> None:
    world = told_apart(world)
    registry: Registry = {listing: [] for listing in LISTINGS.values()}
    _, registry = agree(world, registry)
    path = data.draw(st.sampled_from(sorted(world.notes)))
    key = data.draw(st.sampled_from(sorted(VALUES)))
    changed = {**world.notes[path], key: data.draw(VALUES[key])}
    if data.draw(st.booleans()):
        changed.pop(key)
    is_older = data.draw(st.booleans())
    shown = as_an_older_server_shows(registry) if is_older else registry
    world = told_apart(world._replace(notes={**world.notes, path: changed}))
    plan, _ = planned(world, shown)
    after, refused = reconciled(world, registry)
    assert foreseen(plan) == happened(registry, after, refused)
    for action in plan["actions"]:
        if action["action"] != "refused" or action["webhook"]["id"]:
            assert action["note_path"] == path
        if action["action"] == "replace":
            kind = action["webhook"]["kind"]
            assert key in IN_THE_VERSION[kind]
            named = [change["key"] for change in action["changes"]]
            # What an older server does not show can be named only as one of several.
            assert named == [key] or (named == [] and key in action["hidden"])
            assert named or is_older or key == "trigger_on"
    agree(world, registry)


@given(st.data(), worlds())
@settings(max_examples=30)
def test_a_plan_is_what_a_reconcile_does(data: st.DataObject, world: World) -> None:
    changes_of_one_field(data, world)


@pytest.mark.slow
@given(st.data(), worlds())
@settings(max_examples=500)
def test_the_plans_of_500_fleets_are_what_their_reconciles_do(data: st.DataObject, world: World) -> None:
    changes_of_one_field(data, world)


MOVED = "https://moved.example.org/x"


@given(st.data(), worlds())
@settings(max_examples=30)
def test_notes_that_go_addresses_that_move_and_what_people_do_at_the_server_are_foreseen(
    data: st.DataObject, world: World
) -> None:
    world = told_apart(world)
    _, registry = agree(world, {listing: [] for listing in LISTINGS.values()})
    for listing in LISTINGS.values():
        for node in list(registry[listing]):
            deed = data.draw(words("nothing", "nothing", "disable", "second", "no version"))
            if deed == "disable":
                node["enabled"] = False
            elif deed == "second":
                registry[listing].append({**node, "id": 1000 + int(node["id"])})
            elif deed == "no version":
                node["description"] = node["description"].rpartition("#")[0]
    path = data.draw(st.sampled_from(sorted(world.notes)))
    others = {name: note for name, note in world.notes.items() if name != path}
    if data.draw(st.booleans()):
        others["moved/e.md"] = world.notes[path]
    world = told_apart(world._replace(notes=others))
    moved = data.draw(st.sampled_from(world.fleets))
    has_some = any(node["description"].split(":")[1] == moved.id for nodes in registry.values() for node in nodes)
    if has_some:
        world = world._replace(
            fleets=tuple(fleet._replace(callback=MOVED) if fleet == moved else fleet for fleet in world.fleets)
        )
    agree(world, registry, *(["--callback", f"{moved.id}={MOVED}"] if has_some else []))
