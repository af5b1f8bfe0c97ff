from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fleetlint.vault import load_vault
from fleetlint.vault.checkout import MAX_NOTE
from fleetlint.vault.revision import GitError, Repository
from tests.repositories import commit, git, init, write

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from fleetlint.vault import Vault

ROLE = "---\nfleet_id: desk\nmode: change\ntrigger_include: [a/**]\n---\nDo it.\n"


def at(root: Path, revision: str = "HEAD", exclude: Sequence[str] = ()) -> Vault:
    with Repository(root) as repository:
        return repository.load_vault(repository.tree(revision), exclude=exclude)


def paths(vault: Vault) -> list[str]:
    return [note.path for note in vault.notes]


def same(one: Vault, other: Vault) -> bool:
    return (one.notes, one.folders, one.note_count) == (other.notes, other.folders, other.note_count)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return init(tmp_path / "repository")


# --- The same as a checkout ---

HARD: dict[str, str | bytes] = {
    "roles/a.md": ROLE,
    "roles/plain.md": "No header.\n",
    "roles/windows.md": ROLE.replace("\n", "\r\n"),
    "roles/broken.md": "---\nfleet_id: a\nmode: {\n---\n",
    "roles/missed.md": "\ufeff" + ROLE,
    "roles/bytes.md": b"---\nfleet_id: caf\xe9\n---\n",
    "roles/unclosed.md": "---\nfleet_id: a\n" + "x: y\n" * 60_000,
    "roles/long.md": ROLE + "word " * (MAX_NOTE // 5 + 10),
    "a file with\ttab and\nline.md": ROLE,
    "файл/роль.md": ROLE,
    ".hidden/a.md": ROLE,
    ".hidden.md": ROLE,
    ".md": ROLE,
    "deep/" * 40 + "a.md": ROLE,
    "empty.md": "",
    "other.txt": ROLE,
    "roles.md/inner.md": ROLE,
}


def test_a_revision_is_read_as_its_checkout_is(repository: Path) -> None:
    commit(repository, HARD)
    with open(os.fsencode(repository) + b"/roles/caf\xe9.md", "w") as file:
        file.write(ROLE)
    commit(repository, {})
    checkout = load_vault(repository)
    revision = at(repository)
    assert same(revision, checkout)
    assert [problem.path for problem in revision.problems] == [problem.path for problem in checkout.problems]
    assert len(revision.notes) == 13


def test_links_are_followed_inside_of_the_revision_as_in_a_checkout(repository: Path) -> None:
    write(
        repository, {"vault/.store/a.md": ROLE, "vault/roles/b.md": ROLE, "outside/c.md": ROLE, "vault/text.txt": ROLE}
    )
    vault = repository / "vault"
    for name, target in {
        "linked": ".store",
        "again": "linked",
        "one.md": ".store/a.md",
        "roles/up.md": "../.store/a.md",
        "round": "../vault/.store",
        "text.md": "text.txt",
        "nowhere.md": "gone.md",
        "loop.md": "loop.md",
        "out": "../outside",
        "out.md": "../outside/c.md",
        "absolute.md": "/etc/passwd",
        "itself": ".",
        ".hidden-link": "roles",
        "roles/link-to-real": "../roles",
    }.items():
        (vault / name).symlink_to(target)
    commit(repository, {})
    assert same(at(vault), load_vault(vault))
    assert paths(at(vault)) == ["again/a.md", "one.md", "roles/b.md", "roles/up.md", "text.md"]


def test_what_the_settings_exclude_is_left_out(repository: Path) -> None:
    commit(repository, {"roles/a.md": ROLE, "archive/b.md": ROLE, "archive/deep/c.md": ROLE, "notes/d.md": ROLE})
    exclude = ["archive/**", "notes/*.md"]
    assert paths(at(repository, exclude=exclude)) == ["roles/a.md"]
    assert same(at(repository, exclude=exclude), load_vault(repository, exclude=exclude))


NAMES = st.sampled_from(["a", "b.md", "c.md", ".d", "e", "e.md", "roles"])


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.lists(NAMES, min_size=1, max_size=4).map("/".join),
        st.sampled_from(["..", ".", "a", "e/a", "../a", "", "roles"]),
    )
)
def test_random_trees_with_links_are_read_as_their_checkouts_are(
    tmp_path_factory: pytest.TempPathFactory, entries: dict[str, str]
) -> None:
    root = init(tmp_path_factory.mktemp("random"))
    for path, target in entries.items():
        place = root / path
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            if target and not place.name.endswith(".md"):
                place.symlink_to(target)
            elif place.name.endswith(".md"):
                place.write_text(ROLE)
        except OSError:
            continue  # a file is where a folder is wanted, or a link leads round
    commit(root, {"roles/x.md": ROLE} if not os.path.lexists(root / "roles") else {})
    clone = root.parent / f"{root.name}-clone"
    git(root.parent, "clone", "-q", root, clone)
    assert same(at(root), load_vault(clone))


