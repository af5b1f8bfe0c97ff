from __future__ import annotations

import pytest

from fleetlint.globs import Found, Like, Maybe, Pattern, covers, equivalent, find_path, witness_key


def path_in(*texts: str, none_of: tuple[str, ...] = (), any_name: bool = False) -> str | None:
    answer = find_path(
        all_of=[Pattern.parse(text) for text in texts],
        none_of=[Pattern.parse(text) for text in none_of],
        any_name=any_name,
    )
    assert not isinstance(answer, Maybe)
    return answer.path if answer else None


@pytest.mark.parametrize(
    ("texts", "witness"),
    [
        (("wiki/**", "**"), "wiki/a.md"),
        (("wiki/**", "wiki/topics/*"), "wiki/topics/a.md"),
        (("roles/*", "transcripts/**"), None),
        (("logs/*.md", "logs/run-[0-9]*.md"), "logs/run-0.md"),
        (("notes", "notes/**"), None),
        (("*.{txt,md}", "*.txt"), "a.txt"),
        (("**/*[!a-y]*.md",), "z.md"),
        (("?[0-9]x", "**"), None),
        (("[!a]bc.md",), "bbc.md"),
        (("план/**", "**/*.md"), "план/a.md"),
        (("a/b.md",), "a/b.md"),
        (("**", "*/**", "*/*/**"), "a/a.md"),
        (("*", "?b*"), "ab.md"),
    ],
)
def test_the_witness_over_note_paths_is_a_markdown_note_then_short_then_readable(
    texts: tuple[str, ...], witness: str | None
) -> None:
    assert path_in(*texts) == witness


@pytest.mark.parametrize(
    ("text", "excludes", "witness"),
    [
        ("wiki/**", ("wiki/**",), None),
        ("wiki/**", ("wiki/private/**",), "wiki/a.md"),
        ("wiki/**", ("wiki/*", "wiki/*/**"), None),
        ("wiki/**", ("**/*.md",), "wiki/a.a"),
        ("wiki/*.md", ("wiki/?.md",), "wiki/aa.md"),
        ("wiki/{a,b}.md", ("wiki/a.md",), "wiki/b.md"),
        ("wiki/**", ("wiki/*.md", "wiki/*/*.md"), "wiki/a/a/a.md"),
        # An exclude on which the library gives up still takes `b.md`, and leaves what it does not reach.
        ("*/*", ("**/*[!a]*/*",), "a/a.md"),
    ],
)
def test_excludes_are_taken_out_exactly(text: str, excludes: tuple[str, ...], witness: str | None) -> None:
    assert path_in(text, none_of=excludes) == witness


def test_over_all_names_the_shortest_is_found_whatever_it_is() -> None:
    assert path_in("a/**", any_name=True) == "a"
    assert path_in("**", any_name=True) == ""
    assert path_in("**/", "**/**", any_name=True) == "/"


def test_containment_and_equivalence_are_over_note_paths_unless_asked_otherwise() -> None:
    inside, outside = Pattern.parse("notes/**/*"), Pattern.parse("notes/**")
    assert covers(outside, inside) is True
    assert covers(inside, outside) is True
    assert covers(inside, outside, any_name=True) is False
    assert equivalent(inside, outside) is True
    assert equivalent(Pattern.parse("a/*"), outside) is False


def test_asking_for_a_path_in_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="at least one pattern"):
        find_path(all_of=[])


def test_witnesses_sort_as_people_would_choose() -> None:
    paths = ["b.txt", "_.md", "a-.md", "a1.md", "A.md", "a.md", "1.md"]
    assert sorted(paths, key=witness_key) == ["a.md", "A.md", "1.md", "_.md", "a1.md", "a-.md", "b.txt"]


@pytest.mark.parametrize(
    ("folder", "path", "inside"),
    [
        ("roles/", "roles/a.md", True),
        ("roles", "roles-old/x.md", True),
        ("my_roles/", "myXroles/a.md", True),
        ("my_roles/", "My_Roles/b.md", True),
        ("my_roles/", "my/roles/b.md", True),
        ("Ж/", "ж/a.md", False),
        ("a%z/", "a/b/c/z/x.md", True),
        ("", "any.md", True),
        ("roles/", "role/a.md", False),
    ],
)
def test_a_fleet_folder_is_read_as_sqlite_reads_like(folder: str, path: str, inside: bool) -> None:
    assert Like.parse(folder).matches(path) is inside
    assert (find_path(all_of=[Like.parse(folder), Pattern.parse(path)]) == Found(path)) is inside


def test_two_folders_share_a_path_when_their_like_patterns_do() -> None:
    assert find_path(all_of=[Like.parse("my_roles/"), Like.parse("MYxROLES/deep/")]) == Found("myxroles/deep/a.md")
    assert find_path(all_of=[Like.parse("roles/"), Like.parse("agents/")]) is None


def test_a_pattern_too_deep_to_be_read_proves_nothing_by_what_it_refuses() -> None:
    deep = Pattern.parse("{" * 60 + "b.md" + "}" * 60)
    assert deep.matches("b.md")
    assert find_path(all_of=[deep, Pattern.parse("?.md")]) == Maybe()
    assert find_path(all_of=[deep, Pattern.parse("b.*")]) == Found("b.md")
