"""Plans with names that try to break out of what shows them; the Markdown is read by a parser of its own."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fleetlint.graph.plan import CREATE, DELETE, LEAVE, REPLACE, REPOINT, Action, Change, Daemon, Idle, Plan
from fleetlint.registry import Marker, Webhook
from fleetlint.report.plan import render
from tests.report.builders import context


def webhook(marker: Marker, number: str = "7", url: str = "http://x/deliver/k") -> Webhook:
    return Webhook(
        id=number, kind=marker.kind, url=url, description="", enabled=True, marker=marker, max_depth=1, events=(),
        include_patterns=(), exclude_patterns=(), read_patterns=(), write_patterns=(), attach_notes=None, concurrency=None,
        timeout_seconds=None, cron_schedule=None,
    )  # fmt: skip


def plan_of(fleet: str, path: str, value: str) -> Plan:
    """A plan that has the texts wherever texts of others can be."""
    marker = Marker(fleet, path, "v", "change")
    hook = webhook(marker, value)
    actions = (
        Action(CREATE, marker, None),
        Action(DELETE, marker, hook, f"the role's `mode` is `{value}`"),
        Action(REPLACE, marker, hook, changes=(Change("concurrency", value, (value, value)),), remarks=(value,)),
        Action(REPOINT, marker, hook, url=(f"http://{value}", value)),
    )
    left = (Action(LEAVE, marker, hook, f"no fleet `{fleet}` is known here"),)
    return Plan(actions, left, (Daemon(fleet, None, (value, f"http://{value}")),), (Idle(path, "paused"),))


class _Page(HTMLParser):
    """The texts of each row's cells, and all tags."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.text = ""
        self._cell = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:  # noqa: ARG002
        self.tags.add(tag)
        if tag == "tr":
            self.rows.append([])
        if tag == "td":
            self.rows[-1].append("")
        self._cell = tag == "td" or (self._cell and tag in ("code", "br"))

    def handle_endtag(self, tag: str) -> None:
        self._cell = self._cell and tag != "td"

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._cell:
            self.rows[-1][-1] += data


def page_of(markdown: str) -> _Page:
    page = _Page()
    page.feed(MarkdownIt("commonmark").enable("table").render(markdown))
    return page


HOSTILE = st.text(
    st.sampled_from(
        [*"ab`|\\<>&\"'*_[]()!#~@$-\n\r\t /.:;", "\u202e", "\u200b", "\x1b", "\udcff", "\u2028", "ü", "🔔"]
    ),
    max_size=20,
) | st.sampled_from(
    ["a|b", "`", "``x", "</details>", "<script>", "\\|", "a\\", "![x](http://x)", "@everyone", "| --- |", "&lt;"]
)


@given(HOSTILE, HOSTILE, HOSTILE)
def test_no_name_breaks_out_of_the_markdown(fleet: str, path: str, value: str) -> None:
    page = page_of(render("markdown", plan_of(fleet, path, value), context()))
    rows = [row for row in page.rows if row]
    assert [len(row) for row in rows] == [4] * 4
    assert [row[0] for row in rows] == ["+ create", "- delete", "-/+ replace", "~ repoint"]
    assert page.tags <= {
        "h3",
        "details",
        "summary",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "code",
        "br",
        "p",
        "ul",
        "li",
    }


@given(st.text(st.sampled_from("ab`|\\<>&*_[]()!#~@$-./:;'\""), min_size=1, max_size=20))
def test_a_name_is_shown_in_the_markdown_as_it_is(path: str) -> None:
    page = page_of(render("markdown", plan_of("desk", path, "x"), context()))
    assert [row[1] for row in page.rows if row] == [path] * 4


@given(HOSTILE, HOSTILE, HOSTILE)
def test_the_terminal_gets_no_command_and_each_action_its_line(fleet: str, path: str, value: str) -> None:
    text = render("text", plan_of(fleet, path, value), context())
    assert all(character.isprintable() or character == "\n" for character in text)
    lines = text.splitlines()
    assert [line[2:13] for line in lines if line.startswith(("  + ", "  - ", "  -/+", "  ~ "))] == [
        *("+   create ", "-   delete ", "-/+ replace", "~   repoint"),
    ]
    assert lines[-1] == "Plan: 1 to create, 1 to replace, 1 to repoint, 1 to delete; 1 webhook stays as it is."


@given(HOSTILE, HOSTILE, HOSTILE)
def test_the_json_is_whole(fleet: str, path: str, value: str) -> None:
    document = json.loads(render("json", plan_of(fleet, path, value), context()).encode())
    assert [action["action"] for action in document["actions"]] == ["create", "delete", "replace", "repoint"]
    assert document["summary"] == {"create": 1, "replace": 1, "repoint": 1, "delete": 1, "refused": 0, "leave": 1}


@pytest.mark.parametrize("length", [10, 3_000])
def test_a_comment_stays_below_what_github_takes_and_counts_the_rest(length: int) -> None:
    markers = [Marker("desk", f"{number:05}{'|' * length}.md", "v", "change") for number in range(2_000)]
    actions = tuple(Action(DELETE, marker, webhook(marker), "`" * length) for marker in markers)
    idle = tuple(Idle(marker.path, "paused") for marker in markers)
    text = render("markdown", Plan(actions, (), (Daemon("desk", "http://x", ("http://x",)),), idle), context())
    assert len(text.encode()) < 65_536
    shown = len([row for row in page_of(text).rows if row])
    assert 10 < shown < 2_000
    assert f"{2_000 - shown:,} more are left out." in text


def test_a_comment_of_very_many_fleets_stays_below_it_too() -> None:
    markers = [Marker(f"fleet{number}", "a.md", "v", "change") for number in range(5_000)]
    daemons = tuple(Daemon(marker.fleet_id, None, ("http://x", "http://y")) for marker in markers)
    text = render("markdown", Plan(tuple(Action(CREATE, m, None) for m in markers), (), daemons, ()), context())
    assert len(text) < 65_536
    assert " more are left out." in text


def test_a_number_is_a_number_in_the_json() -> None:
    marker = Marker("desk", "a.md", "v", "change")
    action = Action(
        REPLACE, marker, webhook(marker), changes=(Change("max_depth", "1", "2"), Change("concurrency", "", "1"))
    )
    document = json.loads(render("json", Plan((action,), (), (Daemon("desk", None, ()),), ()), context()))
    assert document["actions"][0]["changes"] == [
        {"key": "max_depth", "before": 1, "after": 2},
        {"key": "concurrency", "before": "", "after": "1"},
    ]
