"""GraphQL over the facts of a result: `POST /graphql`.

A body is one request or a list of them. It is answered with status 200, whatever is wrong in a document; 400 when it is no
GraphQL request, 413 when it is too large.
"""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ariadne import QueryType, make_executable_schema
from graphql import GraphQLError, execute_sync, parse, validate

from fleetlint.report.characters import whole
from fleetlint.serve import limits
from fleetlint.serve.derivation import MAX_GLOB, BadQuestionError, NoAnswerError
from fleetlint.serve.facts import LARGEST
from fleetlint.serve.limits import Budget, LimitError
from fleetlint.serve.shared import Shared

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Mapping

    from graphql import DocumentNode, GraphQLResolveInfo

MAX_PARSED = 32
"""Documents that are kept parsed and validated."""
MAX_ERRORS = 10
"""Of one document."""
MAX_MESSAGE = 500
"""Characters of an error's message, for it may cite the document."""

log = logging.getLogger(__name__)


class Request(NamedTuple):
    """`variables` is JSON, so that equal requests are equal."""

    query: str
    operation: str | None
    variables: str


class Body(NamedTuple):
    requests: tuple[Request, ...]
    is_list: bool


class Answer(NamedTuple):
    """`is_good` when nothing failed: it may then be given again."""

    body: bytes
    is_good: bool


class MalformedError(Exception):
    """A body that is no GraphQL request: one sentence that says why."""


class _EndedError(Exception):
    """Nobody waits for the answer any more."""


@dataclass(slots=True)
class _Asked:
    """What resolvers see. The pattern of a wave that is not among `waves` is added to `missing`, and has to be got first."""

    facts: Mapping[str, Any]
    budget: Budget
    waves: Mapping[str, dict[str, Any] | GraphQLError]
    missing: set[str]
    ended: threading.Event


class Endpoint:
    """Answers bodies. `ask_impact` gives a pattern's wave as JSON, and raises BadQuestionError and NoAnswerError.

    Equal bodies are worked on once, however many come, until there are new facts. May be cancelled.
    """

    def __init__(self, ask_impact: Callable[[str], Awaitable[bytes]]) -> None:
        self._ask_impact = ask_impact
        self._facts: Mapping[str, Any] | None = None
        self._budget = Budget({}, 0)
        self._shared: Shared[Body, Answer] = Shared(_size)
        # One at a time: several threads would only take turns, and the event loop would wait for all of them.
        self._thread = ThreadPoolExecutor(max_workers=1)

    async def answer(self, data: bytes, facts: Mapping[str, Any], size: int = 0) -> tuple[int, bytes]:
        """The status and the JSON of the answer. `size` is that of the whole body, where `data` is not all of it."""
        try:
            limits.check_body(max(size, len(data)))
        except LimitError as error:
            return 413, _encoded(_refusal(error))
        try:
            body = read_body(data)
        except MalformedError as error:
            return 400, _encoded({"errors": [_error(str(error), "BAD_REQUEST")]})
        except LimitError as error:
            return 400, _encoded(_refusal(error))
        if facts is not self._facts:
            self._facts, self._shared = facts, Shared(_size)
            self._budget = limits.budget_for(facts, SCHEMA)
        return 200, (await self._shared.get(body, lambda: self._work(body, facts))).body

    async def _work(self, body: Body, facts: Mapping[str, Any]) -> Answer:
        asked = _Asked(facts, self._budget, {}, set(), threading.Event())
        try:
            async with asyncio.timeout(limits.TIMEOUT):
                answer = await self._in_turn(body, asked)
                if asked.missing:
                    patterns = sorted(asked.missing)
                    waves = await asyncio.gather(*map(self._wave, patterns))
                    asked.waves = dict(zip(patterns, waves, strict=True))
                    answer = await self._in_turn(body, asked)
                return answer
        except TimeoutError:
            late = LimitError("TIMEOUT", f"the answer takes longer than {limits.TIMEOUT} s", limits.TIMEOUT, None)
            return Answer(_encoded(_for_each(body, _refusal(late))), is_good=False)
        finally:
            # The library leaves circles behind, which must not keep the facts of a vault for as long as they last.
            asked.facts = {}

    async def _in_turn(self, body: Body, asked: _Asked) -> Answer:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, _answered, body, asked)
        except asyncio.CancelledError:
            asked.ended.set()
            raise

    async def _wave(self, pattern: str) -> dict[str, Any] | GraphQLError:
        try:
            return impact(json.loads(await self._ask_impact(pattern)))
        except BadQuestionError as error:
            return GraphQLError(f"`path`: {error}", extensions={"code": "BAD_PATTERN"})
        except NoAnswerError as error:
            return GraphQLError(str(error), extensions={"code": "UNAVAILABLE"})


