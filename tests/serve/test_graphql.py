"""GraphQL: the contract that older clients know, equal to the machine JSON, and what is refused before it is resolved."""

from __future__ import annotations

import asyncio
import gc
import json
import re
import weakref
from typing import TYPE_CHECKING, Any

import pytest
from graphql import (
    GraphQLEnumType,
    GraphQLNamedType,
    GraphQLObjectType,
    build_schema,
    get_introspection_query,
    get_named_type,
)

from fleetlint.serve import graphql, limits
from tests.serve.conftest import EXAMPLES, facts_of, no_wave

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import httpx

    from tests.serve.running import Server

# What a client of the upstream contract sends.
ROLES = "{ roles { name path executor model triggerOn triggerInclude triggerExclude readPatterns writePatterns } }"
ROLE_GRAPH = """query {
  roleGraph {
    nodes { role inboxGlob outboxGlob orphan }
    edges { from to kind exact cutByDepth }
    cycles
  }
}"""


def post(server: Server, body: object) -> httpx.Response:
    return server.client.post("graphql", json=body)


def ask(server: Server, query: str, **variables: object) -> dict[str, Any]:
    """The data of an answer without errors."""
    answer = post(server, {"query": query, "variables": variables}).json()
    assert "errors" not in answer
    return dict(answer["data"])


def refusal(answer: httpx.Response) -> dict[str, Any]:
    """The only error of a request that was refused as a whole."""
    document = answer.json()
    assert document.keys() == {"errors"}
    (error,) = document["errors"]
    return dict(error)


# --- The contract ---


def contract(shared: Path) -> Mapping[str, GraphQLNamedType]:
    """The types of the first block of GraphQL in the specification."""
    text = (shared / "spec" / "api.md").read_text("utf-8")
    block = re.search(r"```graphql\n(.*?)```", text, re.DOTALL)
    assert block
    types = build_schema(block[1]).type_map
    return {name: kind for name, kind in types.items() if not name.startswith("__")}


def test_the_schema_holds_the_upstream_contract_type_by_type(shared: Path) -> None:
    upstream = contract(shared)
    assert {"Role", "GraphNode", "EdgeKind", "GraphEdge", "RoleGraph", "Query"} <= upstream.keys()
    for name, kind in upstream.items():
        ours = graphql.SCHEMA.type_map[name]
        assert type(ours) is type(kind), name
        if isinstance(kind, GraphQLEnumType):
            assert isinstance(ours, GraphQLEnumType)
            # A client that knows two kinds of edges must not meet a third one.
            assert kind.values.keys() == ours.values.keys()
        elif isinstance(kind, GraphQLObjectType):
            assert isinstance(ours, GraphQLObjectType)
            for field, definition in kind.fields.items():
                assert str(ours.fields[field].type) == str(definition.type), f"{name}.{field}"
                assert ours.fields[field].args.keys() == definition.args.keys(), f"{name}.{field}"


def test_the_schema_can_only_be_queried() -> None:
    assert graphql.SCHEMA.mutation_type is None
    assert graphql.SCHEMA.subscription_type is None


def test_every_field_of_the_schema_is_in_the_answers_data(example: Server) -> None:
    data = ask(example, f"{{ {everything('Query')} }}")
    assert data["roles"]
    assert data["roleGraph"]["edges"]
    assert data["findings"]
    assert data["fleets"]
    assert data["impact"]["waves"]


def everything(name: str) -> str:
    """All fields of a type, and of those it leads to, as a client that asks for all writes them."""
    kind = graphql.SCHEMA.type_map[name]
    assert isinstance(kind, GraphQLObjectType)
    fields = []
    for field, definition in kind.fields.items():
        inner = get_named_type(definition.type)
        arguments = '(path: "drafts/**")' if field == "impact" else ""
        selection = f" {{ {everything(inner.name)} }}" if isinstance(inner, GraphQLObjectType) else ""
        fields.append(f"{field}{arguments}{selection}")
    return " ".join(fields)


