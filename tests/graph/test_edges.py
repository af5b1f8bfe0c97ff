from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

import pytest

from fleetlint.globs import Maybe, find_path
from fleetlint.graph import FEED, TRIGGER, Edge, derive
from tests.graph.by_hand import role

if TYPE_CHECKING:
    from fleetlint.roles import Role


def edges(*roles: Role) -> dict[tuple[str, str, str], Edge]:
    found = derive(roles).edges
    assert list(found) == sorted(found, key=lambda edge: (edge.source, edge.target, edge.kind))
    return {(edge.source, edge.target, edge.kind): edge for edge in found}


def writer(*write: str, **more: object) -> Role:
    return role("a.md", include=["in/**"], write=write, **more)  # type: ignore[arg-type]


def listener(*include: str, **more: object) -> Role:
    return role("b.md", include=include, **more)  # type: ignore[arg-type]


def test_a_write_into_an_include_is_a_trigger_with_its_pair_and_witness() -> None:
    found = edges(writer("notes/**"), listener("notes/*.md"))
    assert list(found) == [("a.md", "b.md", TRIGGER)]
    edge = found["a.md", "b.md", TRIGGER]
    assert (edge.via.write, edge.via.match, edge.via.match_key) == ("notes/**", "notes/*.md", "trigger_include")
    assert (edge.witness, edge.exact, edge.fanout, edge.maybe_excluded) == ("notes/a.md", True, False, False)


def test_patterns_that_share_no_note_path_make_no_edge() -> None:
    assert edges(writer("notes/**"), listener("wiki/**")) == {}
    assert edges(writer("notes"), listener("notes/**")) == {}  # `notes` is shared, but it is no note


def test_the_pair_with_the_best_witness_is_shown() -> None:
    edge = edges(writer("long/folder/**", "t/**", "w/**"), listener("w/**", "long/**", "t/**"))["a.md", "b.md", TRIGGER]
    assert (edge.via.write_index, edge.via.match_index, edge.witness) == (1, 2, "t/a.md")


def test_equal_witnesses_are_settled_by_the_order_of_the_note() -> None:
    edge = edges(writer("x/*", "x/**"), listener("x/?.md", "x/*.md"))["a.md", "b.md", TRIGGER]
    assert (edge.via.write_index, edge.via.match_index, edge.witness) == (0, 0, "x/a.md")


def test_a_markdown_witness_goes_before_a_shorter_other_one() -> None:
    edge = edges(writer("a.b", "notes/**"), listener("a.b", "notes/*.md"))["a.md", "b.md", TRIGGER]
    assert edge.witness == "notes/a.md"


def test_an_exclude_that_swallows_the_overlap_leaves_no_edge() -> None:
    assert edges(writer("wiki/**"), listener("wiki/**", exclude=["wiki/**"])) == {}
    # Together these two cover every note path of `wiki/**`.
    assert edges(writer("wiki/**"), listener("wiki/**", exclude=["wiki/*", "wiki/*/**"])) == {}


def test_an_exclude_that_takes_a_part_narrows_the_edge() -> None:
    edge = edges(writer("wiki/**"), listener("wiki/**", exclude=["wiki/?.md"]))["a.md", "b.md", TRIGGER]
    assert (edge.maybe_excluded, edge.witness) == (True, "wiki/aa.md")


def test_an_exclude_beside_the_overlap_does_not_narrow_it() -> None:
    edge = edges(writer("wiki/**"), listener("wiki/**", exclude=["other/**"]))["a.md", "b.md", TRIGGER]
    assert (edge.maybe_excluded, edge.witness) == (False, "wiki/a.md")


def test_an_exclude_that_cuts_another_pair_narrows_the_edge_too() -> None:
    edge = edges(writer("wiki/**", "private/**"), listener("**", exclude=["private/**"]))["a.md", "b.md", TRIGGER]
    assert (edge.maybe_excluded, edge.via.write) == (True, "wiki/**")


def test_excluded_writes_still_feed() -> None:
    found = edges(writer("wiki/**"), listener("wiki/**", exclude=["wiki/**"], read=["wiki/**"]))
    assert list(found) == [("a.md", "b.md", FEED)]


@pytest.mark.parametrize(
    ("tools", "on", "wakes"),
    [
        ((), ("create",), True),
        (("write_note",), ("create",), True),
        (("write_note",), ("update",), True),
        (("patch_note",), ("update",), True),
        (("patch_note",), ("create",), False),
        (("patch_note", "write_note"), ("create",), True),
        (("search", "read_note"), ("create", "update"), False),
        ((), ("remove",), False),
        ((), ("created",), False),
        ((), (), False),
    ],
)
def test_an_edge_needs_an_event_that_the_writer_raises(
    tools: tuple[str, ...], on: tuple[str, ...], wakes: bool
) -> None:
    assert bool(edges(writer("x/**", tools=tools), listener("x/**", on=on))) is wakes


