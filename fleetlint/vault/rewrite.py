"""Changes a stretch of a note's file and nothing else of it, unless the file is no longer what was read."""

from __future__ import annotations

import os
from typing import NamedTuple

from fleetlint.vault.checkout import MAX_NOTE


class Rewriting(NamedTuple):
    """A file as it is and as it is to be; `place` is the file itself, where a link leads."""

    place: str
    before: bytes
    after: bytes


class Changed(Exception):  # noqa: N818 - named for what is the case
    """The file is not, or no longer, what was read. One sentence."""


def plan(root: str, path: str, text: str, start: int, end: int, new: str) -> Rewriting:
    """The bytes of a note of which `text` was read, with the characters from `start` to `end` replaced by `new`.

    All other bytes stay, also such as are no UTF-8. Raises Changed, OSError.
    """
    place = os.path.realpath(os.path.join(root, path))
    with open(place, "rb") as file:
        before = file.read()
    seen = before[:MAX_NOTE].decode("utf-8", "replace")
    head, stretch = text[:start].encode(), text[start:end].encode()
    if seen != text or not before.startswith(head + stretch):
        raise Changed("the file has changed since it was read")
    return Rewriting(place, before, head + new.encode() + before[len(head) + len(stretch) :])


def rewrite(planned: Rewriting) -> None:
    """Puts the new bytes in the file's place at once; its mode stays. Raises Changed, OSError."""
    import tempfile

    folder, name = os.path.split(planned.place)
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name[:50]}.", suffix=".fleetlint")
    try:
        with open(descriptor, "wb") as file:
            file.write(planned.after)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, os.stat(planned.place).st_mode & 0o7777)
        with open(planned.place, "rb") as file:
            if file.read() != planned.before:
                raise Changed("the file has changed since it was read")
        os.replace(temporary, planned.place)
    except BaseException:
        os.unlink(temporary)
        raise
