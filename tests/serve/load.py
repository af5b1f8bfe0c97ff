"""The load that tests and `bench/serve.py` put on a server, most of it by wrk, and what came of it."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from statistics import median, quantiles
from typing import TYPE_CHECKING, NamedTuple

from tests.needed import find_program
from tests.serve.running import DEADLINE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tests.serve.running import Server

ROLE_GRAPH = (
    "query { roleGraph { nodes { role inboxGlob outboxGlob orphan } edges { from to kind exact cutByDepth } cycles } }"
)
NUMBER = "@"
"""In a body, this is another number each time."""
HALF = 0.5
"""The graph, for who has it already, is answered at no less than so many times the rate of a static file."""
PROMPT = 0.1
"""Seconds that a normal request takes at most while hostile ones come, by the median."""
GROWTH = 1.1
"""The memory is at most so many times what it was once warm."""

# A body's number is put in here, and a good answer begins with a given text. wrk itself tells neither.
SCRIPT = """
local threads, bodies, count = {}, {}, 0
failed = 0
function setup(thread) table.insert(threads, thread) end
function init(args)
  expected = args[1]
  wrk.headers["Content-Type"] = "application/json"
  for i = 2, #args do
    local text = io.open(args[i], "rb"):read("*a")
    local at = text:find("@", 1, true)
    table.insert(bodies, at and {text:sub(1, at - 1), text:sub(at + 1)} or {text})
  end