# --- Which revision, which repository ---


def test_every_kind_of_name_is_a_revision(repository: Path) -> None:
    first = commit(repository, {"a.md": ROLE})
    git(repository, "tag", "-a", "v1", "-m", "one")
    git(repository, "branch", "side")
    commit(repository, {"b.md": ROLE})
    for name in (first, first[:10], "v1", "side", "HEAD~1", "HEAD^", f"{first}^{{tree}}", "main@{1}"):
        assert paths(at(repository, name)) == ["a.md"], name
    assert paths(at(repository, "main")) == ["a.md", "b.md"]


@pytest.mark.parametrize("name", ["gone", "", "-x", "--all", "HEAD:a.md", "a\0b", "main..side", "v1^{blob}", "HEAD --"])
def test_what_is_no_revision_is_one_sentence(repository: Path, name: str) -> None:
    commit(repository, {"a.md": ROLE})
    with pytest.raises(GitError, match=r"is no revision of the repository; name a commit, a branch or a tag$"):
        at(repository, name)


def test_a_folder_without_a_repository_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(GitError, match="git finds no repository here"):
        at(tmp_path)


def test_a_machine_without_git_is_told_so(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repository))
    with pytest.raises(GitError, match=r"git cannot be run \(.*\); install it"):
        at(repository)


def test_an_empty_repository_has_no_revision(repository: Path) -> None:
    with pytest.raises(GitError, match="`HEAD` is no revision"):
        at(repository)


def test_the_working_tree_and_the_index_are_neither_read_nor_touched(repository: Path) -> None:
    commit(repository, {"a.md": ROLE})
    write(repository, {"a.md": ROLE + "More.\n", "b.md": ROLE})
    git(repository, "add", "b.md")
    index = (repository / ".git" / "index").read_bytes()
    before = git(repository, "status", "--porcelain")
    assert [note.body for note in at(repository).notes] == ["Do it.\n"]
    assert git(repository, "status", "--porcelain") == before
    assert (repository / ".git" / "index").read_bytes() == index


