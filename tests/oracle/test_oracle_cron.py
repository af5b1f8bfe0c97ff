"""`read_cron` against the server's own parser: what is taken, whether it ever comes, and when it comes next."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random
from typing import TYPE_CHECKING

import pytest

from fleetlint.roles.cron import BadCron, Schedule, read_cron
from tests.oracle.shrink import shrink

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.oracle.conftest import Oracle

START = datetime(2025, 3, 1, 12, 34, 56, tzinfo=UTC)
LIMITS = ((0, 59), (0, 23), (1, 31), (1, 12), (0, 6))
NAMES = ("JAN", "feb", "Dec", "sun", "MON", "Fri", "sat", "FR\u0130", "monday")
ZONES = (
    "UTC",
    "Europe/Paris",
    "America/New_York",
    "Asia/Kathmandu",
    "Local",
    "",
    "Mars/Phobos",
    "Europe",
    "utc+1",
    "..",
)
STRAY = "0123456789*/-,?+.@LW#= \t\n\u00a0\u2003\u0085\x1c\x1f٣²aZ\0"


def cron_text(random: Random) -> str:
    fields = [",".join(_entry(random, *limits) for _ in range(random.choice((1, 1, 1, 2, 3)))) for limits in LIMITS]
    if random.random() < 0.04:
        fields[2:] = [random.choice(("29", "30", "31", "30-31", ",")), random.choice(("2", "4,6", "FEB", "1-2")), "*"]
    if random.random() < 0.04:
        fields = fields[: random.randrange(5)] if random.random() < 0.5 else ["0", *fields]
    text = random.choice((" ", " ", " ", "  ", "\t", "\u2003")).join(fields)
    if random.random() < 0.08:
        text = random.choice(("TZ=", "CRON_TZ=")) + random.choice(ZONES) + random.choice((" ", " ", "", "\t")) + text
    if random.random() < 0.02:
        text = random.choice(("@daily", "@every 1h", "", "TZ=", "CRON_TZ=UTC", "TZ=UTC @hourly", "TZ=UTC\t"))
    while random.random() < 0.2:
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(STRAY) + text[at + random.randrange(2) :]
    return text


def _entry(random: Random, low: int, high: int) -> str:
    def number() -> str:
        if random.random() < 0.03:
            return random.choice(NAMES)
        within = random.random() < 0.97
        return random.choice(("", "", "", "0", "+")) + str(random.randint(low, high) if within else high + 1)

    shape = random.random()
    if shape < 0.5:
        entry = random.choice(("*", "*", "*", "?", "*-5"))
    elif shape < 0.8:
        entry = number()
    elif high > 12 or random.random() < 0.3:
        first, last = sorted((random.randint(low, high), random.randint(low, high)), reverse=random.random() < 0.1)
        entry = f"{first}-{last}"
    else:
        entry = random.choice(("MON-FRI", "jan-mar", "1-3", "FRI-MON"))
    if random.random() < 0.2:
        entry += random.choice(("/5", "/1", "/2", "/40", "/+3", "/0", "/-0", "/", "/2/2", "/9223372036854775808"))
    return entry


def next_times(schedule: Schedule, start: datetime) -> Iterator[datetime]:
    """The plain way: day by day. Only for schedules that come."""
    day = start.replace(hour=0, minute=0, second=0)
    while True:
        in_month, in_week = day.day in schedule.days, day.isoweekday() % 7 in schedule.weekdays
        fits = (in_month or in_week) if schedule.either_day else (in_month and in_week)
        if fits and day.month in schedule.months:
            for hour in sorted(schedule.hours):
                for minute in sorted(schedule.minutes):
                    if (time := day.replace(hour=hour, minute=minute)) > start:
                        yield time
        day += timedelta(days=1)


def ours(text: str) -> tuple[str, list[int]]:
    """("refused", []) or ("taken", the next two times; 0 is never; none where a zone's clock counts)."""
    try:
        schedule = read_cron(text)
    except BadCron:
        return "refused", []
    if not schedule.ever_comes:
        return "taken", [0, 0]
    if schedule.zone not in (None, "", "UTC"):
        return "taken", []
    times = next_times(schedule, START)
    return "taken", [int(next(times).timestamp()), int(next(times).timestamp())]


def differences(oracle: Oracle, texts: list[str]) -> list[bool]:
    differ = []
    for text, answer in zip(texts, oracle.schedules(texts, int(START.timestamp())), strict=True):
        verdict, times = ours(text)
        if "panic" in answer or "error" in answer:
            differ.append(verdict != "refused")
        else:
            differ.append(verdict != "taken" or times not in ([], answer["next"]))
    return differ


def compare(oracle: Oracle, count: int) -> tuple[int, int]:
    """Compare on so many texts; gives how many were taken and how many of these never come."""
    random = Random("cron")
    texts = [cron_text(random) for _ in range(count)]
    for text, differs in zip(texts, differences(oracle, texts), strict=True):
        if differs:
            (least,) = shrink((text,), lambda cases: differences(oracle, [case[0] for case in cases]))
            answer = oracle.schedules([least], int(START.timestamp()))
            pytest.fail(f"{least!r}: the parser says {answer}, we say {ours(least)} (found as {text!r})")
    verdicts = [ours(text) for text in texts]
    return sum(verdict == "taken" for verdict, _ in verdicts), sum(times == [0, 0] for _, times in verdicts)


def test_schedules_are_read_as_the_parser_reads_them(oracle: Oracle) -> None:
    taken, never = compare(oracle, 1_000)
    assert 200 < taken < 800
    assert never > 3


@pytest.mark.slow
def test_twenty_thousand_schedules_are_read_as_the_parser_reads_them(oracle: Oracle) -> None:
    compare(oracle, 20_000)


def test_the_crash_of_the_parser_is_one(oracle: Oracle) -> None:
    (answer,) = oracle.schedules(["CRON_TZ=UTC"], 0)
    assert "slice bounds" in answer["panic"]


def test_public_reports_about_schedules_hold_for_the_parser_too(oracle: Oracle) -> None:
    taken = ["0 0 * * SUN", "CRON_TZ=Europe/Paris 0 6 * * *", "0 9 1 * 1", "*-5 * * * *", "+5 * * * *", "00 08 * * *"]
    refused = ["@daily", "0 0 * * 7", "0 0 * * FRI-MON", "TZ=Mars/Phobos 0 6 * * *", "1.5 * * * *", "٣ * * * *"]
    answers = oracle.schedules(taken + refused, 0)
    assert ["next" in answer for answer in answers] == [True] * len(taken) + [False] * len(refused)
    assert [ours(text)[0] for text in taken + refused] == ["taken"] * len(taken) + ["refused"] * len(refused)
