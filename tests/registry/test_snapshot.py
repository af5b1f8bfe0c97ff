from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleetlint.registry import Marker, Registry, Webhook, parse_snapshot

CHANGE = {
    "id": 7,
    "url": "https://fleet.example/_fleet/ab/webhook/cm9s",
    "description": "fleet:codex:roles/a.md#Asqmgkd_",
    "enabled": True,
    "maxDepth": 3,
    "onCreate": True,
    "onUpdate": True,
    "onRemove": False,
    "includePatterns": ["calls/**"],
    "excludePatterns": [],
    "readPatterns": ["calls/**"],
    "writePatterns": ["log/**"],
}
CRON = {
    "id": "8",
    "url": "https://fleet.example/_fleet/ab/webhook/cron/cm9s",
    "description": "fleetcron:codex:roles/b.md#aBMkSAhe",
    "enabled": False,
    "cronSchedule": "*/15 * * * *",
    "maxDepth": 1,
    "readPatterns": [],
    "writePatterns": ["transcripts/**"],
    "attachNotes": ["x.md"],
    "concurrencyMode": "skip",
    "timeoutSeconds": 120,
}
CHANGE_ANSWER = {"data": {"admin": {"allChangeWebhooks": {"nodes": [CHANGE]}}}}
CRON_ANSWER = {"data": {"admin": {"allCronWebhooks": {"nodes": [CRON]}}}}
FILE = {"changeWebhooks": [CHANGE], "cronWebhooks": [CRON]}


def parsed(value: object) -> Registry:
    return parse_snapshot(json.dumps(value), "snap.json")


def refusal(text: str) -> str:
    with pytest.raises(ValueError, match=r"^snap\.json") as caught:
        parse_snapshot(text, "snap.json")
    message = str(caught.value)
    assert "\n" not in message
    return message


def refusal_of(value: object) -> str:
    return refusal(json.dumps(value))


def test_a_snapshot_gives_both_kinds_with_their_fields() -> None:
    assert parsed(FILE) == Registry(
        (
            Webhook(
                id="7",
                kind="change",
                url="https://fleet.example/_fleet/ab/webhook/cm9s",
                description="fleet:codex:roles/a.md#Asqmgkd_",
                enabled=True,
                marker=Marker("codex", "roles/a.md", "Asqmgkd_", "change"),
                max_depth=3,
                events=("create", "update"),
                include_patterns=("calls/**",),
                exclude_patterns=(),
                read_patterns=("calls/**",),
                write_patterns=("log/**",),
                attach_notes=None,
                concurrency=None,
                timeout_seconds=None,
                cron_schedule=None,
            ),
            Webhook(
                id="8",
                kind="cron",
                url="https://fleet.example/_fleet/ab/webhook/cron/cm9s",
                description="fleetcron:codex:roles/b.md#aBMkSAhe",
                enabled=False,
                marker=Marker("codex", "roles/b.md", "aBMkSAhe", "cron"),
                max_depth=1,
                events=None,
                include_patterns=None,
                exclude_patterns=None,
                read_patterns=(),
                write_patterns=("transcripts/**",),
                attach_notes=("x.md",),
                concurrency="skip",
                timeout_seconds=120,
                cron_schedule="*/15 * * * *",
            ),
        ),
        "snap.json",
    )


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([CHANGE_ANSWER, CRON_ANSWER]),
        json.dumps([CRON_ANSWER, CHANGE_ANSWER], indent=2),
        json.dumps(CHANGE_ANSWER) + "\n" + json.dumps(CRON_ANSWER) + "\n",
        json.dumps({"data": {"admin": {**CHANGE_ANSWER["data"]["admin"], **CRON_ANSWER["data"]["admin"]}}}),
        "\ufeff" + json.dumps(FILE),
    ],
    ids=["list", "list the other way round", "one after the other", "one query for both", "byte order mark"],
)
def test_the_raw_answers_say_the_same_as_a_snapshot(text: str) -> None:
    assert parse_snapshot(text, "snap.json") == parsed(FILE)


def test_the_order_of_the_listing_does_not_matter() -> None:
    other = {**CHANGE, "id": 9, "description": "fleet:codex:roles/0.md#x"}
    there = parsed({"changeWebhooks": [CHANGE, other], "cronWebhooks": []})
    back = parsed({"cronWebhooks": [], "changeWebhooks": [other, CHANGE]})
    assert there == back
    assert [hook.id for hook in there.webhooks] == ["9", "7"]


def test_what_an_older_server_leaves_out_may_be_missing() -> None:
    found = parsed({"changeWebhooks": [{"id": 1, "description": None, "maxDepth": None}], "cronWebhooks": []})
    (hook,) = found.webhooks
    assert (hook.marker, hook.max_depth, hook.enabled, hook.events) == (None, None, True, None)
    assert (hook.include_patterns, hook.exclude_patterns, hook.read_patterns, hook.write_patterns) == (None,) * 4


def test_a_snapshot_without_one_listing_is_refused() -> None:
    assert "no listing of cron webhooks; add `cronWebhooks`" in refusal_of({"changeWebhooks": []})
    assert "no listing of change webhooks; add `changeWebhooks`" in refusal_of(CRON_ANSWER)
    assert "no listing of change webhooks" in refusal_of({})