# --- Equal to what else is served ---


def test_the_graph_is_that_of_the_machine_json(example: Server) -> None:
    served = example.get("graph.json").json()
    graph = ask(example, "{ roleGraph { nodes { role } edges { from to kind exact cutByDepth witness } } }")[
        "roleGraph"
    ]
    kinds = {"trigger": "TRIGGER", "feed": "DATAFLOW"}
    roles = {node["note_path"] for node in served["nodes"] if node["kind"] == "role" and not node["ghost"]}
    assert {node["role"] for node in graph["nodes"]} == roles
    assert graph["edges"] == [
        {
            "from": edge["from"],
            "to": edge["to"],
            "kind": kinds[edge["kind"]],
            "exact": edge["exact"],
            "cutByDepth": edge["cut_by_depth"],
            "witness": edge["witness"] or "",
        }
        for edge in served["edges"]
    ]


def test_the_findings_are_those_of_the_machine_json_and_can_be_chosen(example: Server) -> None:
    served = example.get("graph.json").json()["findings"]
    query = """query ($severity: Severity, $rule: String, $path: String) {
      findings(severity: $severity, rule: $rule, path: $path) { severity rule path line column nodes detail help } }"""

    def chosen(**variables: object) -> list[dict[str, Any]]:
        return list(ask(example, query, **variables)["findings"])

    everything = chosen()
    assert [(one["severity"].lower(), one["rule"], one["path"], one["line"]) for one in everything] == [
        (one["severity"], one["rule"], one["path"], one["line"]) for one in served
    ]
    errors = chosen(severity="ERROR")
    assert errors == [one for one in everything if one["severity"] == "ERROR"] != []
    cycles = chosen(rule="cycle")
    assert cycles == [one for one in everything if one["rule"] == "cycle"] != []
    role = cycles[0]["nodes"][-1]
    of_role = chosen(path=role)
    assert of_role == [one for one in everything if role in (one["path"], *one["nodes"])]
    assert cycles[0] in of_role
    assert chosen(severity="INFO", rule="cycle") == []


def test_a_wave_is_that_of_the_rest_route(example: Server) -> None:
    served = example.get("impact", params={"path": "wiki/**"}).json()
    asked = ask(
        example,
        """{ impact(path: "wiki/**") { glob waves { tick exact reasons runs { text powersOfN }
          levels { first last runs { role path from via { write match } sources splits } } } } }""",
    )["impact"]
    assert asked["glob"] == served["glob"] == "wiki/**"
    assert len(asked["waves"]) == len(served["waves"]) > 0
    for ours, theirs in zip(asked["waves"], served["waves"], strict=True):
        assert ours["levels"] == theirs["levels"]
        assert (ours["exact"], ours["reasons"]) == (theirs["exact"], theirs["reasons"])
        assert ours["runs"] == {"text": theirs["runs"]["text"], "powersOfN": theirs["runs"]["powers_of_n"]}


@pytest.mark.parametrize(
    "name", ["docs-demo", "krisp-cycle", "krisp-excluded-part", "up-cycle", "up-exclude", "up-self"]
)
def test_the_shared_fleets_have_their_expected_graphs(shared: Path, name: str) -> None:
    folder = shared / "rolesets" / name
    expected = json.loads((folder / "EXPECTED.json").read_text("utf-8"))
    data = answered(folder, ROLE_GRAPH)["data"]["roleGraph"]
    triggers = {(edge["from"], edge["to"]): edge for edge in data["edges"] if edge["kind"] == "TRIGGER"}
    assert sorted(triggers) == sorted((edge["from"], edge["to"]) for edge in expected["trigger"])
    for edge in expected["trigger"]:
        assert triggers[edge["from"], edge["to"]]["cutByDepth"] is {"yes": False, "never": True}[edge["fires"]]
    (roles,) = expected["sets"]
    assert [node["role"] for node in data["nodes"]] == sorted(roles)
    sources, targets = {source for source, _ in triggers}, {target for _, target in triggers}
    assert {node["role"] for node in data["nodes"] if node["orphan"]} == set(roles) - (sources & targets)
    assert data["cycles"] == looped(roles, triggers)