end
function request()
  if #bodies == 0 then return wrk.format() end
  count = count + 1
  local body = bodies[count % #bodies + 1]
  local text = body[2] and body[1] .. count .. body[2] or body[1]
  return wrk.format("POST", nil, nil, text)
end
function response(status, headers, body)
  if body:sub(1, #expected) ~= expected then failed = failed + 1 end
end
function done(summary, latency)
  local errors, wrong = summary.errors, 0
  for _, thread in ipairs(threads) do wrong = wrong + thread:get("failed") end
  print(string.format('{"requests": %d, "seconds": %f, "failed": %d, "longest": %f}', summary.requests,
    summary.duration / 1e6, wrong + errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency.max / 1e6))
end
"""


# Each request has a connection of its own, for what a server has refused unread it cannot tell from the next one. wrk
# loses its way there, and on connections that are kept the system's delayed acknowledgements would slow the sender down.
SENDER = """
import select, socket, sys
port, file = int(sys.argv[1]), sys.argv[2]
head, at, tail = open(file, "rb").read().partition(b"@")
count = 0
while not select.select([sys.stdin], [], [], 0)[0]:
    body = head + (b"%d" % count if at else b"") + tail
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.settimeout(60)
        fields = b"host: 127.0.0.1\\r\\ncontent-type: application/json\\r\\nconnection: close\\r\\n"
        try:
            connection.sendall(b"POST /graphql HTTP/1.1\\r\\n%scontent-length: %d\\r\\n\\r\\n%s" % (fields, len(body), body))
        except OSError:
            pass  # It was refused before all of it was sent.
        answer = b""
        try:
            while part := connection.recv(65536):
                answer += part
        except ConnectionResetError:
            pass
    # Of a refusal that came early the end may be lost.
    assert b'"errors"' in answer or not answer.startswith(b"HTTP/1.1 200"), answer[:300]
    count += 1
print(count)
"""


class Load(NamedTuple):
    """What came of many requests. `failed` counts those without the expected answer; `longest` is in seconds."""

    requests: int
    seconds: float
    failed: int
    longest: float

    @property
    def rate(self) -> float:
        """Requests a second."""
        return self.requests / self.seconds


class Latency(NamedTuple):
    """Of normal requests, in seconds."""

    median: float
    p99: float


@contextmanager
def pressing(
    url: str,
    *,
    seconds: float,
    connections: int,
    headers: Mapping[str, str] | None = None,
    bodies: Sequence[str] = (),
    expected: str = "",
) -> Iterator[subprocess.Popen[str]]:
    """A wrk that asks again and again: with POST and these bodies in turn, or GET where there are none. At the end of the
    block it is ended, if it has not by itself. `expected` is how the body of a good answer begins."""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder, "script.lua")
        script.write_text(SCRIPT)
        files = [Path(folder, f"{number}.json") for number in range(len(bodies))]
        for file, body in zip(files, bodies, strict=True):
            file.write_text(body)
        options = ["--threads", "1", "--connections", str(connections), "--duration", f"{seconds:.0f}s"]
        named = [part for name, value in (headers or {}).items() for part in ("--header", f"{name}: {value}")]
        # An answer that takes longer than the server's own limit is a failure.
        command = [
            find_program("wrk"),
            *options,
            "--timeout",
            "35s",
            "--script",
            script,
            *named,
            url,
            "--",
            expected,
            *files,
        ]
        with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as wrk:
            try:
                yield wrk
            finally:
                wrk.terminate()


def press(url: str, **options: object) -> Load:
    """Asks until the seconds are over. The options are those of `pressing`."""
    with pressing(url, **options) as wrk:  # type: ignore[arg-type]
        said, _ = wrk.communicate(timeout=float(str(options["seconds"])) + DEADLINE)
    return Load(**json.loads(said.splitlines()[-1]))


def rates(server: Server, rounds: int, seconds: float) -> tuple[float, float]:
    """Requests a second, medians of alternating rounds: the graph for who has it already, and a static file."""
    known = {"If-None-Match": server.get("graph.json").headers["etag"]}
    kept, static = [], []
    for _ in range(rounds):
        for path, headers, found in (("graph.json", known, kept), ("static/page.css", {}, static)):
            load = press(f"{server.url}{path}", seconds=seconds, connections=8, headers=headers)
            assert (load.failed, load.requests > 0) == (0, True), path
            found.append(load.rate)
    return median(kept), median(static)


def ask_role_graph(server: Server, seconds: float, *, is_anew: bool) -> Load:
    """50 requests at once for the whole graph: the same one, or each another one, so that no answer is given again."""
    variables = {"number": NUMBER} if is_anew else {}
    body = json.dumps({"query": ROLE_GRAPH, "variables": variables})
    good = '{"data":{"roleGraph":{"nodes":[{'
    return press(f"{server.url}graphql", seconds=seconds, connections=50, bodies=[body], expected=good)


def hostile_bodies() -> dict[str, str]:
    """Bodies for `/graphql`, each of which is refused."""

    def asking(query: str) -> str:
        return json.dumps({"query": query, "variables": {"number": NUMBER}})

    def aliases(count: int) -> str:
        return asking("{" + " ".join(f"a{number}: __typename" for number in range(count)) + "}")

    def depth(levels: int) -> str:
        return asking("{ roleGraph " + "{ nodes " * levels + "}" * levels + "}")

    ring = " ".join(f"fragment F{number} on Query {{ ...F{(number + 1) % 20} }}" for number in range(20))
    return {
        "10,000 aliases": aliases(10_000),
        "aliases in a body that is small enough": aliases(3_000),
        "depth 500": depth(500),
        "a circle of fragments": asking(f"{{ ...F0 }} {ring}"),
        "a body of 10 MB": asking("{ __typename } #" + "x" * 10_000_000),
        "a batch of 1,000": json.dumps([{"query": ROLE_GRAPH}] * 1_000),
    }


def normal_latencies(server: Server, seconds: float) -> dict[str, Latency]:
    """What a client that asks now and then waits for: the graph it has already, all of it, and a question of GraphQL."""
    known = {"if-none-match": server.get("graph.json").headers["etag"]}
    findings = {"query": "query($n: String) { findings(severity: ERROR, rule: $n) { path line detail } }"}
    found: dict[str, list[float]] = {}
    end = time.monotonic() + seconds
    for number in cycle(range(1_000_000)):
        for kind, ask in (
            ("graph, known", lambda: server.get("graph.json", headers=known)),
            ("graph", lambda: server.get("graph.json")),
            ("GraphQL", lambda n=number: server.client.post("graphql", json=findings | {"variables": {"n": f"r{n}"}})),
        ):
            start = time.perf_counter()
            answered = ask()
            found.setdefault(kind, []).append(time.perf_counter() - start)
            assert answered.status_code == (304 if kind == "graph, known" else 200)
            assert kind != "GraphQL" or answered.json() == {"data": {"findings": []}}
        if time.monotonic() > end:
            break
        time.sleep(0.02)
    return {kind: Latency(median(times), quantiles(times, n=100)[98]) for kind, times in found.items()}


def under_attack(server: Server, seconds: float) -> dict[str, Latency]:
    """The same while hostile bodies come, each kind in a loop of its own as fast as it is refused. Raises AssertionError
    where a kind came less than once a second, for that is no attack."""
    with ExitStack() as stack:
        senders = {
            kind: stack.enter_context(_sending(server.client.base_url.port or 0, body))
            for kind, body in hostile_bodies().items()
        }
        latencies = normal_latencies(server, seconds)
        refused = {kind: int(sender.communicate("")[0]) for kind, sender in senders.items()}
    assert min(refused.values()) >= seconds, refused
    return latencies


@contextmanager
def _sending(port: int, body: str) -> Iterator[subprocess.Popen[str]]:
    """A process that sends a body again and again until its standard input ends, then says how often it was answered."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "body")
        file.write_text(body)
        command = [sys.executable, "-c", SENDER, str(port), str(file)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as sender:
            try:
                yield sender
            finally:
                sender.kill()


class Memory(NamedTuple):
    """Resident MiB."""

    server: float
    child: float


def memory(server: Server) -> Memory:
    return Memory(*(_resident(pid) for pid in (server.process.pid, server.child)))


def soak(server: Server, vault: Path, seconds: float) -> Memory:
    """Edits the vault and asks for everything, again and again; the memory at the end, medians of the last fifth."""
    notes = [note for note in sorted((vault / "roles").rglob("*.md")) if "\nmax_depth:" in note.read_text("utf-8")]
    start = time.monotonic()
    samples: list[Memory] = []
    for number in cycle(range(1_000)):
        note = notes[number % len(notes)]
        text = re.sub(r"(?m)^max_depth:.*$", f"max_depth: {number % 7 + 1}", note.read_text("utf-8"))
        note.write_text(text, "utf-8")
        body = {"query": ROLE_GRAPH, "variables": {"number": number}}
        for _ in range(5):
            assert server.get("graph.json").status_code == 200
            assert server.get("graph.mmd").status_code == 200
            assert server.client.post("graphql", json=body).status_code == 200
            assert server.get("impact", params={"path": f"team-{number:05}/**"}).status_code == 200
        if number % 10 == 0:
            assert server.get("findings.sarif").status_code == 200
        with server.client.stream("GET", "events") as stream:
            next(stream.iter_raw())
        passed = time.monotonic() - start
        if passed > seconds * 0.8:
            samples.append(memory(server))
        if passed > seconds:
            break
        time.sleep(0.2)
    return Memory(median(sample.server for sample in samples), median(sample.child for sample in samples))


def _resident(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text("utf-8")
    (kibibytes,) = re.findall(r"^VmRSS:\s+(\d+) kB$", status, re.M)
    return int(kibibytes) / 1024
