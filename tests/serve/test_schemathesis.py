"""Requests that Schemathesis makes up from what the server says of itself: no fault of the server, no breach of a schema."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

if TYPE_CHECKING:
    from tests.serve.running import Server

pytestmark = pytest.mark.slow

CASES = 2_000


def test_the_openapi_description_is_true(example: Server, tmp_path: Path) -> None:
    done = subprocess.run(
        [
            Path(sys.executable).with_name("schemathesis"),
            *("run", f"{example.url}openapi.json", "--max-examples", "400", "--seed", "1", "--no-color"),
            *("--generation-database", "none", "--continue-on-failure"),
            # A stream does not end; tests of its own read it.
            *("--exclude-path", "/events"),
            # That a pattern is malformed is beyond what a schema can say.
            *("--exclude-checks", "positive_data_acceptance"),
        ],
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        cwd=tmp_path,
        env=os.environ | {"COLUMNS": "120"},
    )
    assert done.returncode == 0, done.stdout
    generated = re.search(r"(\d+) generated", done.stdout)
    assert generated is not None
    assert int(generated[1]) >= CASES


def test_any_document_that_the_schema_allows_is_answered_as_it_says(example: Server) -> None:
    schema = schemathesis.graphql.from_url(f"{example.url}graphql")
    answered = 0

    @given(case=schema.as_strategy())
    @settings(max_examples=CASES, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
    def ask(case: schemathesis.Case) -> None:
        nonlocal answered
        response = case.call()
        assert response.status_code == 200
        answer = response.json()
        codes = {error.get("extensions", {}).get("code") for error in answer.get("errors", [])}
        # Random texts are malformed patterns at times, and documents that ask for much are refused.
        assert codes <= {"BAD_PATTERN", "COST_LIMIT", "DEPTH_LIMIT", "REPEAT_LIMIT", "TOKEN_LIMIT"}, answer
        answered += "data" in answer

    ask()
    assert answered > CASES / 2