def looped(roles: Mapping[str, Any], arrows: Mapping[tuple[str, str], Any]) -> list[list[str]]:
    """Groups of roles that reach each other, and roles that reach themselves in one step, by reachability alone."""
    reach = {role: {target for source, target in arrows if source == role} for role in roles}
    for _ in roles:
        reach = {role: found.union(*(reach[one] for one in found)) for role, found in reach.items()}
    groups = {
        tuple(sorted(other for other in roles if other in reach[role] and role in reach[other])) for role in roles
    }
    return sorted(list(group) for group in groups if len(group) > 1 or (group and (group[0], group[0]) in arrows))


def answer_about(folder: Path, asked: object) -> tuple[int, Any]:
    """The status and the answer about a vault, without a server; of what is asked as much is read as a server reads."""

    async def run() -> tuple[int, bytes]:
        data = facts_of(folder)
        body = json.dumps(asked).encode()
        return await graphql.Endpoint(no_wave).answer(body[: limits.MAX_BODY + 1], data, len(body))

    status, answer = asyncio.run(run())
    return status, json.loads(answer)


def answered(folder: Path, query: str) -> dict[str, Any]:
    status, answer = answer_about(folder, {"query": query})
    assert status == 200
    return dict(answer)


class Facts(dict[str, Any]):
    """Facts that can be watched for their end."""


def test_facts_that_are_replaced_are_gone_at_once() -> None:
    async def run() -> None:
        endpoint = graphql.Endpoint(no_wave)
        body = json.dumps({"query": ROLE_GRAPH}).encode()
        data = facts_of(EXAMPLES / "broken")
        old = Facts(data)
        end = weakref.ref(old)
        await endpoint.answer(body, old)
        del old
        assert end() is not None
        # Without the collector, for that comes when it likes.
        gc.disable()
        try:
            await endpoint.answer(body, Facts(data))
            assert end() is None
        finally:
            gc.enable()

    asyncio.run(run())


def test_an_inbox_leaves_out_what_the_excludes_swallow_whole(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        '---\nfleet_id: t\nmode: change\ntrigger_on: [create]\ntrigger_include: ["in/**", "in/old/*.md", "out/*"]\n'
        'trigger_exclude: ["in/old/**"]\nwrite_patterns: ["log/**"]\n---\nDo it.\n'
    )
    (node,) = answered(tmp_path, ROLE_GRAPH)["data"]["roleGraph"]["nodes"]
    assert node["inboxGlob"] == ["in/**", "out/*"]


def test_a_role_has_the_defaults_in_force(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(
        "---\nfleet_id: t\nmode: cron\ncron_schedule: '0 3 * * *'\nmax_depth: 99999999999\n---\nDo it.\n"
    )
    (role,) = answered(
        tmp_path, "{ roles { name executor model maxDepth concurrency forEach valid errors fleetIds } }"
    )["data"]["roles"]
    assert (role["name"], role["executor"], role["model"]) == ("a", "llm", None)
    assert (role["maxDepth"], role["valid"]) == (2**31 - 1, False)
    assert any("max_depth" in error for error in role["errors"])
    assert (role["concurrency"], role["forEach"], role["fleetIds"]) == ("allow_overlap", "", ["t"])


def test_introspection_works_as_tools_ask_for_it(example: Server) -> None:
    data = ask(example, get_introspection_query(descriptions=True))
    assert {kind["name"] for kind in data["__schema"]["types"]} >= {"Query", "Role", "GraphEdge"}


# --- What a client does wrong ---


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("{ roles { nothing } }", "nothing"),
        ("{ roles }", "roles"),
        ("{ roles { path }", "Syntax Error"),
        ("", "Syntax Error"),
        ("mutation { rescan }", "mutation"),
        ("subscription { roles { path } }", "subscription"),
        ("query ($s: Severity!) { findings(severity: $s) { rule } }", "$s"),
        ('{ findings(severity: "ERROR") { rule } }', "Severity"),
        ("query a { roles { path } } query b { roles { path } }", "operation"),
        ("{ ...gone }", "gone"),
        ('{ impact(path: "[") { glob } }', "column 1"),
        ('{ impact(path: "") { glob } }', "pattern"),
        ("query ($p: String!) { impact(path: $p) { glob } }", "$p"),
    ],
)
def test_a_wrong_document_is_a_graphql_error_and_no_fault_of_the_server(example: Server, query: str, says: str) -> None:
    answer = post(example, {"query": query})
    assert answer.status_code == 200
    assert says in answer.json()["errors"][0]["message"]


