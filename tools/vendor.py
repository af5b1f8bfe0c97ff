"""Refreshes and verifies the files of npm packages that the graph page uses, kept under `fleetlint/serve/static/vendor`.

    tools/vendor.py --check     each file is there with the pinned hash, and no other file (offline; part of `make lint`)
    tools/vendor.py             fetches the pinned versions with npm and writes files and hashes anew

To move to another version, change it in `manifest.json` and run the second; `git diff` then shows what came.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

VENDOR = Path(__file__).parents[1] / "fleetlint/serve/static/vendor"
MANIFEST = VENDOR / "manifest.json"


def main(arguments: list[str]) -> int:
    manifest = json.loads(MANIFEST.read_text("utf-8"))
    if arguments == ["--check"]:
        faults = faults_of(manifest, VENDOR)
        for fault in faults:
            print(fault, file=sys.stderr)
        return 1 if faults else 0
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    for package in manifest["packages"]:
        refresh(package)
    MANIFEST.write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")
    return 0


def faults_of(manifest: dict[str, Any], folder: Path) -> list[str]:
    """A sentence for each file that is missing, changed or not pinned."""
    faults = []
    pinned = {file["to"]: file["sha256"] for package in manifest["packages"] for file in package["files"]}
    for name, sha256 in sorted(pinned.items()):
        if not (folder / name).is_file():
            faults.append(f"{name} is missing; run tools/vendor.py")
        elif hashlib.sha256((folder / name).read_bytes()).hexdigest() != sha256:
            faults.append(f"{name} is not the pinned file; run tools/vendor.py")
    present = {path.name for path in folder.iterdir()}
    faults += [
        f"{name} is not in manifest.json; delete it" for name in sorted(present - set(pinned) - {"manifest.json"})
    ]
    return faults


def refresh(package: dict[str, Any]) -> None:
    """Fetches the package of this version, and updates its files and their hashes."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = f"{package['name']}@{package['version']}"
        packed = subprocess.run(
            ["npm", "pack", "--silent", wanted], cwd=folder, check=True, stdout=subprocess.PIPE, text=True
        )
        with tarfile.open(Path(folder) / packed.stdout.strip()) as archive:
            for file in package["files"]:
                member = archive.extractfile(f"package/{file['from']}")
                assert member is not None, f"{wanted} has no {file['from']}"
                content = member.read()
                (VENDOR / file["to"]).write_bytes(content)
                file["sha256"] = hashlib.sha256(content).hexdigest()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
