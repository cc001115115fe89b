"""Packed texts: every text comes back, and bytes that are none are refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evalstore.errors import StoreError
from evalstore.store.packing import pack_text, unpack_text


@pytest.mark.slow
@given(st.text())
def test_a_text_comes_back_unchanged(text: str) -> None:
    assert unpack_text(pack_text(text)) == text


def test_a_long_text_takes_less_room_and_a_short_one_a_byte_more() -> None:
    assert len(pack_text("the same words again " * 100)) < 100
    assert pack_text("é") == b"\0\xc3\xa9"
    assert pack_text("") == b"\0"


@pytest.mark.parametrize(
    ("packed", "message"),
    [
        (b"", "another version"),
        (b"\2abc", "another version"),
        (b"\1abc", "damaged"),
        (pack_text("ab" * 99)[:-3], "damaged"),
        (b"\0\xff", "damaged"),
    ],
)
def test_bytes_that_are_no_packed_text_are_refused(packed: bytes, message: str) -> None:
    with pytest.raises(StoreError, match=message):
        unpack_text(packed)
