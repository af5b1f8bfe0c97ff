from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

from tests.needed import find_program, missing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.trip2g_server import Trip2gServer

# Machines are noisy: nothing here is judged by how long it takes.
settings.register_profile("fleetlint", settings.default, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("fleetlint")


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of shared inputs beside the project; a clone without it runs its other tests."""
    folder = Path(__file__).parents[2] / "shared"
    if not folder.is_dir():
        missing(str(folder))
    return folder


@pytest.fixture(scope="session")
def make_vault(shared: Path) -> Callable[..., Path]:
    """Makes vaults of any size: `make_vault(folder, roles, notes)`, the folder again."""

    def make(folder: Path, roles: int, notes: int = 0) -> Path:
        maker = shared / "bench/make_vault.py"
        command = [sys.executable, maker, folder, "--roles", str(roles), "--notes", str(notes)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return folder

    return make


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither use nor fill the cache of who runs them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        yield


@pytest.fixture
def trip2g() -> Iterator[Trip2gServer]:
    """A trip2g server of its own, empty."""
    from tests.trip2g_server import serving

    with serving() as server:
        yield server


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for 127.0.0.1 and localhost that nobody vouches for, and its key."""
    openssl = find_program("openssl")
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1"),
            *(
                "-addext",
                "subjectAltName=IP:127.0.0.1,DNS:localhost",
                "-keyout",
                folder / "key.pem",
                "-out",
                folder / "certificate.pem",
            ),
        ],
        capture_output=True,
        check=True,
    )
    return folder / "certificate.pem", folder / "key.pem"
