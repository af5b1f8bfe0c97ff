"""The settings file and what it means: `.fleetlint.yaml` at the vault's root, or `[tool.fleetlint]` of a `pyproject.toml`
there."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from fleetlint.graph.model import Fleet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    StrPath = str | os.PathLike[str]

SETTINGS_FILE = ".fleetlint.yaml"
PYPROJECT = "pyproject.toml"
OTHER_NAME = ".fleetlint.yml"

OFF = "off"
SEVERITIES = ("error", "warn", "info")
FAIL_ON = (*SEVERITIES, "never")

MAX_BYTES = 256 * 1024
MAX_OPENERS = 10_000
"""So many `[` and `{` a settings file may have: YAML parsers overflow on deep nesting, and nobody writes it."""
MAX_DEPTH = 12


class SettingsError(ValueError):
    """Settings that cannot be used: one sentence that names the file, the line where it is known, and the mend."""


class RuleSetting(NamedTuple):
    """What the settings say of a rule.

    `severity` is `off`, `error`, `warn`, `info`, or empty for the rule's own. `options` are the other keys, and
    `severity` where it holds none of these words (`exact`); they are checked when the rules are known. `place` is file
    and line for messages.
    """

    severity: str
    options: Mapping[str, str]
    place: str


class PathRules(NamedTuple):
    """Rules that are off, or of another severity, for findings at files that a wcmatch glob takes."""

    glob: str
    rules: Mapping[str, RuleSetting]


class Ignore(NamedTuple):
    """Findings of a rule at files that a wcmatch glob takes are suppressed, for a reason.

    `until` is the last day on which they are, `YYYY-MM-DD`, empty for no end; `line` is the entry's in the settings file,
    0 where the format tells none.
    """

    glob: str
    rule: str
    reason: str
    until: str
    line: int


@dataclass(frozen=True, slots=True)
class Settings:
    """What a vault's owner has set; the defaults are those of a vault without a settings file.

    `file` is the settings file as findings name it: relative to the vault's root when inside it, else absolute; empty
    when there is none. `fleets` is None where none are named. `exclude` are wcmatch globs for files.
    """

    file: str = ""
    fleets: tuple[Fleet, ...] | None = None
    rules: Mapping[str, RuleSetting] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    path_rules: tuple[PathRules, ...] = ()
    ignore: tuple[Ignore, ...] = ()
    rules_folder: str = ""
    """The folder with rules of the vault's own that have not been loaded, relative to its root; empty for none."""
    graph_note: str = "_fleet-graph.md"
    fail_on: str = "error"

    @property
    def keep(self) -> Callable[[str], bool] | None:
        """Which notes with any metadata are roles whatever they hold: those in the folder of a folder-mode fleet."""
        folders = [fleet.folder for fleet in self.fleets or () if fleet.mode == "folder"]
        if not folders:
            return None
        from fleetlint.graph.owners import holds

        return lambda path: any(holds(folder, path) for folder in folders)


def nearest(word: str, known: Iterable[str]) -> str:
    """A clause that names the nearest known word, or all of them when none is near."""
    from difflib import get_close_matches

    known = sorted(known)
    close = get_close_matches(word[:100], known, 1)
    return f"did you mean `{close[0]}`?" if close else f"known are {', '.join(f'`{name}`' for name in known)}"


def load_settings(root: StrPath, config: StrPath | None = None) -> Settings:
    """The settings of the vault at `root`, or those in the file `config`. Without a file, the defaults.

    Raises SettingsError, also when both places hold settings.
    """
    if config is not None:
        data = _read_file(config)
        if data is None:
            raise SettingsError(f"{config}: the settings file does not exist; name one that does")
        name = file_name(config, root)
        if os.path.splitext(config)[1] != ".toml":
            return parse_settings(data, name)
        found = parse_pyproject(data, name)
        if found is None:
            raise SettingsError(f"{name}: there is no `[tool.fleetlint]`; add it, or name another file")
        return found
    if os.path.lexists(os.path.join(root, OTHER_NAME)):
        raise SettingsError(f"{OTHER_NAME}: this name is not read; rename the file to `{SETTINGS_FILE}`")
    return settings_from(_read_file(os.path.join(root, SETTINGS_FILE)), _read_file(os.path.join(root, PYPROJECT)))