@pytest.mark.parametrize(
    "variable", ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR", "GIT_PREFIX"]
)
def test_variables_of_git_do_not_mislead(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    commit(repository, {"a.md": ROLE})
    other = init(tmp_path / "other")
    commit(other, {"wrong.md": ROLE})
    monkeypatch.setenv(variable, str(other / ".git"))
    assert paths(at(repository)) == ["a.md"]


def test_a_vault_in_a_subfolder_is_read_without_the_rest(repository: Path) -> None:
    commit(repository, {"my [vault]*/roles/a.md": ROLE, "my [vault]*/b.md": ROLE, "other/c.md": ROLE})
    vault = repository / "my [vault]*"
    assert paths(at(vault)) == ["b.md", "roles/a.md"]
    assert same(at(vault), load_vault(vault))
    (repository / "new").mkdir()
    with Repository(repository / "new") as opened:
        assert opened.tree("HEAD") is None
        assert opened.load_vault(None).notes == ()


def test_a_linked_worktree_reads_its_own_head(repository: Path, tmp_path: Path) -> None:
    commit(repository, {"a.md": ROLE})
    git(repository, "worktree", "add", "-q", "-b", "side", tmp_path / "side")
    commit(tmp_path / "side", {"b.md": ROLE})
    assert paths(at(tmp_path / "side")) == ["a.md", "b.md"]
    assert paths(at(repository)) == ["a.md"]
    assert paths(at(repository, "side")) == ["a.md", "b.md"]


def test_a_shallow_clone_reads_what_it_has_and_says_why_it_lacks_the_rest(repository: Path, tmp_path: Path) -> None:
    first = commit(repository, {"a.md": ROLE})
    commit(repository, {"b.md": ROLE})
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{repository}", "shallow")
    assert paths(at(tmp_path / "shallow")) == ["a.md", "b.md"]
    for name in (first, "HEAD~1"):
        with pytest.raises(GitError, match="this clone is shallow: fetch the revision first"):
            at(tmp_path / "shallow", name)


def test_a_bare_clone_can_be_read(repository: Path, tmp_path: Path) -> None:
    commit(repository, {"a.md": ROLE})
    git(tmp_path, "clone", "-q", "--bare", repository, "bare.git")
    assert paths(at(tmp_path / "bare.git")) == ["a.md"]


def test_submodules_are_left_out_and_named(repository: Path, tmp_path: Path) -> None:
    inner = init(tmp_path / "inner")
    commit(inner, {"roles/inner.md": ROLE})
    commit(repository, {"a.md": ROLE})
    git(repository, "submodule", "add", "-q", inner, "parts/inner")
    commit(repository, {})
    vault = at(repository)
    assert paths(vault) == ["a.md"]
    assert [(problem.path, problem.message) for problem in vault.problems] == [
        ("parts/inner", "this is a submodule, whose notes are left out")
    ]
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", repository, clone)
    assert same(vault, load_vault(clone))
    with Repository(repository) as opened:
        assert opened.submodules() == ("parts/inner",)
    assert paths(at(repository / "parts" / "inner")) == ["roles/inner.md"]


def test_a_repository_that_lacks_an_object_is_one_sentence(repository: Path) -> None:
    commit(repository, {"a.md": ROLE})
    name = git(repository, "rev-parse", "HEAD:a.md")
    file = repository / ".git" / "objects" / name[:2] / name[2:]
    file.chmod(0o644)
    file.unlink()
    with pytest.raises(GitError, match=f"lacks the object {name}"):
        at(repository)


def test_a_long_answer_does_not_stop_the_conversation(repository: Path) -> None:
    """More names than are written at once, and contents that fill every pipe."""
    files = {f"roles/{number}.md": f"{ROLE}{number}\n" + "word " * 20_000 for number in range(250)}
    commit(repository, files)
    assert same(at(repository), load_vault(repository))


# --- What is read once ---


def test_a_note_that_did_not_change_is_the_same_object(repository: Path) -> None:
    commit(repository, {"a.md": ROLE, "b.md": ROLE, "c.md": b"---\nfleet_id: caf\xe9\n---\n"})
    commit(repository, {"b.md": ROLE + "More.\n"})
    with Repository(repository) as opened:
        before, after = (opened.load_vault(opened.tree(name)) for name in ("HEAD~1", "HEAD"))
    assert [one is other for one, other in zip(before.notes, after.notes, strict=True)] == [True, False, True]
    checkout = load_vault(repository)
    with Repository(repository) as opened:
        revision = opened.load_vault(opened.tree("HEAD~1"), known={note.path: note for note in checkout.notes})
    # The third is not UTF-8: other bytes could have its text.
    assert [one is other for one, other in zip(checkout.notes, revision.notes, strict=True)] == [True, False, False]
    assert revision.notes == before.notes


def test_a_note_that_one_revision_keeps_for_its_folder_is_not_kept_by_the_other(repository: Path) -> None:
    commit(repository, {"roles/a.md": "---\ntitle: a\n---\n"})
    with Repository(repository) as opened:
        tree = opened.tree("HEAD")
        assert paths(opened.load_vault(tree, keep=lambda path: path.startswith("roles/"))) == ["roles/a.md"]
        assert paths(opened.load_vault(tree)) == []
