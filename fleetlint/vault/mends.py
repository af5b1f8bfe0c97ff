"""YAML errors as a person can use them: what is wrong, where, and how to write it instead."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from fleetlint.vault.note import HeaderFault, Span

if TYPE_CHECKING:
    from fleetlint.vault.compose import Places


def fault_of(error: yaml.YAMLError, header: bytes, places: Places) -> HeaderFault:
    """The fault of a header that the YAML parser refuses."""
    text = header.decode("utf-8", "replace")
    if not isinstance(error, yaml.MarkedYAMLError):
        return _unreadable(error, header, places)
    mark, context = error.problem_mark, error.context_mark
    problem = error.problem or "it does not parse"
    # What was opened and never closed is noticed only at the end.
    opened = error.context is not None and ("flow" in error.context or "quoted" in error.context)
    if opened and context is not None and (mark is None or context.line != mark.line):
        mark, problem = context, _unclosed(error.context or "")
    mark = mark or context
    if mark is None:
        return HeaderFault("broken", f"the YAML does not parse: {problem}", _QUOTE, Span(1, 1, 1, 2))
    line, column = places.at(min(mark.index, len(text)))
    if fault := _directive(text, places) or _odd_space(text, line, places):
        return fault
    source = _line(text, line - places.first_line)
    span = Span(line, column, line, max(column + 1, min(len(source) + 1, column + 1)))
    found = _tab(source, line) or _indicator(source)
    if found:
        return HeaderFault("broken", found[0], found[1], span)
    if "mapping values are not allowed" in problem:
        return HeaderFault(
            "broken",
            "a second `: ` stands in a value without quotes, which YAML reads as another key",
            f"put the value in quotes{_quoted(source)}",
            span,
        )
    return HeaderFault("broken", f"the YAML does not parse: {problem}", _help(problem, source), span)


_QUOTE = "put values with special characters in quotes"


def _unreadable(error: yaml.YAMLError, header: bytes, places: Places) -> HeaderFault:
    """Bytes that are no text: not UTF-8, or control characters."""
    try:
        text = header.decode()
    except UnicodeDecodeError as wrong:
        line, column = places.at(len(header[: wrong.start].decode("utf-8", "replace")))
        return HeaderFault(
            "broken",
            f"byte {wrong.start + 1} of the header (0x{header[wrong.start]:02X}) is not UTF-8",
            "save the note as UTF-8",
            Span(line, column, line, column + 1),
        )
    for index, char in enumerate(text):
        if not (char in "\t\n\r\x85" or " " <= char <= "~" or (char >= "\xa0" and char not in "\ufffe\uffff")):
            line, column = places.at(index)
            return HeaderFault(
                "broken",
                f"the character U+{ord(char):04X} may not stand in YAML",
                "delete it, it is invisible",
                Span(line, column, line, column + 1),
            )
    return HeaderFault("broken", f"the YAML does not parse: {error}".split("\n")[0], _QUOTE, Span(1, 1, 1, 2))


def _directive(text: str, places: Places) -> HeaderFault | None:
    if not text.startswith("%") and "\n%" not in text:
        return None
    begin = 0 if text.startswith("%") else text.index("\n%") + 1
    line, column = places.at(begin)
    found = _line(text, line - places.first_line)
    return HeaderFault(
        "broken",
        f"`{_short(found)}` is a directive of YAML, which the server refuses in a header",
        "leave the line out",
        Span(line, column, line, len(found) + 1),
    )


def _odd_space(text: str, line: int, places: Places) -> HeaderFault | None:
    """A no-break space or an invisible character behind a colon or in the indentation, here or on the line before."""
    import re

    for number in (line - 1, line):
        source = _line(text, number - places.first_line) if number >= places.first_line else ""
        found = re.search("(?:^\\s*|^\\s*-|:)([\xa0\u2000-\u200f\u202f\u2060\u3000\ufeff])", source)
        if found:
            return HeaderFault(
                "broken",
                f"U+{ord(found[1]):04X} stands where YAML needs a plain space",
                "replace it with a space",
                Span(number, found.start(1) + 1, number, found.end(1) + 1),
            )
    return None


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number].rstrip("\r") if 0 <= number < len(lines) else ""


def _tab(source: str, line: int) -> tuple[str, str] | None:
    indent = source[: len(source) - len(source.lstrip())]
    if "\t" in indent:
        return f"line {line} is indented with a tab, which YAML does not take", "indent with spaces"
    return None


_INDICATORS = {
    "{": "begins a mapping",
    "[": "begins a list",
    "*": "names an anchor",
    "&": "makes an anchor",
    "!": "begins a tag",
    "%": "begins no value",
    "@": "begins no value",
    "`": "begins no value",
}


def _indicator(source: str) -> tuple[str, str] | None:
    """A value that begins with a character that means something to YAML, alone or as an entry of a list."""
    import re

    entry = re.match(r"\s*(?:- +)*(?:[\w.-]+:[ \t]+)?(.*)$", source)
    if entry is None or not entry[1].strip():
        return None
    value = entry[1].rstrip()
    inner = re.match(r"""\[(?:[^"'#]*?, *|)([{*&!%@`][^,\]]*)""", value)
    if value[0] == "[" and value[:2] != "[[" and inner:
        value = inner[1].strip()
    if value[0] not in _INDICATORS:
        return None
    if value[0] == "[" and "#" in value and " #" in f" {value}".replace("[#", " #").replace(",#", " #"):
        return "`#` begins a comment here, so the list is never closed", "put the entry in quotes"
    whole = _whole(source, value) if value[0] == "{" else value
    what = f"`{_short(whole)}` is not what YAML expects: without quotes `{value[0]}` {_INDICATORS[value[0]]}"
    if value[0] == "{" and "," in whole:
        return what, (
            "put it in quotes; as a list is cut at commas on its way to the fleet, "
            f"write the whole list as one text: `'[\"{_short(whole)}\"]'`"
        )
    return what, f"put it in quotes: `{_in_quotes(_short(whole))}`"


def _whole(source: str, value: str) -> str:
    """A pattern with braces up to its end, which the commas in the braces are not."""
    rest = source[source.index(value) :] if value in source else value
    depth = 0
    for at, char in enumerate(rest):
        depth += (char == "{") - (char == "}")
        if depth <= 0 and char in ",] \t#":
            return rest[:at]
    return rest


def _quoted(source: str) -> str:
    value = source.partition(": ")[2].strip()
    return f": `{_in_quotes(_short(value))}`" if value else ""


def _in_quotes(value: str) -> str:
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _short(value: str) -> str:
    return value if len(value) <= 60 else value[:57] + "..."


def _unclosed(context: str) -> str:
    if "quoted" in context:
        return "a quote is opened here and not closed"
    return f"a {'`[`' if 'sequence' in context else '`{`'} is opened here and not closed"


def _help(problem: str, source: str) -> str:
    if "quote is opened" in problem:
        return "close the quote, or write a quote inside single quotes twice"
    if "is opened here" in problem:
        return "close it, and put entries with special characters in quotes"
    if "could not find expected ':'" in problem:
        return "write `key: value`, and indent the further lines of a longer value"
    if "did not find expected key" in problem or "block end" in problem:
        return (
            f"put the value in quotes{_quoted(source)}"
            if '"' not in source and "'" not in source
            else ("let nothing follow the closing quote, and indent keys of one level alike")
        )
    return _QUOTE
