"""What sync tools call the copies that they make when a note was changed in two places."""

from __future__ import annotations

import re

Forms = tuple[tuple[str, str], ...]

CERTAIN: Forms = (
    (r"\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?", "Syncthing"),
    (r" \((?:[^()]*\W)?conflicted copy\b[^()]*(?:\(\d+\))?\)(?: \(\d+\))?", "a sync tool such as Dropbox"),
    (r" \((?:[^()]*\W)?(?:case|unicode encoding|selective sync|white ?space) conflict(?: ?\(?\d+\)?)?\)", "Dropbox"),
    (r"_conflict-\d{8}-\d{6}", "Nextcloud"),
    (r" \(SFConflict [^()]*\)", "Seafile"),
    (r" \(conflicted\)", "pCloud"),
    (r"_[^/]*_Conflict(?:\(\d+\))?", "Synology Drive"),
    (r"\.conflict\d*", "a sync tool"),
    (r"_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+", "a Git merge tool"),
)
"""What follows the name of the note, and who writes it."""

LIKELY: Forms = (
    (r" [2-9]", "iCloud or the Finder"),
    (r" copy(?: \d+)?", "the Finder"),
    (r" - [Cc]opy(?: \(\d+\))?", "Windows"),
    (r" \(\d+\)", "Google Drive or a browser"),
    (r"Copy of ", "Google Drive"),
    (r"-(?:DESKTOP|LAPTOP|WIN)-[A-Z0-9]+(?:-\d+)?", "OneDrive"),
    (r"-[\w' -]*(?:MacBook|iMac|Mac|iPhone|iPad|PC)(?:-?(?:Pro|Air|mini))?(?:-\d+)?", "OneDrive"),
)
"""Names that a person may give as well: then the two notes have to be alike."""


def maker(added: str, *, are_alike: bool) -> str | None:
    """Who adds such a text to a note's name when copying it; None when nobody does, or a person may have done so."""
    for form, by in CERTAIN + LIKELY if are_alike else CERTAIN:
        if re.fullmatch(form, added, re.IGNORECASE if "onflict" in form else 0):
            return by
    return None