def settings_from(data: bytes | None, pyproject: bytes | None) -> Settings:
    """The settings in the two files that may hold them, None for one that there is not; the defaults without any.

    Raises SettingsError, also when both hold settings.
    """
    # Most projects never speak of fleetlint: theirs is not parsed.
    table = parse_pyproject(pyproject, PYPROJECT) if pyproject and b"fleetlint" in pyproject else None
    if data is None:
        return table or Settings()
    if table is not None:
        raise SettingsError(
            f"{PYPROJECT}: `[tool.fleetlint]` is there beside a `{SETTINGS_FILE}`; keep `{SETTINGS_FILE}` and take the "
            "table away"
        )
    return parse_settings(data, SETTINGS_FILE)


def parse_settings(data: bytes, file: str) -> Settings:
    """Settings in YAML; `file` is the name for messages and findings. Raises SettingsError."""
    return _settings(_read_yaml(_text(data, file), file), file)


def parse_pyproject(data: bytes, file: str) -> Settings | None:
    """The settings in a `pyproject.toml`, None when it has no `[tool.fleetlint]`. Raises SettingsError."""
    import tomllib

    text = _text(data, file)
    try:
        tool = tomllib.loads(text).get("tool")
    except RecursionError:
        raise SettingsError(f"{file}: the file is nested too deeply to be read; flatten it") from None
    except ValueError as error:
        raise SettingsError(f"{file}: this is no TOML: {_one_line(error)}; mend it") from None
    if not isinstance(tool, dict) or "fleetlint" not in tool:
        return None
    return _settings(_from_toml(tool["fleetlint"], file, 0), file)


def parse_fleet(text: str) -> Fleet:
    """A fleet of the command line: `ID` (selector mode) or `ID=FOLDER` (folder mode). Raises SettingsError."""
    fleet_id, is_folder, folder = text.partition("=")
    _check_fleet_id(fleet_id, f"--fleet {text}")
    return _fleet(fleet_id, "folder" if is_folder else "selector", folder)


def with_fleets(settings: Settings, texts: Iterable[str]) -> Settings:
    """The settings with the fleets of the command line in the place of their own, where it names any.

    Raises SettingsError.
    """
    fleets = tuple(parse_fleet(text) for text in texts)
    return replace(settings, fleets=fleets) if fleets else settings


# --- Reading a file into values with lines ---


class _Value(NamedTuple):
    """A value of the file: text, list, mapping, or None for an empty one. `line` is 0 where the format tells none."""

    content: str | list[_Value] | dict[str, _Value] | None
    file: str
    line: int = 0

    @property
    def place(self) -> str:
        """File and line for messages."""
        return f"{self.file}:{self.line}" if self.line else self.file

    def refuse(self, what: str, needed: str) -> SettingsError:
        kind = {dict: "a mapping", list: "a list", type(None): "empty"}.get(type(self.content))
        return SettingsError(f"{self.place}: {what} is {kind or _quoted(self.content)} where {needed} is needed")

    def text(self, what: str) -> str:
        if not isinstance(self.content, str):
            raise self.refuse(what, "a text")
        return self.content

    def one_of(self, what: str, words: tuple[str, ...]) -> str:
        text = self.text(what)
        if text not in words:
            raise SettingsError(
                f"{self.place}: {what} is {_quoted(text)}, which is no value for it; {nearest(text, words)}"
            )
        return text

    def flag(self, what: str) -> bool:
        word = self.content.lower() if isinstance(self.content, str) else ""
        if word not in ("true", "yes", "on", "false", "no", "off"):
            raise self.refuse(what, "true or false")
        return word in ("true", "yes", "on")

    def texts(self, what: str) -> tuple[str, ...]:
        """A list of texts; one text stands for a list of one."""
        if isinstance(self.content, str):
            return (self.content,)
        return tuple(item.text(f"an entry of {what}") for item in self.items(what))

    def items(self, what: str) -> list[_Value]:
        if self.content is None:
            return []
        if not isinstance(self.content, list):
            raise self.refuse(what, "a list")
        return self.content

    def entries(self, what: str, known: tuple[str, ...] | None = None) -> dict[str, _Value]:
        """The entries of a mapping, whose keys are `known` where that is given."""
        if self.content is None:
            return {}
        if not isinstance(self.content, dict):
            raise self.refuse(what, "a mapping")
        for key, value in self.content.items():
            if known is not None and key not in known:
                raise SettingsError(f"{value.place}: {_quoted(key)} is no key of {what}; {nearest(key, known)}")
        return self.content


