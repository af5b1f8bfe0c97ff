"""Turn fleetlint/globs/grammar.lark into fleetlint/globs/tables.py: LALR(1) tables and one lexer a context.

Usage: python tools/make_tables.py [--check]
"""

import sys
from pathlib import Path
from typing import Any

from lark import Lark
from lark.parsers.lalr_analysis import Shift

GLOBS = Path(__file__).parent.parent / "fleetlint" / "globs"

HEAD = '''\
"""Made from grammar.lark by tools/make_tables.py: do not edit.

ACTIONS[state][terminal] is the state to shift to, or -1 - the rule to reduce by; GOTO[state][nonterminal] is the next
state; RULES[rule] is (nonterminal, how many symbols); LEXERS[LEXER_OF[state]] is the regular expression for what may
come next. Parsing starts in state 0 and is done in state END.
"""

'''


def tables() -> str:
    lark = Lark((GLOBS / "grammar.lark").read_text(encoding="utf-8"), parser="lalr", maybe_placeholders=False)
    table = lark.parser.parser._parse_table
    terminals = {terminal.name: terminal for terminal in lark.terminals}
    order = _states_in_order(table)
    number = {state: index for index, state in enumerate(order)}
    rules = sorted(
        {value for row in table.states.values() for action, value in row.values() if action is not Shift}, key=str
    )
    actions, goto, lexers = [], [], []
    for state in order:
        moves = {
            str(name): number[value] if action is Shift else -1 - rules.index(value)
            for name, (action, value) in sorted(table.states[state].items())
        }
        actions.append({name: move for name, move in moves.items() if name in terminals or name == "$END"})
        goto.append({name: move for name, move in moves.items() if name not in actions[-1]})
        accepted = sorted((terminals[name] for name in moves if name in terminals), key=lambda t: (-t.priority, t.name))
        lexers.append("|".join(f"(?P<{t.name}>{t.pattern.to_regexp()})" for t in accepted))
    distinct = sorted(set(lexers))
    return (
        HEAD
        + f"END = {number[table.end_states['start']]}\n"
        + _tuple("RULES: tuple[tuple[str, int], ...]", [(str(rule.origin.name), len(rule.expansion)) for rule in rules])
        + _tuple("ACTIONS: tuple[dict[str, int], ...]", actions)
        + _tuple("GOTO: tuple[dict[str, int], ...]", goto)
        + _tuple("LEXERS", distinct)
        + f"LEXER_OF = {tuple(distinct.index(text) for text in lexers)!r}\n"
    )


def _states_in_order(table: Any) -> list[int]:
    """The states as a walk from the start meets them, so that the numbers do not depend on how Lark made them."""
    order = [table.start_states["start"]]
    for state in order:
        for _, (action, value) in sorted(table.states[state].items()):
            if action is Shift and value not in order:
                order.append(value)
    return order


def _tuple(name: str, rows: list[Any]) -> str:
    return f"{name} = (\n{''.join(f'    {row!r},{chr(10)}' for row in rows)})\n"


def main() -> None:
    target = GLOBS / "tables.py"
    if "--check" in sys.argv[1:]:
        if target.read_text(encoding="utf-8") != tables():
            sys.exit(f"{target.name} is not what grammar.lark gives; run tools/make_tables.py")
    else:
        target.write_text(tables(), encoding="utf-8")


if __name__ == "__main__":
    main()
