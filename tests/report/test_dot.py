from __future__ import annotations

import json
import subprocess

from fleetlint.report import dot
from tests.needed import find_program
from tests.report.builders import context, edge, feed, ghost, graph, node, report


def test_the_digraph_has_a_node_for_each_role_and_an_arrow_for_each_edge() -> None:
    nodes = [node("a.md"), node("b.md", ("x", "y")), ghost("c.md")]
    edges = [edge("a.md", "b.md"), edge("b.md", "c.md", live=frozenset()), feed("c.md", "a.md")]
    assert dot.render(report(of=graph(nodes, edges)), context()).splitlines()[3:] == [
        '  n1 [label="a.md"];',
        '  n2 [label="b.md", color=red];',
        '  n3 [label="c.md", style="rounded,dashed", color=gray];',
        '  n1 -> n2 [label="out/a.md"];',
        '  n2 -> n3 [label="out/a.md", style=dotted, color=gray];',
        '  n3 -> n1 [label="out/a.md", style=dashed];',
        "}",
    ]


def test_an_edge_without_a_proven_path_shows_its_pattern() -> None:
    of = graph([node("a.md"), node("b.md")], [edge("a.md", "b.md", witness="", exact=False)])
    assert 'label="out/** (not proven)"' in dot.render(report(of=of), context())


def test_graphviz_shows_every_name_as_it_is() -> None:
    graphviz = find_program("dot")
    names = ['say "hi"\\', "\\N\\G\\n", "<b>&amp; &", "end", "семья 🚀", "x" * 10_000, "]; }", "a\nb", "caf\udce9"]
    text = dot.render(report(of=graph([node(name) for name in names])), context())
    done = subprocess.run([graphviz, "-Tjson"], input=text.encode(), capture_output=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr.decode()
    shown = sorted(
        "".join(step["text"] for step in drawn["_ldraw_"] if step["op"] == "T")
        for drawn in json.loads(done.stdout)["objects"]
    )
    assert shown == sorted([*names[:-2], "a\ufffdb", "caf%E9"])
