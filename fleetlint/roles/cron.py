"""Cron schedules as the server's parser reads them.

The facts are those of robfig/cron v3 with the five fields minute, hour, day of month, month, day of week and without
descriptors, obtained by running it (`tests/oracle`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

WEEKDAYS = ("sun", "mon", "tue", "wed", "thu", "fri", "sat")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_LONGEST_MONTH = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_MAX_INT = 2**63 - 1


class BadCron(ValueError):  # noqa: N818 - named like BadPattern
    """A schedule that the server's parser does not take: what is wrong, in one sentence, and what to do about it."""

    def __init__(self, message: str, help: str) -> None:
        super().__init__(message)
        self.message = message
        self.help = help


class Schedule(NamedTuple):
    """When a role runs. Months count from 1, weekdays from 0, which is Sunday.

    `either_day`: a day fits when the day of month or the day of week does, for neither of the two is `*`; otherwise
    both have to. `zone` is the name behind `TZ=`, None where the server's own time counts. `remarks` are sentences on
    what the parser takes and hardly anybody means.
    """

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    either_day: bool
    zone: str | None
    remarks: tuple[str, ...]

    @property
    def ever_comes(self) -> bool:
        """Whether some date fits. The server runs a schedule that never comes at every tick of its clock."""
        fits_month = any(day <= _LONGEST_MONTH[month - 1] for day in self.days for month in self.months)
        fits_week = bool(self.weekdays)
        fits = (fits_month or fits_week) if self.either_day else (fits_month and fits_week)
        return fits and bool(self.minutes and self.hours and self.months)

    @property
    def shortest_gap(self) -> int:
        """The fewest minutes between two runs, as if each day fitted; 1 for a schedule that never comes."""
        if not self.ever_comes:
            return 1
        moments = sorted(60 * hour + minute for hour in self.hours for minute in self.minutes)
        return min(after - before for before, after in zip(moments, [*moments[1:], moments[0] + 24 * 60], strict=True))


class _FieldKind(NamedTuple):
    name: str
    low: int
    high: int
    names: tuple[str, ...] = ()


class _FieldValue(NamedTuple):
    values: frozenset[int]
    star: bool
    """Whether the field counts as `*`: it has an unstepped one among its entries."""
    remarks: tuple[str, ...]


@lru_cache(maxsize=1 << 12)
def read_cron(text: str) -> Schedule:
    """Read the value of `cron_schedule`, trimmed as the fleet trims it.

    Raises BadCron where the server's parser does not take it. A time zone is looked up in this machine's database.
    """
    if not text:
        raise BadCron("the schedule is empty", "write five fields, such as `0 6 * * *`")
    # White space is Go's: Python's but for these four characters.
    text = text.translate(dict.fromkeys(range(0x1C, 0x20), "\0"))
    zone, rest = _split_zone(text)
    if rest.startswith("@"):
        raise BadCron(f"the server's parser does not take `{rest}`", f"write {_five_fields(rest)}")
    fields = rest.split()
    if len(fields) != 5:
        seconds = "; there is no field for seconds" if len(fields) == 6 else ""
        raise BadCron(
            f"`{text}` has {len(fields)} {'field' if len(fields) == 1 else 'fields'} where the server takes five",
            f"write minute, hour, day of month, month and day of week{seconds}",
        )
    kinds = (
        _FieldKind("minute", 0, 59),
        _FieldKind("hour", 0, 23),
        _FieldKind("day of month", 1, 31),
        _FieldKind("month", 1, 12, MONTHS),
        _FieldKind("day of week", 0, 6, WEEKDAYS),
    )
    minute, hour, day, month, weekday = read = [_read_field(*pair) for pair in zip(fields, kinds, strict=True)]
    remarks = [remark for value in read for remark in value.remarks]
    either_day = not (day.star or weekday.star)
    if either_day and day.values and weekday.values:
        remarks.append(
            f"a day fits when the day of month (`{fields[2]}`) or the day of week (`{fields[4]}`) does, "
            "not only when both do"
        )
    return Schedule(
        minute.values, hour.values, day.values, month.values, weekday.values, either_day, zone, tuple(remarks)
    )


def _split_zone(text: str) -> tuple[str | None, str]:
    """The time zone before the fields, and the fields. Raises BadCron."""
    if not text.startswith(("TZ=", "CRON_TZ=")):
        return None, text
    prefix, blank, rest = text.partition(" ")
    if not blank:
        raise BadCron(
            f"`{text}` has no space behind the time zone, which crashes the server's parser",
            "write five fields behind it, or take the time zone away",
        )
    zone = prefix.partition("=")[2]
    if not _is_zone(zone):
        raise BadCron(f"the time zone `{zone}` does not exist", "name one as the tz database does: `Europe/Paris`")
    return zone, rest.strip()


