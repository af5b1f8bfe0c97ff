"""`fleetlint plan` at the command line; that it is right is held by tests/registry/test_plan_agrees.py."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fleetlint.cli import main
from tests.cli.test_imports import loaded
from tests.registry.reconciler import Fleet, Registry, reconcile
from tests.trip2g_server.server import ADMIN_KEY

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.trip2g_server.server import Trip2gServer

    Plan = Callable[..., tuple[int, str]]

PAGE = Path(__file__).parents[2] / "docs" / "plan.md"

INDEX = (
    "---\nfleet_id: desk\nmode: change\ntrigger_on: [create]\ntrigger_include: [wiki/**]\nwrite_patterns: [index.md]\n"
    "max_depth: 1\n---\nKeep the index.\n"
)
DIGEST = '---\nfleet_id: desk\nmode: cron\ncron_schedule: "0 6 * * *"\nwrite_patterns: [digests/**]\nmax_depth: 1\n---\nWrite.\n'
NOTES = {"roles/index.md": INDEX, "roles/digest.md": DIGEST}
DESK = Fleet("desk", "https://agents.example.org")
EMPTY: Registry = {"changeWebhooks": [], "cronWebhooks": []}


def registered(notes: dict[str, str] = NOTES, fleet: Fleet = DESK) -> Registry:
    return reconcile(notes, fleet, EMPTY)[0]


@pytest.fixture
def plan(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Plan:
    """Runs the command over these notes and this registry; gives the exit code and what it printed."""

    def run(notes: dict[str, str], registry: Registry, *options: str) -> tuple[int, str]:
        for path, text in notes.items():
            (tmp_path / path).parent.mkdir(exist_ok=True)
            (tmp_path / path).write_text(text)
        (tmp_path / "registry.json").write_text(json.dumps(registry))
        monkeypatch.chdir(tmp_path)
        code = main(["plan", ".", "--registry", "registry.json", *options])
        return code, capsys.readouterr().out

    return run


def test_a_vault_in_step_has_nothing_to_do(plan: Plan) -> None:
    assert plan(NOTES, registered(), "--exit-code") == (0, "Nothing to do; 2 webhooks stay as they are.\n")


def test_the_exit_code_tells_of_changes_only_where_it_is_asked_to(plan: Plan) -> None:
    assert plan(NOTES, EMPTY)[0] == 0
    assert plan(NOTES, EMPTY, "--exit-code")[0] == 3


def test_a_replaced_webhook_shows_the_fields_with_both_values(plan: Plan) -> None:
    changed = INDEX.replace("max_depth: 1", "max_depth: 3\nconcurrency: skip").replace("[wiki/**]", "[wiki/**, a.md]")
    assert plan({**NOTES, "roles/index.md": changed}, registered())[1] == (
        "fleet desk at https://agents.example.org\n"
        "  -/+ replace roles/index.md, change webhook 2\n"
        "        trigger_include: [wiki/**] → [wiki/**, a.md]\n"
        "        max_depth: 1 → 3\n"
        "        concurrency: (none) → skip\n"
        "\n"
        "Plan: 0 to create, 1 to replace, 0 to repoint, 0 to delete; 1 webhook stays as it is.\n"
    )


def test_the_order_of_events_is_told_though_the_registry_does_not_show_it(plan: Plan) -> None:
    before = INDEX.replace("[create]", "[create, update]")
    after = INDEX.replace("[create]", "[update, create]")
    assert (
        "        trigger_on: [create, update] → [update, create]\n"
        in plan({"roles/index.md": after}, registered({"roles/index.md": before}))[1]
    )


def test_a_role_that_is_paused_loses_its_webhook_and_is_then_idle(plan: Plan) -> None:
    notes = {"roles/index.md": INDEX.replace("max_depth", "enabled: no\nmax_depth")}
    assert (
        "  -   delete  roles/index.md, change webhook 1: the role is paused\n"
        in plan(notes, registered({"roles/index.md": INDEX}))[1]
    )
    assert plan(notes, EMPTY)[1] == (
        "roles for which nothing is registered, nor will be\n"
        "  roles/index.md: paused\n"
        "\n"
        "Nothing to do; 0 webhooks stay as they are.\n"
    )


def test_a_role_that_moved_is_deleted_and_created(plan: Plan) -> None:
    out = plan({"new/index.md": INDEX}, registered({"roles/index.md": INDEX}))[1]
    assert "  +   create  new/index.md, change webhook\n" in out
    assert "  -   delete  roles/index.md, change webhook 1: its note is no role of this vault\n" in out


def test_a_role_that_goes_to_another_fleet_is_deleted_by_one_and_created_by_the_other(plan: Plan) -> None:
    out = plan({"roles/index.md": INDEX.replace("desk", "lab")}, registered({"roles/index.md": INDEX}))[1]
    assert "  -   delete  roles/index.md, change webhook 1: the fleet `desk` does not claim this role\n" in out
    assert out.index("fleet lab") < out.index("  +   create  roles/index.md, change webhook\n")


def test_what_people_did_at_the_server_stays_and_is_said(plan: Plan) -> None:
    registry = registered()
    registry["changeWebhooks"][0]["enabled"] = False
    registry["cronWebhooks"][0]["cronSchedule"] = "0 7 * * *"
    assert plan(NOTES, registry, "--exit-code") == (
        0,
        "stay as they are\n"
        "  roles/digest.md, cron webhook 1: at the server its `cron_schedule` is 0 7 * * * and in the note 0 6 * * *, but no "
        "reconcile changes it, for its version is the note's\n"
        "  roles/index.md, change webhook 2: it is disabled at the server, and stays so\n"
        "\n"
        "Nothing to do; 2 webhooks stay as they are.\n",
    )


def test_what_a_snapshot_does_not_show_is_not_made_up(plan: Plan) -> None:
    """A hand-made snapshot with ids and descriptions only."""
    registry = registered({"roles/index.md": INDEX})
    bare = [{key: node[key] for key in ("id", "url", "description")} for node in registry["changeWebhooks"]]
    assert plan({"roles/index.md": INDEX}, {"changeWebhooks": bare, "cronWebhooks": []})[1] == (
        "Nothing to do; 1 webhook stays as it is.\n"
    )
    changed = {"roles/index.md": INDEX.replace("max_depth: 1", "max_depth: 2")}
    document = json.loads(plan(changed, {"changeWebhooks": bare, "cronWebhooks": []}, "--format", "json")[1])
    (action,) = document["actions"]
    assert (action["action"], action["changes"], len(action["hidden"])) == ("replace", [], 9)


def test_of_two_webhooks_for_one_role_the_current_one_stays(plan: Plan) -> None:
    registry = registered({"roles/index.md": INDEX})
    (node,) = registry["changeWebhooks"]
    registry["changeWebhooks"] = [
        {**node, "id": 12},
        {**node, "id": 3, "description": "fleet:desk:roles/index.md#OLDOLDOL"},
    ]
    assert (
        "delete  roles/index.md, change webhook 3: this role has another one\n"
        in plan({"roles/index.md": INDEX}, registry)[1]
    )


def test_a_fleet_that_the_settings_do_not_name_is_left_alone(plan: Plan) -> None:
    out = plan({"roles/index.md": INDEX}, registered({"roles/gone.md": INDEX}), "--fleet", "lab", "--exit-code")
    assert out == (
        0,
        "stay as they are\n"
        "  roles/gone.md, change webhook 1: no fleet `desk` is known here\n"
        "\n"
        "roles for which nothing is registered, nor will be\n"
        "  roles/index.md: no fleet takes it\n"
        "\n"
        "Nothing to do; 1 webhook stays as it is.\n",
    )


def moved(registry: Registry, *bases: str) -> Registry:
    """The registry with the change webhooks at these bases, one after the other."""
    for node, base in zip(registry["changeWebhooks"], bases, strict=True):
        node["url"] = node["url"].replace(DESK.callback, base)
    return registry


def test_a_webhook_at_another_address_than_most_is_repointed(plan: Plan) -> None:
    notes = {f"{letter}.md": INDEX for letter in "abc"}
    registry = moved(registered(notes), "http://new", "http://old", "http://new")
    out = plan(notes, registry)[1]
    assert out.startswith(
        "fleet desk at http://new\n  ~   repoint b.md, change webhook 2\n        callback: http://old → http://new\n"
    )
    assert "Plan: 0 to create, 0 to replace, 1 to repoint, 0 to delete; 2 webhooks stay as they are.\n" in out


def test_two_callbacks_of_which_none_has_most_are_said_and_nothing_is_guessed(plan: Plan) -> None:
    notes = {"a.md": INDEX, "b.md": INDEX}
    registry = moved(registered(notes), "http://x", "http://y")
    code, out = plan(notes, registry, "--exit-code")
    assert code == 0
    assert "its webhooks deliver to http://x, http://y, and to none of these more than half of them" in out
    out = plan(notes, registry, "--callback", "desk=http://y/")[1]
    assert "  ~   repoint a.md, change webhook 1\n        callback: http://x → http://y\n" in out


def test_the_address_of_an_older_fleet_gives_way_where_the_fleet_makes_new_ones(plan: Plan) -> None:
    notes = {"a.md": INDEX, "b.md": INDEX}
    new, old = registered(notes), registered(notes, DESK._replace(old_urls=True))
    assert plan(notes, old, "--exit-code")[0] == 0
    mixed = {**new, "changeWebhooks": [new["changeWebhooks"][0], old["changeWebhooks"][1]]}
    before, after = (registry["changeWebhooks"][1]["url"] for registry in (old, new))
    assert f"  ~   repoint b.md, change webhook 2\n        url: {before} → {after}\n" in plan(notes, mixed)[1]


@pytest.mark.parametrize(
    ("key", "why"),
    [
        ("max_depth: 1000", "`max_depth` is 1000, and the server takes 0 to 999"),
        ("max_depth: -1", "`max_depth` is -1, and the server takes 0 to 999"),
        ("timeout_seconds: 3601", "`timeout_seconds` is 3601, and the server takes at most 3600"),
    ],
)
def test_what_the_server_refuses_is_said_and_nothing_is_promised(plan: Plan, key: str, why: str) -> None:
    notes = {"roles/index.md": INDEX.replace("max_depth: 1", key)}
    assert f"  !   refused roles/index.md, change webhook: {why}\n" in plan(notes, EMPTY)[1]
    code, out = plan(notes, registered({"roles/index.md": INDEX}), "--exit-code")
    assert (code, f"  !   refused roles/index.md, change webhook 1: {why}\n" in out) == (3, True)


def test_a_schedule_that_the_server_refuses_stops_the_cron_webhook_only(plan: Plan) -> None:
    both = INDEX.replace("mode: change", 'mode: both\ncron_schedule: "@daily"')
    out = plan({"roles/both.md": both}, EMPTY)[1]
    assert "  +   create  roles/both.md, change webhook\n" in out
    assert "  !   refused roles/both.md, cron webhook: the server's parser does not take `@daily`\n" in out
    assert out.endswith(
        "Plan: 1 to create, 0 to replace, 0 to repoint, 0 to delete, 1 refused by the server; 0 webhooks stay as they are.\n"
    )


def test_webhooks_of_people_are_no_part_of_the_plan(plan: Plan) -> None:
    hook = {"id": 1, "description": "fleets: mail me", "url": "https://example.org", "includePatterns": ["wiki/**"]}
    assert (
        plan({}, {"changeWebhooks": [hook], "cronWebhooks": [hook]})[1]
        == "Nothing to do; 0 webhooks stay as they are.\n"
    )


def test_a_marker_in_the_listing_of_the_other_kind_is_nobody_s(plan: Plan) -> None:
    registry: Registry = {
        "changeWebhooks": [{"id": 1, "description": "fleetcron:desk:a.md#v", "url": ""}],
        "cronWebhooks": [],
    }
    assert "  a.md, change webhook 1: its marker is that of a cron webhook\n" in plan({}, registry)[1]


def test_a_plan_without_a_registry_is_wrong_use(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(tmp_path)]) == 2
    assert "nothing says what is registered; give --registry FILE or --trip2g-url URL" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["desk", "=http://x", "desk=", "desk=ftp://x", "desk=agents"])
def test_a_callback_that_is_no_address_is_wrong_use(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", str(tmp_path), "--callback", text]) == 2
    assert f"--callback {text}: this is not ID=URL" in capsys.readouterr().err


def test_a_callback_for_a_fleet_that_there_is_not_is_warned_about(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "registry.json").write_text(json.dumps(EMPTY))
    assert (
        main(["plan", str(tmp_path), "--registry", str(tmp_path / "registry.json"), "--callback", "lab=http://x"]) == 0
    )
    err = capsys.readouterr().err
    assert "no fleet `lab` is known here" in err
    assert "there are no roles in" in err


def test_colours_are_there_where_they_are_asked_for(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[32m+   create \x1b[0m roles/index.md" in plan(NOTES, EMPTY)[1]
    assert "\x1b" not in plan(NOTES, EMPTY, "--no-color")[1]


def test_a_plan_loads_no_rules(tmp_path: Path) -> None:
    (tmp_path / "registry.json").write_text(json.dumps(EMPTY))
    code, modules, _ = loaded("plan", tmp_path, "--registry", tmp_path / "registry.json")
    assert code == 0
    assert "fleetlint.graph.plan" in modules
    assert modules.isdisjoint(
        ("fleetlint_rules", "fleetlint.report.sarif", "fleetlint.graph.waves", "tomllib", "httpx")
    )


# --- Against a server ---


@pytest.fixture
def server(trip2g: Trip2gServer, monkeypatch: pytest.MonkeyPatch) -> Trip2gServer:
    """A server with the notes, where the fleet has run."""
    monkeypatch.setenv("FLEETLINT_TRIP2G_API_KEY", ADMIN_KEY)
    monkeypatch.setenv("FLEETLINT_TRIP2G_URL", trip2g.url)
    trip2g.put_all(NOTES)
    registry = registered()
    trip2g.change_webhooks, trip2g.cron_webhooks = registry["changeWebhooks"], registry["cronWebhooks"]
    return trip2g


def test_a_live_vault_in_step_has_nothing_to_do(
    server: Trip2gServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", str(tmp_path), "--trip2g-url", server.url, "--exit-code"]) == 0
    assert capsys.readouterr().out == "Nothing to do; 2 webhooks stay as they are.\n"
    server.put("roles/index.md", INDEX.replace("max_depth: 1", "max_depth: 2"))
    assert main(["plan", str(tmp_path), "--trip2g-url", server.url, "--exit-code"]) == 3
    assert "        max_depth: 1 → 2\n" in capsys.readouterr().out


@pytest.mark.parametrize("is_newer", [True, False])
def test_a_checkout_is_planned_against_what_is_registered_now(
    is_newer: bool, server: Trip2gServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    server.has_newer_fields = is_newer
    (tmp_path / "index.md").write_text(INDEX)
    assert main(["plan", str(tmp_path), "--registry", "live"]) == 0
    assert capsys.readouterr().out == (
        "fleet desk at https://agents.example.org\n"
        "  +   create  index.md, change webhook\n"
        "  -   delete  roles/digest.md, cron webhook 1: its note is no role of this vault\n"
        "  -   delete  roles/index.md, change webhook 2: its note is no role of this vault\n"
        "\n"
        "Plan: 1 to create, 0 to replace, 0 to repoint, 2 to delete; 0 webhooks stay as they are.\n"
    )


def test_a_server_that_refuses_gives_no_plan(
    server: Trip2gServer, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "index.md").write_text(INDEX)
    server.keys[ADMIN_KEY] = "USER"
    assert main(["plan", str(tmp_path), "--registry", "live"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("Error: ") == 1
    assert ADMIN_KEY not in err


# --- The page ---


def blocks(page: str) -> dict[str, str]:
    """The fenced blocks by the line before them, where that names a file or a command."""
    return dict(re.findall(r"^`([^`]+)`(?: says)?:\n\n```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))


def test_the_example_of_the_page_says_what_the_page_says(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = PAGE.read_text(encoding="utf-8")
    files = blocks(page)
    command = "fleetlint plan --registry registry.json"
    said = files.pop(command)
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    (tmp_path / ".fleetlint.yaml").write_text("{}")
    monkeypatch.chdir(tmp_path)
    assert main(command.split()[1:]) == 0
    found = capsys.readouterr().out
    if os.environ.get("UPDATE_CASES"):
        PAGE.write_text(page.replace(f"says:\n\n```text\n{said}```", f"says:\n\n```text\n{found}```"), encoding="utf-8")
    else:
        assert said == found
    assert len(files) == 4


def test_the_page_names_every_key_of_the_json(plan: Plan) -> None:
    changed = {"roles/index.md": INDEX.replace("max_depth: 1", "max_depth: 2"), "p.md": INDEX.replace("desk", '""')}
    document: Any = json.loads(plan(changed, registered(), "--format", "json")[1])
    assert document["actions"]
    assert document["idle"]

    def keys(value: object) -> set[str]:
        if isinstance(value, dict):
            return set(value) | {key for inner in value.values() for key in keys(inner)}
        return {key for inner in value for key in keys(inner)} if isinstance(value, list) else set()

    page = PAGE.read_text(encoding="utf-8")
    assert [key for key in sorted(keys(document)) if f"`{key}`" not in page] == []