# --- What is asked ---


def read_body(data: bytes) -> Body:
    """Raises MalformedError, and LimitError for too many requests."""
    try:
        document = json.loads(data.decode(), parse_constant=_refuse_constant)
        items = document if isinstance(document, list) else [document]
        limits.check_batch(len(items))
        if not items:
            raise MalformedError("the list of requests is empty")
        return Body(tuple(_request(item) for item in items), isinstance(document, list))
    except RecursionError:
        raise MalformedError("the body is nested too deeply") from None
    except ValueError:
        raise MalformedError("the body is no JSON in UTF-8") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _request(item: object) -> Request:
    if not isinstance(item, dict) or not isinstance(item.get("query"), str):
        raise MalformedError('a request is an object with the document as a string: {"query": "{ roles { path } }"}')
    variables = {} if item.get("variables") is None else item["variables"]
    operation = item.get("operationName")
    for name, value in (("variables", variables), ("extensions", item.get("extensions"))):
        if not isinstance(value, dict | None):
            raise MalformedError(f"`{name}` is no object")
    if not isinstance(operation, str | None):
        raise MalformedError("`operationName` is no string")
    # Some clients send an empty name for none.
    return Request(item["query"], operation or None, json.dumps(variables, sort_keys=True))


@lru_cache(MAX_PARSED)
def _parsed(text: str) -> DocumentNode:
    """Raises GraphQLError and LimitError."""
    document = parse(text)
    limits.check_document(document)
    return document


@lru_cache(MAX_PARSED)
def _faults(text: str) -> list[GraphQLError]:
    """What is wrong in a document that has passed the limits: validation may take quadratic time."""
    return validate(SCHEMA, _parsed(text), max_errors=MAX_ERRORS)


# --- What is answered ---


def _answered(body: Body, asked: _Asked) -> Answer:
    """Runs in a thread. Raises _EndedError."""
    try:
        # All limits hold for a body as a whole, and before anything of it is resolved.
        limits.check_texts([request.query for request in body.requests])
        documents = [_document(request.query) for request in body.requests]
        good = [document for document in documents if not isinstance(document, GraphQLError)]
        limits.check_sizes([limits.measure(document, SCHEMA, asked.budget) for document in good], asked.budget)
    except LimitError as error:
        return Answer(_encoded(_for_each(body, _refusal(error))), is_good=False)
    answers = [_executed(*pair, asked) for pair in zip(body.requests, documents, strict=True)]
    is_good = all("errors" not in answer for answer in answers)
    return Answer(_encoded(answers if body.is_list else answers[0]), is_good)


def _document(text: str) -> DocumentNode | GraphQLError:
    """Raises LimitError."""
    try:
        return _parsed(text)
    except GraphQLError as error:
        return error


def _executed(request: Request, document: DocumentNode | GraphQLError, asked: _Asked) -> dict[str, Any]:
    if isinstance(document, GraphQLError):
        return {"errors": _told([document])}
    faults = _faults(request.query)
    if faults:
        return {"errors": _told(faults)}
    result = execute_sync(
        SCHEMA,
        document,
        context_value=asked,
        variable_values=json.loads(request.variables),
        operation_name=request.operation,
        field_resolver=_field,
    )
    # Without data nothing was executed: the operation or its variables are wrong.
    data = {} if result.data is None and not _is_of_a_field(result.errors) else {"data": result.data}
    return ({"errors": _told(result.errors)} if result.errors else {}) | data


def _is_of_a_field(errors: Iterable[GraphQLError] | None) -> bool:
    return any(error.path for error in errors or ())


