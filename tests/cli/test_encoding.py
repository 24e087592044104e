"""A terminal that has no signs beyond ASCII gets their equivalents, never a question mark."""

from __future__ import annotations

import codecs
import io

import pytest

from oracular.cli.encoding import ERRORS, IN_ASCII, replace_what_cannot_be_shown, shows_everything, translated
from oracular.cli.output import ResultConsole


def test_every_equivalent_is_ascii_and_none_is_a_question_mark():
    assert all(text.isascii() and text and "?" not in text for text in IN_ASCII.values())
    assert translated("ε ≤ 0.04 ¹ – and more…", "ascii") == "eps <= 0.04 (1) - and more..."
    assert translated("ε ≤ 0.04 ¹ – and more…", "utf-8") == "ε ≤ 0.04 ¹ – and more…"


@pytest.mark.parametrize(("encoding", "shows"), [("utf-8", True), ("ascii", False), ("cp1252", False), ("none", False)])
def test_it_is_known_which_terminals_show_everything(encoding, shows):
    assert shows_everything(encoding) is shows


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("4.2 ≤ value", b"4.2 <= value"),
        ("über café", b"uber cafe"),
        ("βητα", b"\\u03b2\\u03b7\\u03c4\\u03b1"),
        ("🟩🟨⬛", b"gy-"),
        ("what?", b"what?"),
    ],
)
def test_what_a_stream_cannot_encode_is_written_in_ascii(text, written):
    replace_what_cannot_be_shown()
    assert text.encode("ascii", ERRORS) == written


def test_reading_is_not_touched():
    replace_what_cannot_be_shown()
    with pytest.raises(UnicodeDecodeError):
        codecs.decode(b"\xff", "ascii", ERRORS)


def test_columns_stay_aligned_in_ascii():
    from rich.table import Table

    lines = {}
    for encoding in ("ascii", "utf-8"):
        stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        table = Table(box=None)
        table.add_row("Guarantee ³", "6.6")
        table.add_row("Iterations", "80")
        ResultConsole(file=stream, width=60).print(table)
        stream.seek(0)
        lines[encoding] = stream.read().splitlines()
    for shown in lines.values():
        assert shown[-2].index("6.6") == shown[-1].index("80")
    assert "Guarantee (3)" in lines["ascii"][-2]
