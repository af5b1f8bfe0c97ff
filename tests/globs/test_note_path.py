from __future__ import annotations

from itertools import product

from fleetlint.globs.automaton import accepts
from fleetlint.globs.note_path import ANY_NOTE, is_note_path


def test_a_text_is_a_note_path_when_the_automaton_of_note_paths_accepts_it() -> None:
    texts = ["".join(chars) for size in range(8) for chars in product("a./", repeat=size)]
    assert [text for text in texts if is_note_path(text)] == [text for text in texts if accepts(ANY_NOTE, text)]
