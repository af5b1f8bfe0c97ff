"""The examples of docs/api.md, against a real server."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

import pytest

from fleetlint.serve import limits
from tests.serve.conftest import EXAMPLES

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.serve.running import Server

PAGE = (EXAMPLES.parent / "docs/api.md").read_text("utf-8")


def test_each_example_is_answered_as_the_page_says(serve: Callable[..., Server]) -> None:
    server = serve(EXAMPLES / "clean")
    examples = re.findall(r"```console\n\$ curl -s ([^\n]*)\n(.*?)```", PAGE, re.DOTALL)
    assert len(examples) == 7
    for call, answer in examples:
        url, *options = shlex.split(call)
        path = url.removeprefix("http://127.0.0.1:8400/")
        if options:
            assert options[0] == "--json"
            got = server.client.post(path, content=options[1], headers={"content-type": "application/json"})
        else:
            got = server.get(path)
        assert got.json() == json.loads(answer), call


@pytest.mark.parametrize(
    "number",
    [limits.MAX_BODY, limits.MAX_BATCH, limits.MAX_TOKENS, limits.MAX_DEFINITIONS, limits.MAX_DEPTH, limits.MAX_SAME,
     limits.MIN_COST, limits.TIMEOUT],
)  # fmt: skip
def test_each_limit_is_on_the_page(number: int) -> None:
    assert re.search(rf"\| {number:,}[ ,]", PAGE)
