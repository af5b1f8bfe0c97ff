"""Typos of keys: each of a kind is seen, and the words of other people are not."""

from __future__ import annotations

import pytest

from fleetlint.roles.role import KEYS
from fleetlint_rules.unknown_key import meant

LONG = sorted(key for key in KEYS if len(key) > 6)


@pytest.mark.parametrize("key", sorted(KEYS))
def test_case_and_what_parts_the_words_make_no_difference(key: str) -> None:
    camel = "".join(word.capitalize() for word in key.split("_"))
    for spelled in (key.upper(), key.title(), key.replace("_", "-"), key.replace("_", " "), camel):
        assert meant(spelled) == key


@pytest.mark.parametrize("key", LONG)
def test_one_letter_of_a_long_key_may_be_wrong(key: str) -> None:
    for at in range(len(key)):
        for typo in (key[:at] + key[at + 1 :], key[:at] + "q" + key[at:], key[:at] + "q" + key[at + 1 :]):
            assert meant(typo) == key
        swapped = key[:at] + key[at : at + 2][::-1] + key[at + 2 :]
        assert meant(swapped) == key


@pytest.mark.parametrize("key", [key for key in sorted(KEYS) if key.endswith("s")])
def test_a_missing_s_is_seen_in_every_key(key: str) -> None:
    assert meant(key[:-1]) == key


@pytest.mark.parametrize(
    "word",
    [
        "node",
        "code",
        "move",
        "made",
        "more",
        "models",
        "model2",
        "pools",
        "title",
        "tags",
        "type",
        "status",
        "date",
        "aliases",
        "cssclasses",
        "lang",
        "free",
        "source",
        "owner",
        "api_base_url",
        "krisp_base_url",
        "min_seconds",
        "timeout",
        "max_retries",
        "cron",
        "schedule",
        "trigger",
        "include",
        "exclude",
        "patterns",
        "read",
        "write",
        "notes",
        "attach",
        "steps",
        "tokens",
        "depth",
        "prefix",
        "env",
        "fleet",
        "id",
        "name",
        "summary",
        "describe",
        "executable",
        "min_depth",
        "description_en",
    ],
)
def test_words_of_other_people_are_their_own(word: str) -> None:
    assert meant(word) is None


def test_a_key_of_absurd_length_is_nobodys() -> None:
    assert meant("mode" * 50_000) is None