def _told(errors: Iterable[GraphQLError]) -> list[dict[str, Any]]:
    """The errors as clients get them. Raises _EndedError where it is among them."""
    told = []
    for error in errors:
        cause = error.original_error
        if isinstance(cause, _EndedError):
            raise cause
        formatted: dict[str, Any] = dict(error.formatted)
        if cause is not None and not isinstance(cause, GraphQLError):
            log.error("a field of GraphQL failed", exc_info=cause)
            formatted |= _error("this failed; the log of the server says where", "INTERNAL")
        formatted["message"] = formatted["message"][:MAX_MESSAGE]
        told.append(formatted)
    return told


def _refusal(error: LimitError) -> dict[str, Any]:
    extensions = {"limit": error.limit} | ({} if error.actual is None else {"actual": error.actual})
    return {"errors": [_error(str(error), error.code, **extensions)]}


def _error(message: str, code: str, **extensions: int) -> dict[str, Any]:
    return {"message": message, "extensions": {"code": code, **extensions}}


def _for_each(body: Body, answer: dict[str, Any]) -> object:
    return [answer] * len(body.requests) if body.is_list else answer


def _size(answer: Answer) -> int | None:
    return len(answer.body) if answer.is_good else None


def _encoded(document: object) -> bytes:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode()
    except UnicodeEncodeError:
        # A message may cite what UTF-8 cannot hold.
        return whole(text).encode()


# --- The fields ---

query = QueryType()


@query.field("roles")
@query.field("roleGraph")
@query.field("fleets")
def _fact(_: None, info: GraphQLResolveInfo[Any]) -> Any:
    return _facts(info)[info.field_name]


@query.field("findings")
def _findings(
    _: None,
    info: GraphQLResolveInfo[Any],
    severity: str | None = None,
    rule: str | None = None,
    path: str | None = None,
) -> list[dict[str, Any]]:
    return [
        finding
        for finding in _facts(info)["findings"]
        if severity in (None, finding["severity"])
        and rule in (None, finding["rule"])
        and (path is None or path == finding["path"] or path in finding["nodes"])
    ]


@query.field("impact")
def _impact(_: None, info: GraphQLResolveInfo[Any], path: str) -> dict[str, Any] | None:
    asked: _Asked = info.context
    if len(path) > MAX_GLOB:
        raise GraphQLError(
            f"`path` is longer than {MAX_GLOB:,} characters; write a shorter pattern",
            extensions={"code": "BAD_PATTERN"},
        )
    wave = asked.waves.get(path)
    if wave is None:
        asked.missing.add(path)
    if isinstance(wave, GraphQLError):
        raise wave
    return wave


def _field(parent: Mapping[str, Any], info: GraphQLResolveInfo[Any]) -> Any:
    """Every other field: the value of that name."""
    if info.context.ended.is_set():
        raise _EndedError
    return parent[info.field_name]


def _facts(info: GraphQLResolveInfo[Any]) -> Mapping[str, Any]:
    asked: _Asked = info.context
    found = asked.facts
    # They are gone soon after that, so it has to be looked at later.
    if asked.ended.is_set():
        raise _EndedError
    return found


def impact(document: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of `fleetlint impact` under the names of the schema's fields."""
    return {"glob": document["glob"], "waves": [_wave(wave) for wave in document["waves"]]}


def _wave(wave: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "tick": wave["origin"].get("role"),
        "levels": [level | {"first": _int(level["first"]), "last": _int(level["last"])} for level in wave["levels"]],
        "unlistedDepths": _int(wave["unlisted_depths"]),
        "cuts": [cut | {"depth": _int(cut["depth"])} for cut in wave["cuts"]],
        "runs": _count(wave["runs"]),
        "exact": wave["exact"],
        "reasons": wave["reasons"],
        "worst": wave["worst"],
        "tokens": _count(wave["tokens"]),
        "tokensUnstated": wave["tokens_unstated"],
    }


def _count(count: Mapping[str, Any] | None) -> dict[str, Any] | None:
    return None if count is None else {"text": count["text"], "powersOfN": count["powers_of_n"]}


def _int(number: int) -> int:
    """Depths are as large as roles say."""
    return max(-LARGEST, min(number, LARGEST))


SCHEMA = make_executable_schema(Path(__file__).with_name("schema.graphql").read_text("utf-8"), query)
