"""Work that several clients wait for is done once, and for nobody it is not done."""

from __future__ import annotations

import asyncio

import pytest

from fleetlint.serve.shared import MAX_KEPT, MAX_KEPT_BYTES, Shared


class Desk:
    """Does work when it is told to, and counts how often it was begun and how often cancelled."""

    def __init__(self) -> None:
        self.begun = self.cancelled = 0
        self.go_on = asyncio.Event()

    async def work(self) -> str:
        self.begun += 1
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return f"answer {self.begun}"


async def started(work: Shared[str, str], desk: Desk, clients: int) -> list[asyncio.Task[str]]:
    tasks = [asyncio.create_task(work.get("question", desk.work)) for _ in range(clients)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    return tasks


async def leave(*tasks: asyncio.Task[str]) -> None:
    for task in tasks:
        task.cancel()
    await asyncio.wait(tasks)


def test_who_asks_the_same_at_once_and_later_gets_one_answer() -> None:
    async def run() -> None:
        desk, shared = Desk(), Shared[str, str](len)
        tasks = await started(shared, desk, 50)
        desk.go_on.set()
        assert set(await asyncio.gather(*tasks)) == {"answer 1"}
        assert await shared.get("question", desk.work) == "answer 1"
        assert desk.begun == 1

    asyncio.run(run())


def test_who_leaves_does_not_end_the_work_for_the_others() -> None:
    async def run() -> None:
        desk, shared = Desk(), Shared[str, str](len)
        first, *leaving, last = await started(shared, desk, 5)
        await leave(*leaving)
        desk.go_on.set()
        assert await asyncio.gather(first, last) == ["answer 1", "answer 1"]
        assert (desk.begun, desk.cancelled) == (1, 0)

    asyncio.run(run())


def test_work_that_everybody_has_left_is_cancelled_and_begun_anew_for_the_next() -> None:
    async def run() -> None:
        desk, shared = Desk(), Shared[str, str](len)
        await leave(*await started(shared, desk, 5))
        assert (desk.begun, desk.cancelled) == (1, 1)
        (task,) = await started(shared, desk, 1)
        desk.go_on.set()
        assert await task == "answer 2"

    asyncio.run(run())


def test_an_answer_that_is_not_to_be_given_again_or_too_large_is_not_kept() -> None:
    async def run() -> None:
        for size in (None, MAX_KEPT_BYTES + 1):
            desk, shared = Desk(), Shared[str, str](lambda _, size=size: size)  # type: ignore[misc]
            desk.go_on.set()
            assert [await shared.get("question", desk.work) for _ in range(2)] == ["answer 1", "answer 2"]

    asyncio.run(run())


def test_a_failure_is_everybodys_and_the_next_one_tries_again() -> None:
    async def run() -> None:
        shared = Shared[str, str](len)

        async def fail() -> str:
            raise ValueError("a surprise")

        answers = await asyncio.gather(*(shared.get("question", fail) for _ in range(3)), return_exceptions=True)
        assert [str(answer) for answer in answers] == ["a surprise"] * 3
        desk = Desk()
        desk.go_on.set()
        assert await shared.get("question", desk.work) == "answer 1"

    asyncio.run(run())


@pytest.mark.parametrize(("size", "kept"), [(1, MAX_KEPT), (MAX_KEPT_BYTES // 4, 4)])
def test_the_answers_that_were_asked_for_last_are_kept_while_there_is_room(size: int, kept: int) -> None:
    async def run() -> None:
        begun: list[int] = []
        shared: Shared[int, int] = Shared(lambda _: size)

        async def ask(number: int) -> int:
            async def work() -> int:
                begun.append(number)
                return number

            return await shared.get(number, work)

        for number in range(kept):
            await ask(number)
        await ask(0)
        await ask(kept)
        begun.clear()
        assert [await ask(number) for number in (0, kept)] == [0, kept]
        assert begun == []
        await ask(1)
        assert begun == [1]

    asyncio.run(run())
