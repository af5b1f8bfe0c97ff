"""The floor of a check: read the role notes of a vault and compose their YAML with PyYAML's C loader, in one plain loop.

python bench/floor.py VAULT
"""

import sys
from pathlib import Path

import yaml

composed = 0
for path in sorted(Path(sys.argv[1], "roles").rglob("*.md")):
    header = path.read_bytes().decode().split("---\n", 2)[1]
    composed += yaml.compose(header, Loader=yaml.CSafeLoader) is not None
print(composed)
