from __future__ import annotations

import shutil
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fleetlint.lint import lint
from fleetlint.serve.facts import facts
from fleetlint.settings import load_settings
from fleetlint.vault import load_vault
from tests.serve.running import Server

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

EXAMPLES = Path(__file__).parents[2] / "examples"


def facts_of(folder: Path) -> dict[str, Any]:
    """What GraphQL answers from about a vault."""
    return facts(lint(load_vault(folder), load_settings(str(folder))))


async def no_wave(glob: str) -> bytes:
    """For an endpoint that is asked for no wave."""
    raise AssertionError(glob)


@pytest.fixture
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Server]]:
    """Starts servers: `serve(folder, "--option", ...)`, ready when it returns; they end with the test."""
    with ExitStack() as running:

        def start(folder: Path | None, *arguments: str, ready: bool = True, **options: object) -> Server:
            log_file = tmp_path_factory.mktemp("serve") / "log"
            server = running.enter_context(Server(folder, log_file, *arguments, **options))  # type: ignore[arg-type]
            return server.wait_ready() if ready else server

        yield start


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of the example with findings, on loopback, for tests that change nothing."""
    registry = str(EXAMPLES / "broken" / "registry.json")
    with Server(EXAMPLES / "broken", tmp_path_factory.mktemp("serve") / "log", "--registry", registry) as server:
        yield server.wait_ready()


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """A copy of the example with findings; `registry.json` is in it."""
    return Path(shutil.copytree(EXAMPLES / "broken", tmp_path / "broken"))