def _is_zone(name: str) -> bool:
    if name in ("", "UTC", "Local"):
        return True
    if ".." in name or name.startswith(("/", "\\")):
        return False
    from zoneinfo import ZoneInfo

    def is_known(name: str) -> bool:
        try:
            ZoneInfo(name)
        except (OSError, ValueError, KeyError):
            return False
        return True

    # A machine that does not even know the zone of Paris has no database, and nothing to say about names.
    return is_known(name) or not is_known("Europe/Paris")


def _five_fields(descriptor: str) -> str:
    known = {
        "@yearly": "0 0 1 1 *",
        "@annually": "0 0 1 1 *",
        "@monthly": "0 0 1 * *",
        "@weekly": "0 0 * * 0",
        "@daily": "0 0 * * *",
        "@midnight": "0 0 * * *",
        "@hourly": "0 * * * *",
    }
    fields = known.get(descriptor)
    return f"`{fields}`" if fields else "five fields, such as `*/5 * * * *` for every five minutes"


def _read_field(text: str, kind: _FieldKind) -> _FieldValue:
    """A list of ranges; empty entries, and so an empty list, are taken. Raises BadCron."""
    values: set[int] = set()
    star = False
    remarks = []
    for entry in filter(None, text.split(",")):
        span, *steps = entry.split("/")
        bounds = span.split("-")
        if len(steps) > 1:
            raise BadCron(f"the {kind.name} `{entry}` has more than one `/`", "write one step, such as `*/5`")
        step = _number(steps[0], kind, entry) if steps else 1
        if bounds[0] in ("*", "?"):
            low, high = kind.low, kind.high
            star = star or step <= 1
            if len(bounds) > 1:
                taken = "/".join([bounds[0], *steps])
                remarks.append(f"the {kind.name} `{entry}` is read as `{taken}`: what follows `-` counts for nothing")
        else:
            low, high = _read_range(bounds, kind, entry)
            high = kind.high if steps and len(bounds) == 1 else high
        if "+" in entry:
            remarks.append(f"the `+` in the {kind.name} `{entry}` counts for nothing")
        _check_range(low, high, step, kind, entry)
        values.update(range(low, high + 1, step))
    if not values:
        remarks.append(f"the {kind.name} `{text}` lists nothing")
    return _FieldValue(frozenset(values), star, tuple(remarks))


def _read_range(bounds: list[str], kind: _FieldKind, entry: str) -> tuple[int, int]:
    low = _number_or_name(bounds[0], kind, entry)
    if len(bounds) > 2:
        raise BadCron(f"the {kind.name} `{entry}` has more than one `-`", "write ranges such as `1-5`")
    return low, _number_or_name(bounds[1], kind, entry) if len(bounds) == 2 else low


def _check_range(low: int, high: int, step: int, kind: _FieldKind, entry: str) -> None:
    """Raises BadCron."""
    if low < kind.low:
        raise BadCron(f"the {kind.name} `{entry}` begins below {kind.low}", f"use {kind.low} to {kind.high}")
    if high > kind.high:
        mend = "write 0 or SUN for Sunday" if kind.names == WEEKDAYS and high == 7 else f"use {kind.low} to {kind.high}"
        raise BadCron(f"the {kind.name} `{entry}` goes beyond {kind.high}", mend)
    if low > high:
        raise BadCron(
            f"the {kind.name} `{entry}` begins behind its end",
            f"a range does not wrap around; write `{low}-{kind.high},{kind.low}-{high}`",
        )
    if step == 0:
        raise BadCron(f"the {kind.name} `{entry}` has a step of 0", "write a step of 1 or more")


def _number_or_name(text: str, kind: _FieldKind, entry: str) -> int:
    # Go lowers each code point for itself, so that the dotted capital I is an i.
    name = text.replace("\u0130", "i").lower()
    return kind.names.index(name) + kind.low if name in kind.names else _number(text, kind, entry)


def _number(text: str, kind: _FieldKind, entry: str) -> int:
    """As Go's Atoi reads it: a sign is allowed, digits are ASCII, 64 bits. Raises BadCron."""
    digits = text[1:] if text[:1] in ("+", "-") else text
    significant = digits.lstrip("0") or "0"
    # A sign of minus can only stand in a step: elsewhere it makes a range.
    negative = text[:1] == "-" and significant != "0"
    if digits.isascii() and digits.isdigit() and len(significant) < 20 and not negative:
        number = int(significant)
        if number <= _MAX_INT:
            return number
    names = f", or names such as {kind.names[1].upper()}" if kind.names else ""
    held = f"holds `{text}`, which is no number" if text else "lacks a number"
    raise BadCron(
        f"the {kind.name} `{entry}` {held} that the server's parser reads",
        f"use {kind.low} to {kind.high}{names}, `*`, lists, ranges and steps",
    )