def test_a_kind_that_is_listed_twice_is_refused() -> None:
    assert "second listing of change webhooks" in refusal_of([FILE, CHANGE_ANSWER])


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ({**FILE, "cronWebhooks": {}}, "`cronWebhooks` is an object where a list is needed"),
        ({**FILE, "cronWebhooks": None}, "`cronWebhooks` is null where a list is needed"),
        ({**FILE, "cronWebhooks": [CRON, 3]}, "`cronWebhooks[1]` is a number where an object is needed"),
        ({**FILE, "changeWebhooks": [{**CHANGE, "maxDepth": "3"}]}, "`changeWebhooks[0].maxDepth` is a text"),
        ({**FILE, "changeWebhooks": [{**CHANGE, "maxDepth": True}]}, "`changeWebhooks[0].maxDepth` is true"),
        (
            {**FILE, "changeWebhooks": [{**CHANGE, "maxDepth": 1.5}]},
            "`changeWebhooks[0].maxDepth` is a number where an integer",
        ),
        (
            {**FILE, "changeWebhooks": [{**CHANGE, "enabled": 1}]},
            "`changeWebhooks[0].enabled` is a number where true or false",
        ),
        ({**FILE, "changeWebhooks": [{**CHANGE, "id": None}]}, "`changeWebhooks[0].id` is null"),
        ({**FILE, "changeWebhooks": [{**CHANGE, "id": False}]}, "`changeWebhooks[0].id` is false"),
        ({**FILE, "changeWebhooks": [{**CHANGE, "description": []}]}, "`changeWebhooks[0].description` is a list"),
        ({**FILE, "changeWebhooks": [{"id": 1}]}, "`changeWebhooks[0]` has no `description`"),
        ({**FILE, "changeWebhooks": [{**CHANGE, "readPatterns": "a"}]}, "`changeWebhooks[0].readPatterns` is a text"),
        (
            {**FILE, "changeWebhooks": [{**CHANGE, "readPatterns": ["a", None]}]},
            "`changeWebhooks[0].readPatterns[1]` is null",
        ),
        ([CHANGE_ANSWER, []], "`[1]` is a list where an object"),
        (7, "the file is a number where an object"),
        ({"data": None}, "`data` is null where an object"),
        ({"data": {"viewer": {}}}, "`data` has no `admin`"),
        ({"data": {"admin": {"allChangeWebhooks": {}}}}, "`data.admin.allChangeWebhooks` has no `nodes`"),
        (
            [CHANGE_ANSWER, {"data": {"admin": {"allCronWebhooks": None}}}],
            "`[1].data.admin.allCronWebhooks` is null where an object",
        ),
        ({"data": {"admin": None}, "errors": [{"message": "no\nrights"}]}, "the server refused (no rights)"),
        ([{"errors": "x"}], "`[0].errors` says that the server refused (x)"),
    ],
)
def test_a_wrong_type_is_named_with_its_path(value: object, said: str) -> None:
    assert said in refusal_of(value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "the file is empty"),
        (" \n", "the file is empty"),
        ('{\n "changeWebhooks": [,]}', "snap.json:2:21: this is no JSON"),
        ("<html>", "snap.json:1:1: this is no JSON"),
        ('{"a": NaN}', "a number that cannot be read (NaN is no JSON)"),
        ('{"a": -Infinity}', "a number that cannot be read"),
        ('{"a": ' + "9" * 5000 + "}", "a number that cannot be read"),
        ("[" * 200_000, "nested too deeply"),
        ('{"a": 1} x', "snap.json:1:10: this is no JSON"),
    ],
)
def test_what_is_no_json_is_said_in_one_sentence(text: str, said: str) -> None:
    assert said in refusal(text)


def test_a_key_that_stands_twice_counts_as_its_last_one() -> None:
    text = '{"changeWebhooks": 1, "changeWebhooks": [], "cronWebhooks": []}'
    assert parse_snapshot(text, "snap.json").webhooks == ()


def test_half_a_surrogate_pair_becomes_a_character_that_can_be_printed() -> None:
    text = r'{"changeWebhooks": [{"id": 1, "description": "fleet:f:a\ud800.md#v"}], "cronWebhooks": []}'
    (hook,) = parse_snapshot(text, "snap.json").webhooks
    assert hook.marker == Marker("f", "a\ufffd.md", "v", "change")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inside: (
        st.lists(inside, max_size=3)
        | st.dictionaries(
            st.sampled_from(["data", "admin", "nodes", "allChangeWebhooks", "changeWebhooks", "cronWebhooks", "errors"])
            | st.sampled_from(sorted({*CHANGE, *CRON})),
            inside,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JSON | st.lists(JSON, max_size=3).map(lambda nodes: {"changeWebhooks": nodes, "cronWebhooks": []}))
def test_any_json_gives_a_registry_or_one_sentence(value: object) -> None:
    message = ""
    try:
        found = parsed(value)
    except ValueError as error:
        message = str(error)
    else:
        assert all(isinstance(hook, Webhook) for hook in found.webhooks)
    assert not message or (message.startswith("snap.json") and "\n" not in message)
