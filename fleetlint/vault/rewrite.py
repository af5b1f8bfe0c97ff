"""Changes a stretch of a note's file and nothing else of it, unless the file is no longer what was read."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.vault.checkout import MAX_NOTE

if TYPE_CHECKING:
    from collections.abc import Iterator


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
    with _beside(planned.place, planned.after) as temporary:
        os.chmod(temporary, os.stat(planned.place).st_mode & 0o7777)
        with open(planned.place, "rb") as file:
            if file.read() != planned.before:
                raise Changed("the file has changed since it was read")
        os.replace(temporary, planned.place)


def create(place: str, content: bytes) -> None:
    """Makes a file of these bytes, whole. Raises Changed where there is one by now, OSError."""
    with _beside(place, content) as temporary:
        try:
            # Whoever comes second finds this one.
            with open(place, "xb") as file:
                mode = os.fstat(file.fileno()).st_mode
        except FileExistsError:
            raise Changed("there is a file by now") from None
        os.chmod(temporary, mode & 0o7777)
        os.replace(temporary, place)


@contextmanager
def _beside(place: str, content: bytes) -> Iterator[str]:
    """A temporary file in the same folder, for the place of another one; gone when that fails."""
    import tempfile

    folder, name = os.path.split(place)
    descriptor, temporary = tempfile.mkstemp(dir=folder, prefix=f".{name[:50]}.", suffix=".fleetlint")
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    except BaseException:
        os.unlink(temporary)
        raise