def test_a_role_without_a_write_tool_feeds_nobody() -> None:
    assert edges(writer("x/**", tools=("search",)), listener("y/**", read=["x/**"])) == {}


def test_a_patcher_feeds_whoever_reads() -> None:
    assert list(edges(writer("x/**", tools=("patch_note",)), listener("y/**", read=["x/**"]))) == [
        ("a.md", "b.md", FEED)
    ]


def test_a_trigger_leaves_no_feed_beside_it() -> None:
    assert list(edges(writer("x/**"), listener("x/**", read=["x/**"]))) == [("a.md", "b.md", TRIGGER)]


def test_an_attached_note_is_read_and_a_forbidden_one_is_not() -> None:
    edge = edges(writer("x/**"), listener("y/**", attach=["!x/**", "x/b.md"]))["a.md", "b.md", FEED]
    assert (edge.via.match, edge.via.match_key, edge.via.match_index, edge.witness) == (
        "x/b.md",
        "attach_notes",
        1,
        "x/b.md",
    )
    assert edges(writer("x/**"), listener("y/**", attach=["!x/**"])) == {}


def test_a_feed_has_no_origins_and_is_not_cut() -> None:
    edge = edges(writer("x/**", depth=0), listener("y/**", read=["x/**"]))["a.md", "b.md", FEED]
    assert (edge.live, edge.cut, edge.cut_by_depth) == (frozenset(), frozenset(), False)


def test_a_role_feeds_itself_without_an_edge_and_triggers_itself_with_one() -> None:
    assert edges(role("a.md", include=["y/**"], read=["x/**"], write=["x/**"])) == {}
    assert list(edges(role("a.md", include=["x/**"], write=["x/**"]))) == [("a.md", "a.md", TRIGGER)]


def test_a_cron_role_is_woken_by_no_write() -> None:
    assert edges(writer("x/**"), listener("x/**", mode="cron")) == {}
    assert list(edges(writer("x/**"), listener("x/**", mode="both"))) == [("a.md", "b.md", TRIGGER)]


def test_a_role_without_a_mode_still_writes() -> None:
    found = edges(writer("x/**", mode=""), listener("x/**", depth=5))
    assert found["a.md", "b.md", TRIGGER].cut_by_depth  # but it never runs


def test_a_paused_role_is_a_node_without_edges() -> None:
    roles = (writer("x/**", enabled=False), listener("x/**", read=["x/**"]))
    assert edges(*roles) == {}
    assert edges(writer("x/**"), listener("x/**", read=["x/**"], enabled=False)) == {}
    assert [node.path for node in derive(roles).nodes] == ["a.md", "b.md"]


def test_a_malformed_pattern_makes_no_edge() -> None:
    assert edges(writer("x/["), listener("**", exclude=["x/["])) == {}
    assert list(edges(writer("x/**"), listener("{a", "x/**", exclude=["["]))) == [("a.md", "b.md", TRIGGER)]


def test_an_undecided_pair_keeps_the_edge_and_a_decided_one_goes_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def unsure(**question: object) -> object:
        patterns = question["all_of"]
        assert isinstance(patterns, list)
        return Maybe() if any(pattern.text == "x/**" for pattern in patterns) else find_path(**question)  # type: ignore[arg-type]

    # The package's name for the function hides the module.
    monkeypatch.setattr(importlib.import_module("fleetlint.graph.derive"), "find_path", unsure)
    only = edges(writer("x/**"), listener("x/**", exclude=["x/p/**"]))["a.md", "b.md", TRIGGER]
    assert (only.exact, only.witness, only.maybe_excluded) == (False, "", True)
    both = edges(writer("x/**", "long/**"), listener("x/**", "long/*/**"))["a.md", "b.md", TRIGGER]
    assert (both.exact, both.witness, both.via.write_index) == (True, "long/a.md", 1)


def test_an_edge_fans_out_when_its_source_runs_once_for_each_note() -> None:
    assert edges(writer("x/**", for_each="changed_files"), listener("x/**"))["a.md", "b.md", TRIGGER].fanout
    assert not edges(writer("x/**"), listener("x/**", for_each="changed_files"))["a.md", "b.md", TRIGGER].fanout


def test_the_order_of_the_roles_does_not_matter() -> None:
    roles = [writer("x/**", "y/**"), listener("x/**", write=["in/**"]), role("c.md", mode="cron", write=["**"])]
    assert derive(roles) == derive(roles[::-1])
