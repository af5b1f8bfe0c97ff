"""The graph page, in a real browser against a real server."""

from __future__ import annotations

import json
import struct
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect, sync_playwright

from tests.serve.browser import DESKTOP, PHONE, Shown, launch, node_module
from tests.serve.running import until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from playwright.sync_api import Browser

    from tests.serve.running import Server

SVG = "{http://www.w3.org/2000/svg}"

ROLES = {
    "lab/night/measure.md",
    "roles/birthday.md",
    "roles/digest.md",
    "roles/fetch-papers.md",
    "roles/front-page.md",
    "roles/garden.md",
    "roles/glossary.md",
    "roles/haiku.md",
    "roles/link-concepts.md",
    "roles/mourn.md",
    "roles/reading-list.md",
    "roles/remind.md",
    "roles/scans.md",
    "roles/tidy.md",
    "roles/weave.md",
    "roles/welcome (conflicted copy 2026-03-02).md",
    "roles/welcome.md",
    "roles/wiki-index.md",
}
TRIGGERS = {
    ("digest", "link-concepts"),
    ("fetch-papers", "digest"),
    ("garden", "front-page"),
    ("garden", "glossary"),
    ("garden", "link-concepts"),
    ("garden", "reading-list"),
    ("garden", "weave"),
    ("garden", "wiki-index"),
    ("glossary", "front-page"),
    ("link-concepts", "weave"),
    ("reading-list", "front-page"),
    ("weave", "link-concepts"),
    ("wiki-index", "wiki-index"),
}
ENTRIES = {"birthday", "mourn", "scans", "welcome", "welcome (conflicted copy 2026-03-02)"}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    # Of this module alone: while it is there, Playwright keeps an event loop running in this thread.
    with sync_playwright() as playwright:
        chromium = launch(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def show(browser: Browser) -> Iterator[Callable[..., Shown]]:
    """Opens pages: `show(server, "q=weave", size=PHONE)`. None may have complained by the end of the test."""
    shown: list[Shown] = []

    def open_page(server: Server, view: str = "", **options: Any) -> Shown:
        page = Shown(browser, **options)
        shown.append(page)
        return page.open(server.url, view)

    yield open_page
    for page in shown:
        page.context.close()
    assert [complaint for page in shown for complaint in page.complaints] == []


def edge(kind: str, source: str, target: str) -> str:
    ends = [f"role:roles/{name}.md" if name else "role:" for name in (source, target)]
    return f"edge:{json.dumps([kind, *ends], separators=(',', ':'))}"


def role(name: str) -> str:
    return f"role:roles/{name}.md"


def test_the_page_shows_the_roles_the_edges_and_the_people_of_the_vault(
    example: Server, show: Callable[..., Shown]
) -> None:
    page = show(example)
    graph = example.get("graph.json").json()
    labels = page.boxes()
    assert {name.removeprefix("role:") for name in labels} == ROLES | {""}
    assert {node["note_path"] for node in graph["nodes"]} == ROLES
    assert labels[role("link-concepts")].startswith("⚡ link-concepts ×N\ncircle")
    assert labels[role("fetch-papers")].startswith("◷ fetch-papers\n")
    assert labels["role:"] == "people"
    triggers = {("trigger", f"roles/{a}.md", f"roles/{b}.md") for a, b in TRIGGERS}
    entries = {("trigger", "", f"roles/{name}.md") for name in ENTRIES}
    feeds = {("feed", one["from"], one["to"]) for one in graph["edges"] if one["kind"] == "feed"}
    assert len(feeds) == 7
    assert page.arrows() == triggers | entries | feeds
    page.picture("broken-light")


def test_fleets_states_and_kinds_of_edges_look_different(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example)
    assert page.having("loop") == {
        edge("trigger", "link-concepts", "weave"),
        edge("trigger", "weave", "link-concepts"),
        edge("trigger", "wiki-index", "wiki-index"),
    }
    cut = {("fetch-papers", "digest"), ("garden", "glossary"), ("garden", "reading-list")}
    assert page.having("cut") == {edge("trigger", *ends) for ends in cut}
    assert page.having("invalid") == {role("remind")}
    assert page.having("ghost") == {role("haiku")}
    assert page.having("conflict") == {"role:lab/night/measure.md"}
    assert page.having("unclaimed") == {role("welcome")}
    lines = [
        page.style(edge("trigger", "digest", "link-concepts"), "line-style"),
        page.style(edge("feed", "digest", "weave"), "line-style"),
        page.style(edge("trigger", "garden", "glossary"), "line-style"),
    ]
    assert lines == ["solid", "dashed", "dotted"]
    colours = [
        page.style(edge("trigger", *ends), "line-color")
        for ends in (("digest", "link-concepts"), ("garden", "glossary"), ("weave", "link-concepts"))
    ]
    assert len(set(colours)) == 3
    borders = {
        page.style(name, "border-style") + page.style(name, "border-width")
        for name in (role("digest"), role("remind"), role("haiku"), "role:lab/night/measure.md", role("welcome"))
    }
    assert len(borders) == 5
    # The legend has the colour of the boxes.
    swatch = page.find("#filter-fleets button", has_text="circle").locator(".swatch")
    assert swatch.evaluate("(one) => getComputedStyle(one).backgroundColor").replace(" ", "") == page.style(
        role("digest"), "background-color"
    ).replace(" ", "")
    # What stands right of what wakes it.
    x = {
        name: page.cy("cy.getElementById(x).position('x')", role(name)) for name in ("garden", "glossary", "front-page")
    }
    assert x["garden"] < x["glossary"] < x["front-page"]


def test_each_finding_is_a_row_and_selects_its_role(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example)
    findings = example.get("graph.json").json()["findings"]
    rows = page.find("#findings tbody tr")
    assert rows.count() == len(findings) == 71
    assert page.text("#tab-findings") == "Findings (71)"
    cells = rows.evaluate_all("(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))")
    weight = {"error": 0, "warn": 1, "info": 2}
    marks = {"error": "● error", "warn": "▲ warn", "info": "○ info"}
    assert cells == [
        [
            marks[one["severity"]],
            one["rule"],
            f"{one['path']}:{one['line']}:{one['column']}",
            one["detail"].replace("`", ""),
            one["help"].replace("`", ""),
        ]
        for one in sorted(findings, key=lambda one: weight[one["severity"]])
    ]
    rows.filter(has_text="its own trigger").first.click()
    assert page.having("chosen") == {role("wiki-index")}
    assert "select=role:roles/wiki-index.md" in page.fragment()
    assert "let it run 4 times" not in page.text("#panel")
    assert "lets it run 4 times more after one edit" in page.text("#panel")
    assert "current" in (rows.filter(has_text="its own trigger").first.get_attribute("class") or "")
    # One that is of no role is shown by itself.
    rows.filter(has_text="broken-frontmatter").first.click()
    assert "put the value in quotes" in page.text("#panel")
    assert page.having("chosen") == set()


def test_a_click_on_a_role_shows_what_is_known_of_it(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example)
    page.click(role("remind"))
    expect(page.find("#panel h2")).to_have_text("◷ remind")
    panel = page.text("#panel")
    assert "`max_depth` is `one`, and that is no integer".replace("`", "") in " ".join(panel.split())
    assert "invalid-role" in panel
    assert "write an integer, without quotes" in panel
    assert "roles/remind.md:7:12" in panel
    # The patterns come by another question, over GraphQL.
    expect(page.find("#panel .patterns")).to_contain_text("calendar/**")
    assert page.having("faded") > {role("weave")}
    page.press("Escape")
    expect(page.find("#panel h2")).to_have_text("Overview")
    assert page.having("faded") == set()


def test_a_click_on_an_edge_shows_its_patterns_and_its_witness(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example)
    page.click(edge("trigger", "link-concepts", "weave"))
    expect(page.find("#panel h2")).to_have_text("Trigger")
    facts = page.find("#panel dl").first.inner_text().split("\n")
    assert facts[:6] == ["writes", "concepts/**", "wakes on", "concepts/**", "witness", "concepts/a.md"]
    assert "closes a loop of 2 roles" in " ".join(page.text("#panel").split())
    page.find("#panel .ends button").last.click()
    expect(page.find("#panel h2")).to_have_text("⚡ weave")
    page.find("#panel button.close").click()
    page.click(edge("trigger", "garden", "reading-list"))
    assert "cut: every chain ends here by max_depth" in page.text("#panel")
    page.press("Escape")
    page.click("role:")
    assert "Each role here waits for notes that no role writes." in page.text("#panel")


def test_the_search_marks_what_it_finds_and_walks_through_it(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example)
    page.press("/")
    page.page.keyboard.type("WEL")
    found = {role("welcome"), role("welcome (conflicted copy 2026-03-02)")}
    assert page.having("match") == found
    assert page.text("#search-count") == "2"
    assert role("weave") in page.having("faded")
    assert page.text("#tab-roles") == "Roles (2)"
    chosen = []
    for _ in range(3):
        page.press("Enter")
        chosen += page.having("chosen")
    assert set(chosen[:2]) == found
    assert chosen[2] == chosen[0]
    page.find("#search").fill("")
    assert page.having("match") == set()


def test_filters_leave_what_they_name(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example)
    graph = example.get("graph.json").json()

    page.find("#filter-fleets button", has_text="lab-night").click()
    assert set(page.boxes()) == {"role:lab/night/measure.md"}
    assert "conflict" in page.text("#findings")
    assert "self-trigger" not in page.text("#findings")
    page.find("#filter-fleets button", has_text="no fleet").click()
    assert set(page.boxes()) == {"role:lab/night/measure.md", role("welcome"), "role:"}
    assert page.find("#filter-fleets button[aria-pressed=true]").count() == 2
    page.find("#clear").click()
    assert len(page.boxes()) == 19

    page.find("#filter-severities button", has_text="error").click()
    wrong = {path for one in graph["findings"] if one["severity"] == "error" for path in one["nodes"]} & ROLES
    assert {name.removeprefix("role:") for name in page.boxes()} - {""} == wrong
    assert 0 < len(wrong) < 18
    assert page.find("#findings td.severity.warn").count() == 0
    page.find("#filter-severities button", has_text="error").click()

    page.find("#filter-edges button", has_text="feeds").click()
    assert {kind for kind, _, _ in page.arrows()} == {"feed"}
    page.find("#filter-edges button", has_text="cut").click()
    assert sum(kind == "trigger" for kind, _, _ in page.arrows()) == 3
    page.find("#clear").click()

    page.find("#folder").select_option("lab/night/")
    assert set(page.boxes()) == {"role:lab/night/measure.md"}
    page.find("#filter-edges button", has_text="wakes").click()
    page.find("#filter-fleets button", has_text="circle").click()
    assert page.text("#empty") == "No role passes the filters."
    assert page.find("#clear").is_visible()


def test_touching_a_path_lights_up_the_wave_depth_by_depth(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example, reduced_motion="no-preference")
    page.find("#touch").fill("papers/**")
    page.find("#wave-form button").click()
    expect(page.find("#wave .budget")).to_contain_text("Runs for an edit: exactly 1 + 2·N.")
    # It plays by itself, one depth after the other.
    seen: list[frozenset[str]] = []

    def played() -> bool:
        now = frozenset(page.having("wave-now"))
        if now and (not seen or seen[-1] != now):
            seen.append(now)
        return now == {role("weave")}

    until(played)
    assert seen[-2:] == [frozenset({role("link-concepts")}), frozenset({role("weave")})]
    assert page.having("wave") == {
        role("digest"),
        role("link-concepts"),
        role("weave"),
        edge("trigger", "digest", "link-concepts"),
        edge("trigger", "link-concepts", "weave"),
    }
    assert role("garden") in page.having("faded")
    page.picture("wave")
    page.find("#wave button", has_text="◀").click()
    assert page.having("wave-now") == {role("link-concepts")}
    assert page.text("#wave .counter") == "Depth 1"
    assert "touch=papers/**" in page.fragment()
    page.press("Escape")
    assert page.having("wave") == page.having("faded") == set()
    assert page.find("#wave").is_hidden()


def test_who_wants_less_motion_sees_the_whole_wave_at_once(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example, "touch=papers/**")
    expect(page.find("#wave .counter")).to_have_text("Depth 2")
    assert page.having("wave-now") == {role("weave")}


def test_a_wave_of_a_tick_and_one_that_wakes_nobody(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example, "touch=wiki/**")
    page.find("#origin").select_option(label="a tick of roles/garden.md")
    expect(page.find("#wave .budget")).to_contain_text("Runs for a tick: at most 7 + 3·N")
    assert {role("garden"), role("wiki-index")} <= page.having("wave")
    page.find("#touch").fill("nowhere.txt/x")
    page.press("Enter")
    page.find("#touch").press("Enter")
    expect(page.find("#wave")).to_contain_text("Nobody wakes")


def test_the_graph_is_saved_as_svg_and_png(example: Server, show: Callable[..., Shown], tmp_path: Path) -> None:
    page = show(example)
    files = {}
    for kind in ("svg", "png"):
        with page.page.expect_download() as download:
            page.find(f"#export-{kind}").click()
        assert download.value.suggested_filename == f"fleetlint.{kind}"
        files[kind] = tmp_path / f"graph.{kind}"
        download.value.save_as(files[kind])
    root = ET.fromstring(files["svg"].read_text("utf-8"))
    texts = {text.text for text in root.iter(f"{SVG}text")}
    assert {"⚡ link-concepts ×N", "◷ garden", "people"} <= texts
    assert len(list(root.iter(f"{SVG}rect"))) == 1 + 18
    assert len(list(root.iter(f"{SVG}path"))) == 2 * 25
    _, _, width, height = (float(number) for number in root.attrib["viewBox"].split())
    assert width > 400
    assert height > 300
    assert not [one for one in root.iter() if "NaN" in " ".join(one.attrib.values())]
    content = files["png"].read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert min(struct.unpack(">II", content[16:24])) > 600


def test_an_edit_of_a_note_comes_by_itself_and_leaves_the_view(
    serve: Callable[..., Server], broken: Path, show: Callable[..., Shown]
) -> None:
    server = serve(broken, "--registry", str(broken / "registry.json"))
    page = show(server, "select=role:roles/digest.md")
    page.cy("void cy.viewport({zoom: 0.9, pan: {x: 33, y: 44}})")
    before = page.window()
    note = broken / "roles/new-reader.md"
    note.write_text(
        "---\nfleet_id: circle\nmode: change\ntrigger_on: [create]\ntrigger_include: [concepts/**]\nmax_depth: 4\n"
        "write_patterns: [out/**]\n---\nRead.\n",
        "utf-8",
    )
    page.wait("cy.getElementById(x).nonempty()", role("new-reader"))
    assert ("trigger", "roles/weave.md", "roles/new-reader.md") not in page.arrows()
    assert ("trigger", "roles/link-concepts.md", "roles/new-reader.md") in page.arrows()
    assert page.window() == before
    assert page.having("chosen") == {role("digest")}
    assert page.text("#panel h2") == "⚡ digest"
    note.unlink()
    page.wait("cy.getElementById(x).empty()", role("new-reader"))


def test_a_stale_result_says_so_until_it_is_mended(
    serve: Callable[..., Server], broken: Path, show: Callable[..., Shown]
) -> None:
    server = serve(broken)
    page = show(server)
    assert page.find("#stale").is_hidden()
    settings = broken / ".fleetlint.yaml"
    good = settings.read_text("utf-8")
    settings.write_text("fleets: 7\n", "utf-8")
    expect(page.find("#stale")).to_contain_text("Stale: this is the last good result.", timeout=60_000)
    assert len(page.boxes()) > 10
    page.picture("stale")
    settings.write_text(good, "utf-8")
    expect(page.find("#stale")).to_be_hidden(timeout=60_000)


@pytest.mark.slow
def test_a_link_restores_the_view(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example)
    page.find("#filter-fleets button", has_text="circle").click()
    page.find("#filter-edges button", has_text="wakes").click()
    page.find("#search").fill("w")
    page.click(role("weave"))
    page.find("#tab-roles").click()
    link = page.page.url
    again = show(example)
    again.page.goto("about:blank")
    again.page.goto(link)
    again.find("#panel h2", has_text="weave").wait_for()
    assert again.boxes() == page.boxes()
    assert again.arrows() == page.arrows()
    assert again.having("chosen") == {role("weave")}
    assert again.find("#search").input_value() == "w"
    assert again.find("#roles").is_visible()
    # Nonsense in an address does no harm.
    again.page.goto("about:blank")
    odd = Shown.open(again, example.url, "fleet=no-such&select=role:gone&open=x&severity=odd&tab=?&folder=%00")
    assert odd.text("#empty") == "No role passes the filters."


@pytest.mark.slow
def test_dark_comes_from_the_system_or_the_button_and_stays(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example)
    light = page.style(role("digest"), "background-color")
    ground = "getComputedStyle(document.body).backgroundColor"
    assert page.page.evaluate(ground) == "rgb(243, 245, 248)"
    page.find("#theme").click()
    assert page.find("#theme").get_attribute("aria-pressed") == "true"
    assert page.page.evaluate(ground) == "rgb(14, 17, 22)"
    assert page.style(role("digest"), "background-color") != light
    page.page.reload()
    page.find("#panel h2").wait_for()
    assert page.page.evaluate(ground) == "rgb(14, 17, 22)"
    system = show(example, color_scheme="dark")
    assert system.page.evaluate(ground) == "rgb(14, 17, 22)"
    system.picture("broken-dark")


def test_arrow_keys_walk_along_edges(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example, "select=role:roles/reading-list.md")

    def chosen() -> str:
        (one,) = page.having("chosen")
        return one.removeprefix("role:")

    page.find("#graph").focus()
    page.press("ArrowRight")
    assert chosen() == "roles/front-page.md"
    page.press("ArrowLeft")
    sources = {source for _, source, target in page.arrows() if target == "roles/front-page.md"}
    assert len(sources) == 3
    first = chosen()
    walked = [first]
    for _ in range(3):
        page.press("ArrowDown")
        walked.append(chosen())
    assert set(walked) == sources
    assert walked[-1] == first
    assert "circle, c" in page.text("#status")
    zoom = page.window()["zoom"]
    page.press("+")
    assert page.window()["zoom"] > zoom
    page.press("0", "Escape")
    assert page.having("chosen") == set()


@pytest.mark.slow
def test_all_can_be_reached_by_the_keyboard(example: Server, show: Callable[..., Shown]) -> None:
    page = show(example)
    page.press("Tab")
    assert page.page.evaluate("document.activeElement.id") == "skip"
    page.press("Enter")
    assert page.page.evaluate("document.activeElement.dataset.role") == "lab/night/measure.md"
    page.press("ArrowDown", "ArrowDown", "Enter")
    assert page.having("chosen") == {role("digest")}
    assert page.page.evaluate("document.activeElement.dataset.role") == "roles/digest.md"
    names = page.find("#roles button.role").all_inner_texts()
    assert len(names) == 18
    assert any("remind" in name and "✖ invalid" in name and "2 errors" in name for name in names)
    page.find("#tab-roles").focus()
    page.press("ArrowLeft")
    assert page.find("#findings").is_visible()
    reached = set()
    page.find("#skip").focus()
    for _ in range(30):
        page.press("Tab")
        reached.add(page.page.evaluate("document.activeElement.id || document.activeElement.dataset.key"))
    assert {"search", "touch", "export-svg", "theme", "fleets:circle", "edges:cut", "folder", "graph"} <= reached
    # A pressed filter keeps the focus.
    page.find("#filter-edges button", has_text="cut").focus()
    page.press("Space")
    assert page.page.evaluate("document.activeElement.dataset.key") == "edges:cut"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_serious(
    example: Server, show: Callable[..., Shown], scheme: str, size: tuple[int, int]
) -> None:
    source = (node_module("axe-core") / "axe.min.js").read_text("utf-8")
    for view in ("", "select=role:roles/weave.md&q=w&severity=error", "touch=wiki/**&tab=roles"):
        page = show(example, view, size=size, color_scheme=scheme)
        if "touch" in view:
            page.find("#wave .budget").wait_for()
        page.page.evaluate(source)
        result = page.page.evaluate("axe.run()")
        assert [
            (one["id"], node["target"], node["failureSummary"])
            for one in result["violations"]
            if one["impact"] in ("serious", "critical")
            for node in one["nodes"]
        ] == []
        assert len(result["passes"]) > 20
        # Nothing sticks out to the side.
        assert page.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.picture(f"{'phone' if size == PHONE else 'desktop'}-wave-{scheme}")


HOSTILE = [
    '<img src=x onerror="document.title=1">',
    "</script><script>alert(1)",
    "quo\"te's & `tick`",
    "\u202egnp.evil",
    "👩‍👩‍👧 family",
    "עברית و عربي",
    "x" * 180,
    "constructor",
    "__proto__",
    "a#b?c&d=e%20f",
]


@pytest.mark.slow
def test_names_of_any_kind_are_shown_as_they_are(
    serve: Callable[..., Server], tmp_path: Path, show: Callable[..., Shown]
) -> None:
    for name in HOSTILE:
        folder = tmp_path / "vault/roles"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{name.replace('/', '∕')}.md"
        path.write_text(
            "---\nfleet_id: '<b>fleet</b>'\nmode: change\ntrigger_on: [update]\nmax_depth: 1\n"
            "trigger_include: ['in/<i>x</i>/**']\nwrite_patterns: ['in/<i>x</i>/**']\n---\nText\n",
            "utf-8",
        )
    server = serve(tmp_path / "vault")
    page = show(server)
    nodes = [node["note_path"] for node in server.get("graph.json").json()["nodes"]]
    assert len(nodes) == len(HOSTILE)
    assert set(page.boxes()) - {"role:"} == {f"role:{path}" for path in nodes}
    labels = " ".join(page.boxes().values())
    assert "\u202e" not in labels
    assert "x" * 60 not in labels
    page.find("#tab-roles").click()
    for path in nodes:
        page.find(f"#roles button[data-role={json.dumps(path, ensure_ascii=False)}]").click()
        assert page.find("#panel .path").evaluate("(one) => one.textContent") == path
        assert page.having("chosen") == {f"role:{path}"}
    assert page.page.evaluate("document.querySelectorAll('img').length") == 1
    assert page.page.evaluate("document.querySelectorAll('main b, main i').length") == 0
    with page.page.expect_download() as download:
        page.find("#export-svg").click()
    saved = tmp_path / "hostile.svg"
    download.value.save_as(saved)
    ET.fromstring(saved.read_text("utf-8"))
    page.picture("hostile")


def test_the_page_works_under_a_prefix(serve: Callable[..., Server], broken: Path, show: Callable[..., Shown]) -> None:
    server = serve(broken, "--root-path", "/_fleet")
    page = show(server, "touch=papers/**")
    expect(page.find("#wave .counter")).to_have_text("Depth 2")
    assert len(page.boxes()) > 10


def test_a_vault_without_roles_says_so(
    serve: Callable[..., Server], tmp_path: Path, show: Callable[..., Shown]
) -> None:
    (tmp_path / "note.md").write_text("Text\n", "utf-8")
    page = show(serve(tmp_path))
    assert page.text("#empty") == "This vault has no roles."
    assert page.text("#findings") == "No findings."


def test_loops_are_what_an_independent_search_finds(example: Server, show: Callable[..., Shown]) -> None:
    import random

    source = random.Random(7)
    graphs = []
    for _ in range(150):
        size = source.randint(1, 9)
        names = [f"n{number}" for number in range(size)]
        graphs.append({name: [other for other in names if source.random() < 0.25] for name in names})
    page = show(example)
    found = page.page.evaluate(
        """async (graphs) => { const { components } = await import(new URL("static/js/loops.js", document.baseURI));
        return graphs.map((graph) => components(new Map(Object.entries(graph)))); }""",
        graphs,
    )
    assert found == [_mutually_reachable(graph) for graph in graphs]
    assert sum(len(loops) for loops in found) > 50


def _mutually_reachable(graph: dict[str, list[str]]) -> list[list[str]]:
    def reach(start: str) -> set[str]:
        seen: set[str] = set()
        todo = list(graph[start])
        while todo:
            name = todo.pop()
            if name not in seen:
                seen.add(name)
                todo += graph[name]
        return seen

    reached = {name: reach(name) for name in graph}
    classes = {
        tuple(sorted({name} | {other for other in reached[name] if name in reached[other]})) for name in sorted(graph)
    }
    return sorted(list(members) for members in classes if len(members) > 1)


@pytest.mark.slow
def test_two_thousand_roles_are_grouped_and_opened(
    serve: Callable[..., Server], tmp_path: Path, show: Callable[..., Shown], make_vault: Callable[..., Path]
) -> None:
    page = show(serve(make_vault(tmp_path / "v", 2_000, 50)))
    boxes = page.boxes()
    assert set(boxes) == {f'group:["fleet{number}",""]' for number in range(7)}
    assert boxes['group:["fleet0",""]'].startswith("fleet0\n287 roles")
    page.picture("large-grouped")
    page.click('group:["fleet0",""]', times=2)
    page.wait("cy.getElementById(x).nonempty()", 'group:["fleet0","roles/team-00007/"]')
    page.picture("large-open")
    # What is chosen in a list is drawn, whatever was closed before.
    page.find("#search").fill("team-00021/index")
    page.press("Enter")
    page.find("#search").press("Enter")
    assert page.having("chosen") == {"role:roles/team-00021/index.md"}
    page.find("#search").fill("")
    page.find("#panel button", has_text="Close fleet0").click()
    assert 'group:["fleet0",""]' in page.boxes()
    # What filters leave is drawn one by one when it is little enough.
    page.find("#filter-severities button", has_text="error").click()
    assert len(page.boxes()) == 80
    assert all(name.startswith("role:") for name in page.boxes())
    page.picture("large-errors")
    # A wave lights up the group in which a role is.
    page.find("#clear").click()
    page.find("#touch").fill("team-00021/inbox/**")
    page.find("#touch").press("Enter")
    page.find("#wave h2").wait_for()
