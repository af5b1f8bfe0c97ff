"""Schedules, as the server's parser takes them. The oracle's tests compare with the parser itself."""

from __future__ import annotations

import pytest

from fleetlint.roles.cron import BadCron, read_cron


def fault(text: str) -> BadCron:
    with pytest.raises(BadCron) as caught:
        read_cron(text)
    return caught.value


def test_five_fields_give_five_sets() -> None:
    schedule = read_cron("*/20 6 1,15 jan-MAR ?")
    assert schedule.minutes == {0, 20, 40}
    assert schedule.hours == {6}
    assert schedule.days == {1, 15}
    assert schedule.months == {1, 2, 3}
    assert schedule.weekdays == set(range(7))
    assert schedule.zone is None
    assert schedule.remarks == ()
    assert schedule.ever_comes


def test_a_number_with_a_step_goes_on_to_the_end_of_the_field() -> None:
    assert read_cron("5/20 * * * *").minutes == {5, 25, 45}
    assert read_cron("5-30/20 * * * *").minutes == {5, 25}


@pytest.mark.parametrize("text", ["@daily", "@every 5m", "@reboot", "CRON_TZ=UTC @daily"])
def test_descriptors_are_not_taken(text: str) -> None:
    assert "does not take `@" in fault(text).message


def test_a_descriptor_gets_its_five_fields_as_the_mend() -> None:
    assert "`0 0 * * *`" in fault("@daily").help


def test_sunday_is_0_and_not_7() -> None:
    assert read_cron("0 0 * * SUN") == read_cron("0 0 * * 0")
    assert read_cron("0 0 * * MON-FRI").weekdays == {1, 2, 3, 4, 5}
    assert "0 or SUN" in fault("0 0 * * 7").help
    assert "0 or SUN" in fault("0 0 * * 5-7").help


def test_a_range_that_wraps_is_split_by_the_mend() -> None:
    mend = fault("0 0 * * FRI-MON").help
    assert "`5-6,0-1`" in mend
    assert read_cron("0 0 * * 5-6,0-1").weekdays == {5, 6, 0, 1}


@pytest.mark.parametrize("text", ["CRON_TZ=UTC", "TZ=", "TZ=UTC\t0 0 * * *"])
def test_a_time_zone_without_a_space_behind_it_crashes_the_servers_parser(text: str) -> None:
    if "\t" in text:
        # Here the first space ends a zone of a strange name, which is refused without a crash.
        assert "does not exist" in fault(text).message
    else:
        assert "crashes the server's parser" in fault(text).message


def test_a_time_zone_must_exist() -> None:
    assert read_cron("CRON_TZ=Europe/Paris 0 6 * * *").zone == "Europe/Paris"
    assert "`Mars/Phobos`" in fault("TZ=Mars/Phobos 0 6 * * *").message


def test_no_name_of_a_time_zone_reaches_a_file_outside_of_the_database() -> None:
    for name in ("../../../etc/passwd", "/etc/localtime", "Europe", "a\0b", "x" * 5000, "\ud800"):
        assert "does not exist" in fault(f"TZ={name} 0 6 * * *").message


def test_both_day_fields_mean_or() -> None:
    schedule = read_cron("0 9 1 * 1")
    assert schedule.either_day
    assert "not only when both do" in schedule.remarks[0]


def test_an_unstepped_star_in_either_day_field_means_and() -> None:
    assert not read_cron("0 9 1 * *").either_day
    assert not read_cron("0 9 ? * 1").either_day
    assert not read_cron("0 9 1,* * 1").either_day
    assert read_cron("0 9 */2 * 1").either_day


@pytest.mark.parametrize(
    "text", ["0 0 31 2 *", "0 0 30 2 *", "0 0 31 4,6,9,11 *", ", * * * *", "0 0 * , *", "0 0 , * *"]
)
def test_some_schedules_never_come(text: str) -> None:
    assert not read_cron(text).ever_comes


@pytest.mark.parametrize("text", ["0 0 29 2 *", "0 0 30 2 0", "0 0 31 1-2 *", "0 0 , * 1", "0,,30 * * * *"])
def test_rare_schedules_do_come(text: str) -> None:
    assert read_cron(text).ever_comes


def test_what_the_parser_takes_and_nobody_means_is_remarked_on() -> None:
    assert read_cron("*-5 * * * *").minutes == set(range(60))
    assert "read as `*`" in read_cron("*-5 * * * *").remarks[0]
    assert read_cron("+5 * * * *").minutes == {5}
    assert "`+`" in read_cron("+5 * * * *").remarks[0]
    assert read_cron("00 08 * * *").remarks == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1.5 * * * *",
        "-1 * * * *",
        "٣ * * * *",
        "60 * * * *",
        "* 24 * * *",
        "* * 0 * *",
        "* * * 13 *",
        "* * * * mond",
        "*/0 * * * *",
        "*/-0 * * * *",
        "*/ * * * *",
        "1- * * * *",
        "1-2-3 * * * *",
        "1/2/3 * * * *",
        "*/99999999999999999999 * * * *",
        "*/9223372036854775808 * * * *",
        "9" * 10_000 + " * * * *",
        "* * * *",
        "0 * * * * *",
        "\x1c* * * * *",
        "TZ=UTC \x1c* * * * *",
        "TZ=UTC ",
    ],
)
def test_what_is_no_schedule_is_refused_with_a_mend(text: str) -> None:
    assert fault(text).message
    assert fault(text).help


@pytest.mark.parametrize(
    "text", ["*/9223372036854775807 * * * *", "TZ= 0 6 * * *", "TZ=Local 0 6 * * *", "0\u00a06 * * *"]
)
def test_what_the_parser_takes_is_taken(text: str) -> None:
    assert read_cron(text).ever_comes


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("* * * * *", 1),
        ("*/15 * * * *", 15),
        ("0 6 * * *", 24 * 60),
        ("5,50 8 * * 1", 45),
        ("0,58 0,23 * * *", 2),
        ("0 */7 * * *", 180),
        ("0 0 31 2 *", 1),
    ],
)
def test_the_shortest_gap_is_that_of_two_neighbouring_runs(text: str, minutes: int) -> None:
    assert read_cron(text).shortest_gap == minutes
