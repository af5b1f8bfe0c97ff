"""What is told of requests and results: log lines, and figures for Prometheus."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from fleetlint.serve.logs import log

if TYPE_CHECKING:
    from collections.abc import Iterator

    from prometheus_client.metrics_core import Metric
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from fleetlint.serve.child import Child
    from fleetlint.serve.events import Events
    from fleetlint.serve.result import State

METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8"
ROUTES = (
    *("/", "/events", "/findings.sarif", "/graph.json", "/graph.mmd", "/graphql", "/healthz", "/impact", "/metrics"),
    *("/openapi.json", "/readyz"),
)
METHODS = ("GET", "HEAD", "OPTIONS", "POST")
SEVERITIES = ("error", "warn", "info")


class Figures(Collector):
    """What is so at the moment, and what the requests so far have come to."""

    def __init__(self, state: State, events: Events, child: Child) -> None:
        self._state = state
        self._events = events
        self._child = child
        self._registry = CollectorRegistry()
        self._registry.register(self)
        self.requests = Counter(
            "fleetlint_requests", "Requests.", ("method", "route", "status"), registry=self._registry
        )
        self.seconds = Histogram(
            "fleetlint_request_seconds", "Seconds until the answer was sent.", ("route",), registry=self._registry
        )

    def exposition(self) -> bytes:
        """All of it as text, of the media type `METRICS_TYPE`."""
        return generate_latest(self._registry)

    def collect(self) -> Iterator[Metric]:
        state = self._state
        figures = state.result.figures if state.result else {}
        for name, help_text, value in (
            ("ready", "1 when there is a result.", state.result is not None),
            ("stale", "1 when the result is not that of the vault as it is now.", bool(state.stale)),
            ("revision", "Results so far that differ from the one before.", state.revision),
            ("listeners", "Clients of /events.", self._events.clients),
            ("child_starts", "Processes that were started to derive.", self._child.starts),
            ("roles", "Roles of the result.", figures.get("roles", 0)),
            ("edges", "Edges of the result.", figures.get("edges", 0)),
            ("notes", "Notes that were seen for the result.", figures.get("notes", 0)),
        ):
            yield GaugeMetricFamily(f"fleetlint_{name}", help_text, value=value)
        findings = GaugeMetricFamily("fleetlint_findings", "Findings of the result.", labels=["severity"])
        for severity in SEVERITIES:
            findings.add_metric([severity], figures.get(severity, 0))
        yield findings


class Recorder:
    """An ASGI application around another one: one log line a request, and the figures."""

    def __init__(self, app: ASGIApp, figures: Figures) -> None:
        self._app = app
        self._figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        status = 500
        start = perf_counter()

        async def send_and_note(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        path, method = scope["path"], scope["method"]
        try:
            return await self._app(scope, receive, send_and_note)
        finally:
            seconds = perf_counter() - start
            # Of other paths nothing is kept, for anybody can make them up.
            route = path if path in ROUTES else "/static" if path.startswith("/static/") else "other"
            self._figures.requests.labels(method if method in METHODS else "other", route, str(status)).inc()
            self._figures.seconds.labels(route).observe(seconds)
            why = {"why": scope["fleetlint.verdict"]} if "fleetlint.verdict" in scope else {}
            log("request", method=method, path=path, status=status, ms=round(seconds * 1000, 1), **why)
