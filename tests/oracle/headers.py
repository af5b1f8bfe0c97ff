"""Random notes with frontmatter: what people write, what goes wrong, and bytes that nobody meant. Seeded."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from random import Random


def _words(text: str) -> list[str]:
    return text.split(" ")


# Left out: a fence inside of a list item or quote (`> ---`). goldmark-meta takes it when it stands on the first line,
# which nobody means; fleetlint follows its contract and sees no header there.
OPENINGS = (b"---",) * 60 + (
    b"-",
    b"----------",
    b" ---",
    b"   --- \t",
    b"    ---",
    b"\t---",
    b"--- ",
    b"--- a",
    b"\xef\xbb\xbf---",
    b"\n---",
    b"\xc2\xa0---",
    b"",
)
CLOSINGS = (b"---",) * 30 + (b"-", b"------", b" ---", b"    ---", b"\t---", b"--- \t", b"...", b"--- x", None)
KEYS = _words(
    "fleet_id mode trigger_on trigger_include trigger_exclude read_patterns write_patterns attach_notes cron_schedule "
    "for_each concurrency max_depth timeout_seconds tools description enabled title tags a b on 1 yes ~ ? = x.y"
)
GOOD = _words(
    "change cron both a b krisp 0 1 -1 +3 08 0o10 010 0x1F 0b11 1_000 3.5 1.0 1e3 1E+3 .5 5. -.inf .nan 1e400 12:30 5:00 "
    "190:20:30 99999999999999999999 9223372036854775807 9223372036854775808 18446744073709551615 -9223372036854775808 "
    "y n Y N yes no on off On OFF true false True TRUE ~ null Null NULL <nil> 2026-01-02 2026-02-30 = "
    "2026-01-02T03:04:05Z 'it''s' \"a\\tb\" \"\\u00e9\\x41\" '' \"\" '5' \"true\" a:b http://x.y/z a#b wiki/** notes/*.md "
    "ж😀 é [] {} [[Note]] #"
)
ODD = _words(
    "!foo !!str !!int << [a-z]*.md {a,b} {{x}} [[a|b]] *x &x @x `x` %x |x >x !x ?x -x :x , [ ] { } a, ]a - -- --- ... ? : "
    ".NaN +.inf 0x 0b2 0o8 1__0 _1 1_ +0x1 -0o7 1e 0.1e-7 1e21 123456789.5 -0 +0 00 1e+06 123456789012345678 0777 .1_0 \u2028 "
    "\u00a0 \u200b \ufeffa"
)
ITEMS = (
    "in/**",
    "'my notes/**'",
    '"wiki/{a,b}/**"',
    "a",
    "b",
    "1",
    "yes",
    "~",
    "''",
    "a b",
    "[p, q]",
    "{k: v}",
    "&y c",
    "2026-01-02",
    "1e3",
    "08",
    "ж",
)
ODD_ITEMS = (
    "[a-z]*.md",
    "x: y",
    "*x",
    "*y",
    "",
    "!t a",
    "k:v",
    "a#b",
    "a #b",
    "? a",
    "- b",
    "a:",
    "'",
    "http://a",
    "**",
)
BLOCKS = (
    "|\n  line one\n  line two",
    ">\n  folded\n  text\n\n  more",
    "|-\n  a\n  ---\n  b",
    "|+\n  kept\n\n",
    "|2\n    deeper\n  less",
    "\n  nested: 1\n  other: [a, {b: c}]",
    "\n  b: 2\n  a: 1\n  10: x\n  2: y\n  true: z",
    "\n- in/**\n- out/**",
    "\n  - a\n  - [b, c]\n  - d: e\n    f: g",
    "&anchor [a, b]",
    "*anchor",
    "&x [*x]",
    "\n  <<: *anchor\n  z: 1",
    "\n  <<: {a: 1, b: 2}\n  b: 3",
    "\n  <<: [{a: 1}, {a: 2, c: 3}]",
    "two\n  lines",
    '"two\n  lines \\\n  more"',
    "[a,\n  b]",
    "{a: b,\n c: d}",
    "\n\t- tab",
    "!!binary aGVsbG8=",
    "!!set {a, b}",
    "!!python/name:os.system x",
    "? complex",
    "'open",
    '"\\q"',
    "a # comment",
    "# only a comment",
    "a: b: c",
    "[a, b",
    "a, b]",
    "[,]",
    "[a,,b]",
    "{a}",
    "{a, b: c}",
    "[a: b]",
    "[? a]",
    "{? a : b}",
    "-\n  - x",
    "- a",
    "%TAG",
)
LINES = (
    "",
    "# comment",
    "...",
    "%YAML 1.2",
    "- item",
    "plain text",
    "? a\n: b",
    "<<: {m: 1}",
    "\tx: 1",
    " x: 1",
    "--- ",
    "- -",
    "a",
    "[x]: 1",
    "{x: 1}: 2",
    "? [a]\n: 1",
    "!!str k: v",
    "&k k: v",
    "x : y",
    "x:y",
    "'x':y",
    '"x": y',
)
STRAY = b"-:#[]{},&*!|>'\"%@`?~=<\\ \t\r\n\x00\x07\x1b\x7f\x85\xa0\xff\xc3\xe2ab01"


def note(random: Random) -> bytes:
    """A note; most have a header that parses."""
    newline = b"\r\n" if random.random() < 0.1 else b"\n"
    lines = "\n".join(_entry(random) for _ in range(random.choice((0, 1, 1, 2, 2, 3, 5))))
    block = lines.encode("utf-8", "surrogatepass").replace(b"\n", newline)
    closing = random.choice(CLOSINGS)
    parts = [random.choice(OPENINGS), block] if lines or random.random() < 0.5 else [random.choice(OPENINGS)]
    if closing is not None:
        parts += [closing, b"The body.", b"---", b"x: 1"][: random.choice((1, 2, 4))]
    text = newline.join(parts) + random.choice((b"", newline))
    while random.random() < 0.12:
        text = _mutated(random, text)
    return text


def _entry(random: Random) -> str:
    if random.random() < 0.03:
        return random.choice(LINES)
    key = random.choice(KEYS)
    form = random.random()
    if form < 0.45:
        value = random.choice(ODD if random.random() < 0.1 else GOOD)
    elif form < 0.52:
        value = random.choice(BLOCKS)
    elif form < 0.75:
        value = "[" + random.choice((", ", ",")).join(_items(random)) + "]"
    elif form < 0.92:
        indent = random.choice(("", "  "))
        value = "".join(f"\n{indent}- {item}" for item in _items(random))
    elif form < 0.95:
        value = f"{random.choice(GOOD)} {random.choice(GOOD)}"
    else:
        value = ""
    return f"{key}:{'' if random.random() < 0.02 else random.choice((' ', ' ', '  '))}{value}"


def _items(random: Random) -> list[str]:
    return [random.choice(ODD_ITEMS if random.random() < 0.03 else ITEMS) for _ in range(random.randrange(4))]


def _mutated(random: Random, text: bytes) -> bytes:
    at = random.randrange(len(text) + 1)
    cut = random.choice((0, 0, 1, 3))
    return text[:at] + bytes([random.choice(STRAY)]) * random.choice((0, 1, 1, 2)) + text[at + cut :]
