from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fleetlint.graph import Fleet, derive
from fleetlint.registry import Registry, parse_snapshot
from fleetlint.roles import DEFAULT_TOOLS
from tests.graph.by_hand import role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fleetlint.roles import Role

A, B = role("roles/a.md", include=["x/**"]), role("roles/b.md", include=["x/**"])


def tagged(path: str, fleet_id: str) -> Role:
    return role(path, include=["x/**"], fleet_id=fleet_id)


def folder(fleet_id: str, prefix: str, tools: tuple[str, ...] = DEFAULT_TOOLS) -> Fleet:
    return Fleet(fleet_id, "folder", prefix, tools)


def selector(fleet_id: str, prefix: str = "", *, default: bool = False) -> Fleet:
    return Fleet(fleet_id, "selector", prefix, DEFAULT_TOOLS, default=default)


def registered(*descriptions: str) -> Registry:
    nodes = [{"id": number, "description": text} for number, text in enumerate(descriptions)]
    return parse_snapshot(json.dumps({"changeWebhooks": nodes, "cronWebhooks": []}), "snap.json")


def owners_by_path(roles: Sequence[Role], **more: Any) -> dict[str, tuple[str, ...]]:
    graph = derive(roles, **more)
    return {node.path: node.fleet_ids for node in graph.nodes}


def test_without_settings_each_fleet_id_is_a_fleet_and_untagged_roles_are_nobodys() -> None:
    roles = [tagged("roles/c.md", "krisp"), tagged("x/d.md", "codex"), A]
    assert owners_by_path(roles) == {"roles/a.md": (), "roles/c.md": ("krisp",), "x/d.md": ("codex",)}
    assert [fleet.id for fleet in derive(roles).fleets] == ["codex", "krisp"]


def test_when_no_role_names_a_fleet_a_single_one_owns_all() -> None:
    assert owners_by_path([A, B]) == {"roles/a.md": ("",), "roles/b.md": ("",)}
    (fleet,) = derive([A, B]).fleets
    assert (fleet.id, fleet.mode, fleet.folder) == ("", "folder", "")


def test_a_vault_without_roles_has_no_fleets() -> None:
    assert derive([]).fleets == ()


def test_a_folder_is_a_like_prefix() -> None:
    roles = [role(path, include=["x/**"]) for path in ("my_roles/a.md", "myXroles/a.md", "My_Roles/b.md", "roles/a.md")]
    assert owners_by_path(roles, fleets=[folder("f", "my_roles/")]) == {
        "My_Roles/b.md": ("f",),
        "myXroles/a.md": ("f",),
        "my_roles/a.md": ("f",),
        "roles/a.md": (),
    }


def test_a_folder_fleet_takes_roles_whatever_their_fleet_id() -> None:
    roles = [tagged("roles/c.md", "codex")]
    assert owners_by_path(roles, fleets=[folder("krisp", "roles/")]) == {"roles/c.md": ("krisp",)}


def test_a_folder_and_a_selector_fleet_can_take_one_role() -> None:
    roles = [tagged("roles/c.md", "codex")]
    assert owners_by_path(roles, fleets=[folder("krisp", "roles/"), selector("codex")]) == {
        "roles/c.md": ("codex", "krisp")
    }


def test_a_selector_fleet_takes_its_own_under_its_folder_only() -> None:
    roles = [tagged("in/c.md", "codex"), tagged("out/c.md", "codex"), tagged("in/d.md", "other"), role("in/e.md")]
    assert owners_by_path(roles, fleets=[selector("codex", "in/")]) == {
        "in/c.md": ("codex",),
        "in/d.md": (),
        "in/e.md": (),
        "out/c.md": (),
    }


def test_a_default_fleet_takes_untagged_roles_under_its_folder() -> None:
    roles = [role("in/e.md"), role("out/e.md"), tagged("in/d.md", "other")]
    assert owners_by_path(roles, fleets=[selector("codex", "in/", default=True)]) == {
        "in/d.md": (),
        "in/e.md": ("codex",),
        "out/e.md": (),
    }


def test_a_registration_is_a_claim() -> None:
    roles = [tagged("roles/c.md", "codex")]
    registry = registered("fleet:old:roles/c.md#v", "fleet:codex:roles/c.md#v")
    assert owners_by_path(roles, registry=registry) == {"roles/c.md": ("codex", "old")}


def test_a_registration_names_the_fleet_that_has_no_name() -> None:
    assert owners_by_path([A, B], registry=registered("fleet:krisp:roles/a.md#v")) == {
        "roles/a.md": ("krisp",),
        "roles/b.md": ("",),
    }


def test_a_registered_note_that_is_no_role_is_a_ghost() -> None:
    registry = registered("fleet:f:roles/a.md#v", "fleet:f:gone.md#v", "fleet:g:gone.md#v", "someone's own")
    nodes = {node.path: node for node in derive([A, B], registry=registry).nodes}
    assert list(nodes) == ["gone.md", "roles/a.md", "roles/b.md"]
    assert nodes["gone.md"].ghost
    assert nodes["gone.md"].fleet_ids == ("f", "g")
    assert [node.registered for node in nodes.values()] == [True, True, False]
    assert not nodes["roles/a.md"].ghost


def test_a_tool_is_an_error_when_the_owner_does_not_offer_it() -> None:
    searcher = role("roles/a.md", include=["x/**"], tools=("read_note",))
    (node,) = derive([searcher], fleets=[folder("f", "", ("search",))]).nodes
    assert len(node.errors) == 1
    assert "read_note" in node.errors[0].message
    (node,) = derive([searcher], fleets=[folder("f", "", ("search", "read_note"))]).nodes
    assert node.valid


def test_a_role_that_nobody_takes_is_held_against_the_default_offer() -> None:
    digger = role("roles/a.md", include=["x/**"], tools=("dig",))
    (node,) = derive([digger], fleets=[folder("f", "elsewhere/", ("dig",))]).nodes
    assert not node.valid


def test_a_role_without_tools_writes_with_those_that_its_fleet_offers() -> None:
    roles = [role("a.md", include=["x/**"], write=["y/**"]), role("b.md", include=["y/**"])]
    assert len(derive(roles, fleets=[folder("f", "")]).edges) == 1
    assert derive(roles, fleets=[folder("f", "", ("search", "read_note"))]).edges == ()
    assert derive(roles, fleets=[folder("f", "", ())]).edges == ()


def test_a_folder_of_thousands_of_wildcards_is_survived() -> None:
    assert owners_by_path([A], fleets=[folder("f", "%a" * 20_000)]) in ({"roles/a.md": ()}, {"roles/a.md": ("f",)})


def test_as_many_fleets_as_roles_take_no_time() -> None:
    graph = derive([role(f"r{number:05}.md", fleet_id=f"f{number}") for number in range(20_000)])
    assert len(graph.fleets) == 20_000
    assert all(node.fleet_ids == (f"f{number}",) for number, node in enumerate(graph.nodes))
