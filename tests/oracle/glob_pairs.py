"""Random patterns over the whole syntax, with names made from them so that about half match. Seeded, and fast."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

PLAIN = "aaabbc.-дé😀"
ANY_CHAR = "abc./-*?[]{},\\!^жд\u00e9e\u0301😀\U0010ffff\ufffd\n\udcff\udcfe"
MEMBERS = "abcab/-!^.*?[{},дя😀\U0010ffff\udcff"
FAULTS = ("[", "]", "{", "}", "\\", "[]", "[!]", "[^", ",", "[a", "{a", "[!a[]", "[^}a]", "{[a,b]}", "{a,[}b]")
WILD = ("*", "*", "**", "***", "?", "/", "/", "**/", "/**", "/**/", "/*", "*/", "/*/", "/**/*")


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a pattern, and what makes a name for it to match (mostly)."""

    text: str
    sample: Callable[[Random], str]


def pairs(random: Random, count: int, names: int = 8) -> Iterator[tuple[str, str]]:
    """So many pairs, `names` of them in a row with one pattern."""
    made = 0
    while made < count:
        parts = _parts(random, 0)
        pattern = "".join(part.text for part in parts)
        for _ in range(min(names, count - made)):
            made += 1
            yield pattern, _mutated(random, "".join(part.sample(random) for part in parts))


def _parts(random: Random, depth: int) -> list[Part]:
    count = random.choice((0, 1, 1, 2)) if depth else random.randint(1, 5)
    return [_part(random, depth) for _ in range(count)]


def _part(random: Random, depth: int) -> Part:
    kind = random.random()
    if kind < 0.36:
        return _wild(random)
    if kind < 0.68:
        text = random.choice(PLAIN) if kind < 0.6 else "".join(random.choices("ab/.дя", k=3))
        return Part(text, lambda _: text)
    if kind < 0.80:
        return _char_class(random)
    if kind < 0.92 and depth < 3:
        return _brace(random, depth)
    if kind < 0.985:
        char = random.choice(ANY_CHAR)
        return Part("\\" + char, lambda _: char)
    fault = random.choice(FAULTS)
    return Part(fault, lambda _: fault)


def _wild(random: Random) -> Part:
    text = random.choice(WILD)

    def sample(random: Random) -> str:
        if text in ("*", "***", "?"):
            return _run(random) or ("a" if text == "?" else "")
        if "*" not in text:
            return "/"
        # `**` crosses segments only where nothing is glued to it, so most of the time it stays in one.
        middle = "/".join(_run(random) or "b" for _ in range(random.choice((1, 1, 1, 2, 3))))
        return ("/" if text[0] == "/" else "") + middle + ("/" if text[-1] == "/" else "")

    return Part(text, sample)


def _run(random: Random) -> str:
    return "".join(random.choices("abc.д", k=random.choice((0, 1, 1, 2))))


def _char_class(random: Random) -> Part:
    listed = []
    for _ in range(random.choice((1, 1, 2, 3))):
        low, high = random.choice(MEMBERS), random.choice(MEMBERS)
        form = random.random()
        listed.append(
            low if form < 0.5 else "\\" + low if form < 0.6 else f"{low}-{high}" if form < 0.9 else f"\\{low}-\\{high}"
        )
    text = "[" + random.choice(("", "", "", "!", "^")) + "".join(listed) + "]"
    return Part(text, lambda random: random.choice(text[1:-1]) if random.random() < 0.7 else random.choice("abcd/я"))


def _brace(random: Random, depth: int) -> Part:
    alternatives = [_parts(random, depth + 1) for _ in range(random.choice((1, 2, 2, 3)))]
    text = "{" + ",".join("".join(part.text for part in parts) for parts in alternatives) + "}"
    return Part(text, lambda random: "".join(part.sample(random) for part in random.choice(alternatives)))


def _mutated(random: Random, name: str) -> str:
    while random.random() < 0.25:
        at = random.randint(0, len(name))
        name = (
            name[:at]
            + random.choice(("", "", "/", "a", "b", random.choice(ANY_CHAR)))
            + name[at + random.randint(0, 2) :]
        )
    return name