def _read_file(path: StrPath) -> bytes | None:
    """At most one byte more than a settings file may have; None when there is no such file."""
    try:
        # A pipe would be waited on for ever.
        if not stat.S_ISREG(os.stat(path).st_mode):
            raise SettingsError(f"{path}: this is no regular file; put the settings into one")
        with open(path, "rb") as file:
            return file.read(MAX_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        if isinstance(error, SettingsError):
            raise
        reason = error.strerror if isinstance(error, OSError) else error
        raise SettingsError(f"{path}: the settings cannot be read ({reason}); make the file readable") from None


def file_name(path: StrPath, root: StrPath) -> str:
    """A settings or snapshot file as findings name it: relative to the vault when inside it, else absolute.

    `root` is absolute.
    """
    absolute = os.path.abspath(path)
    prefix = os.path.join(root, "")
    return absolute.removeprefix(prefix).replace(os.sep, "/")


def _text(data: bytes, file: str) -> str:
    if len(data) > MAX_BYTES:
        raise SettingsError(f"{file}: the file is larger than {MAX_BYTES // 1024} KiB; take away what is no setting")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise SettingsError(f"{file}:{line}: the file is not UTF-8; save it as UTF-8") from None
    if text.count("[") + text.count("{") > MAX_OPENERS:
        raise SettingsError(
            f"{file}: the file has more than {MAX_OPENERS:,} `[` and `{{`; take away what is no setting"
        )
    return text


def _read_yaml(text: str, file: str) -> _Value:
    """The file's one document. Read event by event, so that no nesting overflows a stack."""
    import yaml

    line = 1
    root: list[_Value] = []
    opened: list[_Opened] = []
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            line = _line(event.start_mark)
            if isinstance(event, yaml.DocumentStartEvent) and root:
                raise SettingsError(f"{file}:{line}: a second document begins here; keep one")
            if isinstance(event, yaml.AliasEvent):
                raise SettingsError(
                    f"{file}:{line}: aliases are not read in settings; write out what `*{event.anchor}` stands for"
                )
            if isinstance(event, yaml.CollectionStartEvent):
                if len(opened) == MAX_DEPTH:
                    raise SettingsError(f"{file}:{line}: no setting is nested this deep; flatten it")
                opened.append(_Opened(_Value({} if isinstance(event, yaml.MappingStartEvent) else [], file, line)))
                continue
            if isinstance(event, yaml.ScalarEvent):
                empty = event.implicit[0] and event.value in ("", "~", "null", "Null", "NULL")
                value = _Value(None if empty else event.value, file, line)
            elif isinstance(event, yaml.CollectionEndEvent):
                value = opened.pop().value
            else:
                continue
            if opened:
                opened[-1].add(value)
            else:
                root.append(value)
    except yaml.MarkedYAMLError as error:
        raise SettingsError(
            f"{file}:{_line(error.problem_mark)}: this is no YAML: {_one_line(error.problem)}; mend it"
        ) from None
    except (yaml.YAMLError, ValueError) as error:
        if isinstance(error, SettingsError):
            raise
        raise SettingsError(f"{file}:{line}: this is no YAML from here on: {_one_line(error)}; mend it") from None
    return root[0] if root else _Value(None, file, 1)


def _line(mark: Any) -> int:
    return mark.line + 1 if mark else 1


class _Opened:
    """A list or mapping that is still being read."""

    def __init__(self, value: _Value) -> None:
        self.value = value
        self._key: _Value | None = None

    def add(self, item: _Value) -> None:
        content = self.value.content
        if isinstance(content, list):
            content.append(item)
        elif self._key is None:
            self._key = item
        elif isinstance(content, dict):
            key = self._key.text("a key")
            if key in content:
                raise SettingsError(f"{self._key.place}: the key {_quoted(key)} is there twice; keep one")
            # What a message says of a value it says at its key.
            content[key] = item._replace(line=self._key.line)
            self._key = None


def _from_toml(value: object, file: str, depth: int) -> _Value:
    if depth > MAX_DEPTH:
        raise SettingsError(f"{file}: no setting is nested this deep; flatten it")
    if isinstance(value, dict):
        return _Value({key: _from_toml(inner, file, depth + 1) for key, inner in value.items()}, file)
    if isinstance(value, list):
        return _Value([_from_toml(inner, file, depth + 1) for inner in value], file)
    return _Value(str(value).lower() if isinstance(value, bool) else str(value), file)


def _one_line(error: object) -> str:
    return " ".join(str(error).split())[:200]


def _quoted(text: object) -> str:
    """A text of the file for a message: without control characters, of a length that a person reads."""
    shown = "".join(character if character.isprintable() else "\ufffd" for character in str(text)[:60])
    return f"`{shown}{'...' if len(str(text)) > 60 else ''}`"


# --- What the values mean ---


def _settings(value: _Value, file: str) -> Settings:
    entries = value.entries(
        "the settings file", ("fleets", "rules", "rules_folder", "paths", "ignore", "graph_note", "fail_on")
    )
    empty = _Value(None, file)
    paths = entries.get("paths", empty).entries("`paths`", ("exclude", "rules"))
    fleets = entries.get("fleets", empty)
    defaults = Settings()
    return Settings(
        file=file,
        fleets=None if fleets.content is None else _fleets(fleets),
        rules={name: _rule(rule, name) for name, rule in entries.get("rules", empty).entries("`rules`").items()},
        exclude=_excludes(paths.get("exclude", empty)),
        path_rules=tuple(
            PathRules(
                _checked_glob(glob, rules),
                {name: _rule_severity(rule, name) for name, rule in rules.entries(_quoted(glob)).items()},
            )
            for glob, rules in paths.get("rules", empty).entries("`paths.rules`").items()
        ),
        ignore=tuple(_ignore(item) for item in entries.get("ignore", empty).items("`ignore`")),
        rules_folder=_folder(entries["rules_folder"]) if "rules_folder" in entries else "",
        graph_note=entries["graph_note"].text("`graph_note`") if "graph_note" in entries else defaults.graph_note,
        fail_on=entries["fail_on"].one_of("`fail_on`", FAIL_ON) if "fail_on" in entries else defaults.fail_on,
    )


def _fleets(value: _Value) -> tuple[Fleet, ...]:
    found: dict[str, Fleet] = {}
    for item in value.items("`fleets`"):
        entries = item.entries("a fleet", ("id", "mode", "folder", "tools", "default"))
        if "id" not in entries:
            raise SettingsError(f"{item.place}: this fleet has no `id`; give it the one that its daemon has")
        fleet_id = entries["id"].text("`id`")
        _check_fleet_id(fleet_id, entries["id"].place)
        if fleet_id in found:
            raise SettingsError(f"{entries['id'].place}: the fleet {_quoted(fleet_id)} is there twice; keep one")
        mode = entries["mode"].one_of("`mode`", ("folder", "selector")) if "mode" in entries else "selector"
        default = "default" in entries and entries["default"].flag("`default`")
        if default and mode == "folder":
            raise SettingsError(
                f"{entries['default'].place}: a folder fleet takes all roles in its folder anyway; leave out `default`, "
                "or make it `mode: selector`"
            )
        folder = entries["folder"].content if "folder" in entries else None
        fleet = _fleet(fleet_id, mode, entries["folder"].text("`folder`") if folder is not None else None)
        found[fleet_id] = replace(
            fleet,
            tools=entries["tools"].texts("`tools`") if "tools" in entries else fleet.tools,
            default=default,
            line=item.line,
        )
    return tuple(found.values())


def _fleet(fleet_id: str, mode: str, folder: str | None) -> Fleet:
    from fleetlint.roles import DEFAULT_TOOLS

    if folder is None:
        folder = "roles/" if mode == "folder" else ""
    return Fleet(fleet_id, mode, folder, tuple(DEFAULT_TOOLS))


def _check_fleet_id(fleet_id: str, place: str) -> None:
    if not fleet_id or fleet_id != fleet_id.strip():
        raise SettingsError(
            f"{place}: a fleet's id is empty or has blanks around it; give it the one that its daemon has"
        )
    if ":" in fleet_id:
        raise SettingsError(
            f"{place}: the fleet's id {_quoted(fleet_id)} holds a `:`, where the markers in the registry end it; take "
            "another id"
        )


def _rule(value: _Value, name: str) -> RuleSetting:
    if not isinstance(value.content, dict):
        return _rule_severity(value, name)
    options = {key: option.text(f"`{key}`") for key, option in value.content.items()}
    word = options.get("severity", "")
    severity = _severity_word(word)
    if severity is not None:
        options.pop("severity", None)
    return RuleSetting(severity or "", options, value.place)


def _rule_severity(value: _Value, name: str) -> RuleSetting:
    text = value.text(_quoted(name))
    severity = _severity_word(text)
    if severity is None:
        words = (OFF, *SEVERITIES)
        raise SettingsError(
            f"{value.place}: the severity of {_quoted(name)} is {_quoted(text)}, which is none; {nearest(text, words)}"
        )
    return RuleSetting(severity, {}, value.place)


def _severity_word(text: str) -> str | None:
    """The severity that a word means, empty for the rule's own; None for a word that is none."""
    if text.lower() in (OFF, "false", "no"):
        return OFF
    if text.lower() in ("", "on", "true", "yes"):
        return ""
    return text if text in SEVERITIES else None


def _ignore(value: _Value) -> Ignore:
    entries = value.entries("an entry of `ignore`", ("path", "rule", "reason", "until"))
    for key, mend in (
        ("path", "the files it is for, such as `labs/**`"),
        ("rule", "the name of one rule"),
        ("reason", "why its findings there may stay"),
    ):
        if key not in entries or not entries[key].text(f"`{key}`").strip():
            raise SettingsError(f"{value.place}: this entry of `ignore` has no `{key}`; write {mend}")
    until = entries["until"].text("`until`") if "until" in entries else ""
    if until and not is_day(until):
        raise SettingsError(
            f"{entries['until'].place}: `until` is {_quoted(until)}, which is no day; write one like `2027-01-31`"
        )
    glob = _checked_glob(entries["path"].text("`path`"), entries["path"])
    return Ignore(glob, entries["rule"].text("`rule`"), entries["reason"].text("`reason`").strip(), until, value.line)


def is_day(text: str) -> bool:
    """Whether the text is a day of the calendar, as `YYYY-MM-DD`."""
    from datetime import date

    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _folder(value: _Value) -> str:
    text = value.text("`rules_folder`")
    parts = text.rstrip("/").split("/")
    if not all(parts) or not {".", ".."}.isdisjoint(parts) or "\\" in text or "\0" in text:
        raise SettingsError(
            f"{value.place}: `rules_folder` is {_quoted(text)}; name a folder in the vault, such as `.fleetlint/rules`"
        )
    return "/".join(parts)


def _excludes(value: _Value) -> tuple[str, ...]:
    return tuple(_checked_glob(glob, value) for glob in value.texts("`exclude`"))


def _checked_glob(glob: str, value: _Value) -> str:
    """The glob; raises SettingsError for one that wcmatch does not take, or that could be slow on some name."""
    stars = max(part.count("*") for part in glob.split("/"))
    if len(glob) > 500 or stars > 4 or glob.count("**") > 2:
        raise SettingsError(
            f"{value.place}: the glob {_quoted(glob)} has more wildcards than could be matched in time; write several "
            "simpler ones"
        )
    try:
        takes([glob], "a.md")
    except Exception as error:
        raise SettingsError(
            f"{value.place}: the glob {_quoted(glob)} cannot be read: {_one_line(error)}; mend it"
        ) from None
    return glob


def takes(globs: Iterable[str], path: str) -> bool:
    """Whether one of the settings' globs takes a path of the vault."""
    from wcmatch.glob import BRACE, DOTGLOB, FORCEUNIX, GLOBSTAR, globmatch

    return bool(globmatch(path, list(globs), flags=GLOBSTAR | DOTGLOB | BRACE | FORCEUNIX))