@pytest.mark.parametrize(
    "body",
    [b"", b"{", b"null", b"7", b'"x"', b"[]", b"[7]", b"{}", b'{"query": 7}', b'{"query": "{a}", "variables": []}',
     b'{"query": "{a}", "operationName": 7}', b'{"query": "{a}", "variables": {"a": NaN}}', b'\xff{"query": "{a}"}',
     b"[" * 60_000, b'{"query": "\xff"}', '{"query": "{a}"}'.encode("utf-16")],
)  # fmt: skip
def test_a_body_that_is_no_request_is_400_in_a_sentence(example: Server, body: bytes) -> None:
    answer = example.client.post("graphql", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400
    assert refusal(answer)["extensions"]["code"] == "BAD_REQUEST"


@pytest.mark.parametrize("number", ["9" * 4_000, "-" + "9" * 20, "1e999", "0.1"])
def test_numbers_beyond_all_measure_are_an_error_of_that_variable(example: Server, number: str) -> None:
    body = f'{{"query": "query ($p: String!) {{ impact(path: $p) {{ glob }} }}", "variables": {{"p": {number}}}}}'
    answer = example.client.post("graphql", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (200, 400)
    assert answer.json()["errors"]


def test_requests_in_a_list_are_answered_each(example: Server) -> None:
    answers = post(
        example, [{"query": "{ roles { path } }"}, {"query": "{ nothing }"}, {"query": "{ __typename }"}]
    ).json()
    assert answers[0]["data"]["roles"]
    assert "errors" in answers[1]
    assert answers[2] == {"data": {"__typename": "Query"}}


def test_what_is_not_unicode_is_asked_and_answered(example: Server) -> None:
    body = b'{"query": "query ($p: String!) { impact(path: $p) { glob waves { tick } } }", "variables": {"p": "\\ud800/**"}}'
    answer = example.client.post("graphql", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 200
    assert answer.json()


# --- What is refused before anything is resolved ---

HOSTILE: dict[str, tuple[object, str, int]] = {
    "aliases": ({"query": "{" + " ".join(f"a{n}: roles {{ path }}" for n in range(3_000)) + "}"}, "TOKEN_LIMIT", 200),
    "ten thousand aliases": (
        {"query": "{" + " ".join(f"a{n}: roles {{ path }}" for n in range(10_000)) + "}"},
        "BODY_LIMIT",
        413,
    ),
    "one field again and again": ({"query": "{ roles {" + " path" * 900 + " } }"}, "REPEAT_LIMIT", 200),
    "depth 500": ({"query": "{ a" * 500 + " b " + "}" * 500}, "TOKEN_LIMIT", 200),
    "depth 100": ({"query": "{ a" * 100 + " b " + "}" * 100}, "DEPTH_LIMIT", 200),
    "a deep value": ({"query": "{ impact(path: " + "[" * 400 + "]" * 400 + ") { glob } }"}, "DEPTH_LIMIT", 200),
    "a fragment of itself": (
        {"query": "query { ...a } fragment a on Query { ...b } fragment b on Query { ...a }"},
        "FRAGMENT_CYCLE",
        200,
    ),
    "fragments that double": (
        {
            "query": "{ ...f0 } "
            + " ".join(f"fragment f{n} on Query {{ ...f{n + 1} ...f{n + 1} }}" for n in range(25))
            + " fragment f25 on Query { roles { path } }"
        },
        "COST_LIMIT",
        200,
    ),
    "many definitions": ({"query": " ".join(f"query q{n} {{ a }}" for n in range(200))}, "DEFINITION_LIMIT", 200),
    "many waves": (
        {"query": "{" + " ".join(f'a{n}: impact(path: "a{n}/**") {{ glob }}' for n in range(30)) + "}"},
        "COST_LIMIT",
        200,
    ),
    "a thousand requests": ([{"query": "{__typename}"}] * 1_000, "BATCH_LIMIT", 400),
    "ten megabytes": ({"query": "{ roles { path } } #" + "x" * 10_000_000}, "BODY_LIMIT", 413),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_is_told_the_limit_and_by_how_much_it_is_beyond(example: Server, name: str) -> None:
    body, code, status = HOSTILE[name]
    answer = post(example, body)
    assert answer.status_code == status
    error = refusal(answer)
    assert error["extensions"]["code"] == code
    assert error["extensions"]["actual"] > error["extensions"]["limit"]
    assert f"{error['extensions']['limit']:,}" in error["message"] or code == "FRAGMENT_CYCLE"
    assert ask(example, "{ __typename }") == {"__typename": "Query"}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_request_never_reaches_a_resolver(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    resolved: list[object] = []
    monkeypatch.setattr(graphql, "execute_sync", lambda *arguments, **_: resolved.append(arguments))
    monkeypatch.setattr(graphql, "validate", lambda *arguments, **_: resolved.append(arguments))
    body, code, expected = HOSTILE[name]
    status, answer = answer_about(EXAMPLES / "broken", body)
    assert status == expected
    assert answer["errors"][0]["extensions"]["code"] == code
    assert resolved == []


def test_a_body_without_a_length_is_read_up_to_the_limit_only(example: Server) -> None:
    def parts() -> Any:
        for _ in range(100):
            yield b" " * 10_000

    answer = example.client.post("graphql", content=parts(), headers={"content-type": "application/json"})
    assert answer.status_code == 413
    assert refusal(answer)["extensions"]["code"] == "BODY_LIMIT"


def test_a_query_by_get_is_refused(example: Server) -> None:
    for query in ("{ roles { path } }", "mutation{rescan}"):
        assert example.get("graphql", params={"query": query}).status_code == 405


def test_ordinary_queries_of_a_large_vault_are_within_the_limits() -> None:
    """Twice all there is may be asked for, whatever the size of the vault."""
    node = {"role": "a", "inboxGlob": ["a"] * 3, "outboxGlob": ["a"] * 3, "orphan": False}
    data = {
        "roles": [],
        "roleGraph": {"nodes": [node] * 30_000, "edges": [{}] * 200_000, "cycles": []},
        "findings": [],
        "fleets": [],
    }
    budget = limits.budget_for(data, graphql.SCHEMA)
    size = limits.measure(graphql._parsed(ROLE_GRAPH), graphql.SCHEMA, budget)
    assert 1_000_000 < size.cost < budget.limit


def test_upstream_documents_work_unchanged(example: Server) -> None:
    roles = ask(example, ROLES)["roles"]
    graph = ask(example, ROLE_GRAPH)["roleGraph"]
    assert [role["path"] for role in roles] == [node["role"] for node in graph["nodes"]]
    assert all(isinstance(role["triggerInclude"], list) for role in roles)
    assert {edge["kind"] for edge in graph["edges"]} == {"TRIGGER", "DATAFLOW"}
    assert all(cycle == sorted(cycle) for cycle in graph["cycles"])
