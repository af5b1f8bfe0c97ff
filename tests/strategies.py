"""Hypothesis strategies that several tests share."""

from __future__ import annotations

from hypothesis import strategies as st

from fleetlint.globs import BadPattern, Pattern

WILD = ("*", "*", "**", "/", "/", "**/", "/**", "?", "***")


def glob_texts(letters: tuple[str, ...], classes: tuple[str, ...]) -> st.SearchStrategy[str]:
    """Texts of small patterns over the given literals and classes: wildcards, braces in braces, escapes."""
    atoms = st.sampled_from(letters + letters + WILD + classes + tuple("\\" + letter[0] for letter in letters[:2]))

    def braced(inside: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
        brace = st.lists(inside, min_size=1, max_size=3).map(lambda alternatives: "{" + ",".join(alternatives) + "}")
        return st.lists(atoms | brace, max_size=3).map("".join)

    plain = st.lists(atoms, max_size=3).map("".join)
    return st.lists(atoms | st.recursive(plain, braced, max_leaves=4), min_size=1, max_size=4).map("".join)


def readable(text: str) -> bool:
    """Whether a name can match the text at all, as far as its syntax goes."""
    try:
        Pattern.parse(text)
    except BadPattern:
        return False
    return True


def patterns(letters: tuple[str, ...], classes: tuple[str, ...]) -> st.SearchStrategy[Pattern]:
    """Patterns without a fault."""
    return glob_texts(letters, classes).filter(readable).map(Pattern.parse)


def note_bytes() -> st.SearchStrategy[bytes]:
    """Notes as bytes: headers made of what means something to YAML and to fleets, mixed with anything."""
    words = st.sampled_from(
        (
            *("fleet_id: t\n", "mode: change\n", "trigger_include: ", "write_patterns:\n", "max_depth: ", "enabled: "),
            *("---\n", "...\n", "%YAML 1.2\n", "- ", "? ", ": ", "[", "]", "{", "}", ", ", "&x ", "*x", "!t ", "<<: "),
            *("| \n", ">-\n", '"', "'", "\\", "\\/", "#", " #", "@", "`", "%", "\t", "  ", "\n", "\r\n", "\r"),
            *("\u2028", "\x85", "\u00a0", "\x00", "0o17", "1e400", "a/**", "{a,b}", "~", "<nil>", "'[\"a\"]'", "y"),
            *("!", "\ufeff", "-0"),
        )
    ).map(str.encode)
    header = st.lists(words | st.binary(max_size=3), max_size=40).map(b"".join)
    openings = (b"---\n", b"---\n", b"---\r\n", b"-\n", b" --- \n", b"", b"\n---\n", b"\xef\xbb\xbf---\n")
    opening = st.sampled_from(openings)
    closing = st.sampled_from((b"\n---\n", b"\n---\n", b"\n --\n", b""))
    return st.tuples(opening, header, closing, st.binary(max_size=20)).map(b"".join)
