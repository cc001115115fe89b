"""What addresses leave out: it does not depend on what is chosen, or a choice would be lost."""

from __future__ import annotations

import pytest
from browserless import Browserless

ADDRESSES = (
    "/c/small/compare?runs=bm25,tfidf",
    "/c/small/history",
)


@pytest.mark.parametrize("address", ADDRESSES)
def test_the_default_measure_is_the_same_whichever_is_chosen(
    app: Browserless, address: str
) -> None:
    sign = "&" if "?" in address else "?"
    usual = app.page(address)["rendered"]["data"]["defaults"]["m"]
    chosen = app.page(f"{address}{sign}m=P@2")["rendered"]["data"]["defaults"]["m"]
    assert chosen == usual != "P@2"
