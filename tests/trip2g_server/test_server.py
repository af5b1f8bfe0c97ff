"""The server by itself: what other tests take for granted of it."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.trip2g_server import ADMIN_KEY, USER_COOKIE, Trip2gServer, note_hash

UPDATE = """mutation Update($input: UpdateNotesInput!) { updateNotes(input: $input) { __typename
  ... on UpdateNotesSuccessPayload { paths } ... on UpdateNotesHashMismatchPayload { path actualHash }
  ... on UpdateNotesPatchNotFoundPayload { path find } ... on ErrorPayload { message } } }"""
LIST = """query Discover($like: String!) { notePaths(filter: {like: $like}) {
  value content latestContentHash latestNoteView { meta { key raw } } } }"""


def ask(server: Trip2gServer, query: str, variables: Any = None, **headers: str) -> Any:
    request = urllib.request.Request(
        f"{server.url}/_system/graphql",
        json.dumps({"query": query, "variables": variables}).encode(),
        {"Content-Type": "application/json", **(headers or {"X-Api-Key": ADMIN_KEY})},
    )
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())


def upsert(server: Trip2gServer, content: str, expected: str | None) -> Any:
    change = {"upsert": {"path": "a.md", "content": content, "expectedHash": expected}}
    return ask(server, UPDATE, {"input": {"changes": [change]}})["data"]["updateNotes"]


def test_folders_are_matched_as_sqlite_matches_like(trip2g: Trip2gServer) -> None:
    trip2g.put_all({"my_roles/a.md": "", "My_Roles/b.md": "", "myXroles/c.md": "", "roles/my_roles/d.md": ""})
    listed = ask(trip2g, LIST, {"like": "my_roles/%"})["data"]["notePaths"]
    assert sorted(note["value"] for note in listed) == ["My_Roles/b.md", "myXroles/c.md", "my_roles/a.md"]


def test_a_note_has_its_metadata_as_go_prints_it(trip2g: Trip2gServer) -> None:
    trip2g.put("a.md", "---\nfleet_id: x\nmax_depth: 3\ntrigger_include: [a/**, 'b c']\non: no\nempty:\n---\nbody\n")
    (note,) = ask(trip2g, LIST, {"like": "%"})["data"]["notePaths"]
    assert {one["key"]: one["raw"] for one in note["latestNoteView"]["meta"]} == {
        "fleet_id": "x",
        "max_depth": "3",
        "trigger_include": "[a/** b c]",
        "on": "false",
        "empty": "<nil>",
    }
    assert note["latestContentHash"] == note_hash(note["content"])


def test_a_write_with_the_hash_that_it_saw_succeeds_and_with_another_does_not(trip2g: Trip2gServer) -> None:
    assert upsert(trip2g, "one", "")["paths"] == ["a.md"]
    assert upsert(trip2g, "two", "")["actualHash"] == note_hash("one")
    assert upsert(trip2g, "two", note_hash("one"))["paths"] == ["a.md"]
    assert upsert(trip2g, "three", None)["paths"] == ["a.md"]
    assert trip2g.content("a.md") == "three"
    assert trip2g.writes == ["a.md"] * 3


def test_of_writes_that_race_one_succeeds(trip2g: Trip2gServer) -> None:
    with ThreadPoolExecutor(8) as pool:
        kinds = [one["__typename"] for one in pool.map(lambda text: upsert(trip2g, text, ""), "abcdefgh")]
    assert sorted(kinds) == ["UpdateNotesHashMismatchPayload"] * 7 + ["UpdateNotesSuccessPayload"]


def test_a_patch_finds_its_text_or_says_so(trip2g: Trip2gServer) -> None:
    trip2g.put("a.md", "one two")
    found = {"patch": {"path": "a.md", "find": "two", "replace": "three"}}
    assert ask(trip2g, UPDATE, {"input": {"changes": [found]}})["data"]["updateNotes"]["paths"] == ["a.md"]
    missed = ask(trip2g, UPDATE, {"input": {"changes": [found]}})["data"]["updateNotes"]
    assert missed == {"__typename": "UpdateNotesPatchNotFoundPayload", "path": "a.md", "find": "two"}
    assert trip2g.content("a.md") == "one three"


def test_only_an_administrator_sees_webhooks_and_writes(trip2g: Trip2gServer) -> None:
    query = "{ viewer { role } admin { allChangeWebhooks { nodes { id attachNotes } } } }"
    assert ask(trip2g, query)["data"] == {"viewer": {"role": "ADMIN"}, "admin": {"allChangeWebhooks": {"nodes": []}}}
    user = ask(trip2g, query, Cookie=f"trip2g_token={USER_COOKIE}")
    assert (user["data"]["viewer"]["role"], user["data"]["admin"]) == ("USER", None)
    change = {"upsert": {"path": "a.md", "content": ""}}
    refused = ask(trip2g, UPDATE, {"input": {"changes": [change]}}, Cookie="trip2g_token=nobody")
    assert refused["data"]["updateNotes"]["__typename"] == "ErrorPayload"
    assert trip2g.content("a.md") is None


def test_an_older_server_lacks_the_newer_fields(trip2g: Trip2gServer) -> None:
    trip2g.has_newer_fields = False
    answer = ask(trip2g, "{ admin { allCronWebhooks { nodes { id timeoutSeconds } } } }")
    assert answer["data"] is None
    assert "timeoutSeconds" in answer["errors"][0]["message"]
