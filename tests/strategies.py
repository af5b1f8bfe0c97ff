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
