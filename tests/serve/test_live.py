"""A live vault: read from a trip2g with our key, shown to admins of the same trip2g."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING
from urllib.parse import unquote

from fleetlint.cli import main
from tests.serve.conftest import EXAMPLES
from tests.serve.running import until
from tests.trip2g_server import ADMIN_KEY, Failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest

    from tests.serve.running import Server
    from tests.trip2g_server import Trip2gServer

ADMIN = {"cookie": "trip2g_token=of-an-admin"}


def start(serve: Callable[..., Server], trip2g: Trip2gServer, folder: Path) -> Server:
    trip2g.cookies["of-an-admin"] = "ADMIN"
    trip2g.put_folder(EXAMPLES / "clean")
    # The folder gives the settings; it is the working folder and no argument, which would be the vault.
    return serve(
        None, "--trip2g-url", trip2g.url, "--poll", "1", cwd=folder, environment={"FLEETLINT_TRIP2G_API_KEY": ADMIN_KEY}
    )


def test_a_live_vault_is_served_to_its_admins_as_check_prints_it(
    serve: Callable[..., Server],
    trip2g: Trip2gServer,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    server = start(serve, trip2g, tmp_path)
    assert server.get("graph.json").status_code == 401
    assert server.get("graph.json", headers={"cookie": "trip2g_token=user-token-77ab02"}).status_code == 401
    served = server.get("graph.json", headers=ADMIN).json()
    monkeypatch.setenv("FLEETLINT_TRIP2G_API_KEY", ADMIN_KEY)
    main(["check", str(tmp_path), "--trip2g-url", trip2g.url, "--format", "json"])
    printed = json.loads(capsys.readouterr().out)
    assert len(served["nodes"]) > 2
    assert served | {"generated_at": ""} == printed | {"generated_at": ""}
    assert all("cookie" not in request.headers or "x-api-key" not in request.headers for request in trip2g.requests)


def test_a_live_vault_is_asked_for_again_and_is_stale_while_it_fails(
    serve: Callable[..., Server], trip2g: Trip2gServer, tmp_path: Path
) -> None:
    server = start(serve, trip2g, tmp_path)
    before = server.get("graph.json", headers=ADMIN)
    role = next(path for path, text in trip2g.notes() if "fleet_id" in text)
    trip2g.remove(role)
    until(lambda: server.get("graph.json", headers=ADMIN).headers["etag"] != before.headers["etag"])
    assert role not in server.get("graph.json", headers=ADMIN).text
    trip2g.cookies["of-an-admin"] = "USER"
    trip2g.keys[ADMIN_KEY] = "GUEST"
    until(lambda: server.get("readyz").json()["status"] == "stale")
    assert server.get("graph.json", headers=ADMIN).status_code == 401, "and nobody is let in for that"
    trip2g.cookies["of-an-admin"] = "ADMIN"
    assert trip2g.url in unquote(server.get("graph.json", headers=ADMIN).headers["fleetlint-stale"])
    trip2g.keys[ADMIN_KEY] = "ADMIN"
    until(lambda: server.get("readyz").json()["status"] == "ready")
    trip2g.failing = Failure.HTML
    until(lambda: server.get("readyz").json()["status"] == "stale")
    trip2g.failing = None
    until(lambda: server.get("readyz").json()["status"] == "ready")
    assert ADMIN_KEY not in server.log_file.read_text()


def test_a_folder_that_is_named_is_the_vault_and_trip2g_only_says_who_may_look(
    serve: Callable[..., Server], trip2g: Trip2gServer
) -> None:
    trip2g.cookies["of-an-admin"] = "ADMIN"
    server = serve(EXAMPLES / "clean", "--trip2g-url", trip2g.url)
    assert server.get("graph.json", headers=ADMIN).json()["nodes"]
    assert {request.body for request in trip2g.requests} == {b'{"query": "query { viewer { role } }"}'}
    assert all("x-api-key" not in request.headers for request in trip2g.requests)
