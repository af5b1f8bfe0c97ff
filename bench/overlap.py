"""Overlap decisions: fleetlint against automata libraries and against the pairwise way in Go.

    python bench/overlap.py [--pairs 150] [--rounds 3]

The pairs are those of the vectors. The libraries get a sample of them, as regular expressions; a pair on which a library
takes longer than the limit counts with the limit, so their figures are lower bounds.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import tempfile
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from as_regex import alphabet_of, as_regex
from measure import SHARED, Cost, alternate, build_peer, table, timed

import fleetlint.globs.algebra
import fleetlint.globs.syntax
from fleetlint.globs import BadPattern, Pattern, find_path

if TYPE_CHECKING:
    from collections.abc import Callable

    Pair = tuple[str, str]
    Decide = Callable[[str, str], bool]

LIMIT_SECONDS = 10


class TooSlowError(Exception):
    """A library took longer than the limit on one pair."""


def forget() -> None:
    """Empty every cache of the engine, so that patterns are cold."""
    for module in (fleetlint.globs.algebra, fleetlint.globs.syntax):
        for value in vars(module).values():
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def ours(p: str, q: str) -> bool:
    return find_path(all_of=[Pattern.parse(p), Pattern.parse(q)], any_name=True) is not None


def by_greenery(p: str, q: str) -> bool:
    from greenery import parse

    return not (parse(p).to_fsm() & parse(q).to_fsm()).empty()


def by_interegular(p: str, q: str) -> bool:
    from interegular import Comparator

    return not Comparator.from_regexes({"p": p, "q": q}).isdisjoint("p", "q")


def by_automata_lib(p: str, q: str) -> bool:
    from automata.fa.dfa import DFA
    from automata.fa.nfa import NFA

    alphabet = alphabet_of([p, q])
    both = NFA.from_regex(p, input_symbols=alphabet).intersection(NFA.from_regex(q, input_symbols=alphabet))
    automaton = DFA.from_nfa(both, minify=False)
    return not automaton.isempty()


LIBRARIES: dict[str, Decide] = {
    "greenery": by_greenery,
    "interegular": by_interegular,
    "automata-lib": by_automata_lib,
}


def limited(decide: Decide, p: str, q: str) -> bool | None:
    """The decision, or None where it took too long."""

    def stop(*_: Any) -> None:
        raise TooSlowError

    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT_SECONDS)
    try:
        return decide(p, q)
    except TooSlowError:
        return None
    finally:
        signal.alarm(0)


def read_rows() -> list[dict[str, Any]]:
    lines = (SHARED / "vectors" / "overlap.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def sample(rows: list[dict[str, Any]], count: int) -> list[tuple[Pair, Pair, bool]]:
    """(patterns, regular expressions, overlap) for pairs that every library can read."""
    found: list[tuple[Pair, Pair, bool]] = []
    rows = list(rows)
    Random(1).shuffle(rows)
    for row in rows:
        try:
            regexes = as_regex(Pattern.parse(row["p"])), as_regex(Pattern.parse(row["q"]))
            for decide in LIBRARIES.values():
                limited(decide, *regexes)
        except BadPattern:
            continue
        except Exception:  # what it does not read: each library has its own error
            continue
        found.append(((row["p"], row["q"]), regexes, row["overlap"]))
        if len(found) == count:
            break
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=150)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    rows = read_rows()
    chosen = sample(rows, arguments.pairs)

    def cold() -> Cost:
        forget()
        return timed(lambda: [ours(*patterns) for patterns, _, _ in chosen])

    contestants = {"fleetlint, cold": cold} | {
        name: lambda decide=decide: timed(lambda: [limited(decide, *regexes) for _, regexes, _ in chosen])
        for name, decide in LIBRARIES.items()
    }
    costs = alternate(arguments.rounds, contestants)
    base = costs["fleetlint, cold"].seconds
    right = {"fleetlint, cold": sum(ours(*patterns) == overlap for patterns, _, overlap in chosen)} | {
        name: sum(limited(decide, *regexes) == overlap for _, regexes, overlap in chosen)
        for name, decide in LIBRARIES.items()
    }
    print(f"\nOverlap of {len(chosen)} pairs of the vectors, compiling included, medians of {arguments.rounds} runs:\n")
    print(
        table(
            ["engine", "microseconds a pair", "times fleetlint", "right answers"],
            [
                [
                    name,
                    f"{cost.seconds / len(chosen) * 1e6:,.0f}",
                    f"{cost.seconds / base:,.1f}",
                    f"{right[name]} of {len(chosen)}",
                ]
                for name, cost in costs.items()
            ],
        )
    )
    against_the_peer(rows, arguments.rounds)


def against_the_peer(rows: list[dict[str, Any]], rounds: int) -> None:
    pairs = [(row["p"], row["q"]) for row in rows]
    texts = sorted({text for pair in pairs for text in pair})
    figures: dict[str, list[float]] = {"cold": [], "compiled": [], "parse": []}
    with tempfile.TemporaryDirectory() as folder:
        peer = build_peer(Path(folder))
        theirs = []
        for _ in range(rounds):
            printed = subprocess.run(
                [peer, "pairs", SHARED / "vectors" / "overlap.jsonl"], capture_output=True, check=True
            )
            theirs.append(json.loads(printed.stdout))
            forget()
            figures["parse"].append(
                timed(lambda: [Pattern.parse(text).automaton for text in texts]).seconds / len(texts)
            )
            forget()
            figures["cold"].append(timed(lambda: [ours(*pair) for pair in pairs]).seconds / len(pairs))
            # Compiled: parsed, their automata walked once; the answers themselves are forgotten.
            fleetlint.globs.algebra._search.cache_clear()
            figures["compiled"].append(timed(lambda: [ours(*pair) for pair in pairs]).seconds / len(pairs))
    middle = {name: sorted(values)[len(values) // 2] for name, values in figures.items()}
    go = {key: sorted(found[key] for found in theirs)[len(theirs) // 2] / 1e9 for key in ("cold_ns", "compiled_ns")}
    print(f"\nAll {len(pairs)} pairs of the vectors, medians of {rounds} runs:\n")
    print(
        table(
            ["", "fleetlint, microseconds", "Go peer, microseconds", "ratio"],
            [
                [
                    "a pair, compiling included",
                    f"{middle['cold'] * 1e6:.1f}",
                    f"{go['cold_ns'] * 1e6:.2f}",
                    f"{middle['cold'] / go['cold_ns']:.1f}",
                ],
                [
                    "a pair, patterns compiled",
                    f"{middle['compiled'] * 1e6:.1f}",
                    f"{go['compiled_ns'] * 1e6:.2f}",
                    f"{middle['compiled'] / go['compiled_ns']:.1f}",
                ],
                ["parsing one pattern", f"{middle['parse'] * 1e6:.1f}", "", ""],
            ],
        )
    )
    print(
        f"\nThe peer's clean reading finds {theirs[0]['overlaps']} overlaps; the vectors hold {sum(row['overlap'] for row in rows)}."
    )


if __name__ == "__main__":
    main()
