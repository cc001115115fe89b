"""Accounts of people who log in at a provider: whose they are, and what they may do."""

from __future__ import annotations

import pytest
from crafted_provider import as_json
from oidc_logins import NAME, Sso, session_of
from samples import add, write_run
from team_server import ADMINISTRATOR, PASSWORD, URL
from werkzeug.wrappers import Response

from evalstore.catalog.collections import purge_collections, remove_collections
from evalstore.errors import DataError, NotFound
from evalstore.server.oidc.providers import sources_of_accounts
from evalstore.server.people.accounts import (
    add_person,
    grant,
    remove_account,
    set_disabled,
    set_password,
    withdraw,
)
from evalstore.server.people.rights import ROLES
from evalstore.store.access.accounts import FROM_THE_LEAST
from evalstore.store.queries import events

pytestmark = pytest.mark.slow  # logins at a provider


def test_the_store_and_the_rights_order_roles_the_same() -> None:
    assert FROM_THE_LEAST == ROLES


def test_the_same_subject_is_the_same_account_whatever_it_calls_itself(sso: Sso) -> None:
    sso.add()
    sso.log_in(sub="7", preferred_username="bob", email="bob@example.org")
    sso.log_in(sub="7", preferred_username="robert", email="robert@example.org")
    assert sso.accounts().keys() == {ADMINISTRATOR, "bob"}


def test_another_subject_with_the_same_address_and_name_is_another_account(sso: Sso) -> None:
    sso.add()
    for subject in ("7", "8", "\u0667"):
        sso.provider.userinfo = {"sub": subject}
        sso.log_in(sub=subject, email="bob@example.org", email_verified=True)
    assert sso.accounts().keys() == {ADMINISTRATOR, "bob", "bob-2", "bob-3"}


def test_nobody_becomes_a_local_account_by_its_name(sso: Sso) -> None:
    sso.add()
    sso.log_in(preferred_username=ADMINISTRATOR)
    accounts = sso.accounts()
    assert accounts[ADMINISTRATOR] == [("administrator", None, False)]
    assert accounts["ann-2"] == [("reader", None, True)]
    assert sso.served.get("/account").text.count("ann-2") >= 1


@pytest.mark.parametrize("name", [None, "", " bob", "a\nb", "\x1b[2J", "x" * 101, 7, ["bob"]])
def test_a_name_that_is_not_fit_is_not_taken(sso: Sso, name: object) -> None:
    sso.add()
    assert sso.log_in(preferred_username=name).status_code == 303
    assert sso.accounts().keys() == {ADMINISTRATOR, "user"}


def test_a_hostile_name_and_a_long_one_that_is_taken_are_escaped_and_cut(sso: Sso) -> None:
    sso.add()
    name = "<script>" + "x" * 92
    for subject in ("7", "8"):
        assert sso.log_in(sub=subject, preferred_username=name).status_code == 303
    assert sso.accounts().keys() == {ADMINISTRATOR, name, name[:98] + "-2"}
    assert "<script" not in sso.served.get("/account").text


def test_a_name_with_an_at_sign_says_of_which_provider_it_is(sso: Sso) -> None:
    """Without that it could be taken for `user@host`, as events name users of the machine."""
    sso.add()
    long = "x" * 90 + "@example.org"[:10]
    names = ("root@vm", "root@vm", "root\uff20vm", "root@vm (corp)", long, long)
    for number, name in enumerate(names):
        assert sso.log_in(sub=str(number), preferred_username=name).status_code == 303
    assert sso.accounts().keys() == {
        *(ADMINISTRATOR, f"root@vm ({NAME})", f"root@vm-2 ({NAME})", f"root\uff20vm-3 ({NAME})"),
        *(f"root@vm (corp) ({NAME})", f"{long[:93]} ({NAME})", f"{long[:91]}-2 ({NAME})"),
    }
    with sso.served.store.read() as connection:
        logged = [each for each in events.events(connection) if each.action == "account"]
    added = {each.who for each in logged if (each.details or {}).get("provider")}
    assert added == sso.accounts().keys() - {ADMINISTRATOR}


def test_nobody_without_a_mapped_group_gets_in_and_no_account_is_made(sso: Sso) -> None:
    sso.add()
    for groups in ([], None, ["other"], ["Team"], ["team "], "teams", [7], {"team": 1}):
        answer = sso.log_in(groups=groups)
        assert answer.status_code == 403
        assert "You are in no group that may use this server" in answer.text
    assert sso.accounts().keys() == {ADMINISTRATOR}
    assert session_of(sso.served.browser) is None


def test_with_no_mapping_at_all_nobody_gets_in(sso: Sso) -> None:
    sso.add(mapped=())
    assert sso.log_in().status_code == 403


def test_a_default_role_lets_in_who_has_no_mapped_group(sso: Sso) -> None:
    sso.add(mapped=[("leads", "contributor", None)], default_role="reader")
    sso.log_in(groups=[])
    assert sso.accounts()["bob"] == [("reader", None, True)]
    sso.log_in(groups=["leads"])
    assert sso.accounts()["bob"] == [("contributor", None, True)]


def test_the_highest_role_of_several_groups_counts_in_each_place(sso: Sso) -> None:
    sso.add(
        mapped=[
            ("team", "contributor", None),
            ("all", "reader", None),
            ("cn=leads,ou=x", "administrator", "test"),
            ("all", "reader", "test"),
        ]
    )
    sso.log_in(groups=["all", "team", "cn=leads,ou=x"])
    assert sso.accounts()["bob"] == [("contributor", None, True), ("administrator", "test", True)]


def test_a_group_that_was_left_takes_its_role_with_it_at_the_next_login(sso: Sso) -> None:
    sso.add(mapped=[("team", "reader", None), ("leads", "administrator", None)])
    sso.log_in(groups=["team", "leads"])
    assert sso.accounts()["bob"] == [("administrator", None, True)]
    sso.log_in(groups=["team"])
    assert sso.accounts()["bob"] == [("reader", None, True)]


def test_who_left_every_group_loses_the_other_sessions_too(sso: Sso) -> None:
    sso.add()
    other = sso.served.new_browser()
    sso.log_in(other)
    assert sso.served.get("/", other).status_code == 200
    assert sso.log_in(groups=[]).status_code == 403
    assert sso.accounts()["bob"] == []
    assert sso.served.get("/", other).status_code == 303


def test_a_role_that_was_granted_stays_whatever_groups_say_but_lets_nobody_in(sso: Sso) -> None:
    sso.add()
    sso.log_in()
    grant(sso.served.store, "bob", "contributor")
    sso.log_in()
    both = [("contributor", None, False), ("reader", None, True)]
    assert sso.accounts()["bob"] == both
    assert sso.log_in(groups=[]).status_code == 403
    assert sso.accounts()["bob"] == [("contributor", None, False)]
    assert sso.served.get("/").status_code == 303
    withdraw(sso.served.store, "bob")
    sso.log_in()
    with pytest.raises(NotFound, match="from its groups"):
        withdraw(sso.served.store, "bob")


def test_the_higher_of_a_granted_role_and_one_of_groups_is_what_a_person_may(sso: Sso) -> None:
    sso.add(mapped=[("team", "administrator", None)])
    sso.log_in()
    grant(sso.served.store, "bob", "reader")
    events_page = sso.served.browser.get("/api/v1/events", base_url=URL)
    assert "administrator of the whole store" in sso.served.get("/account").text
    assert events_page.status_code == 200


def test_a_role_in_a_collection_follows_the_collection_and_not_its_name(
    sso: Sso, tmp_path: object
) -> None:
    sso.add(mapped=[("team", "reader", "test")])
    assert sso.log_in().status_code == 303
    assert sso.accounts()["bob"] == [("reader", "test", True)]
    remove_collections(sso.served.store, ["test"])
    purge_collections(sso.served.store)
    assert sso.log_in().status_code == 403
    add(sso.served.store, tmp_path, write_run(tmp_path))  # type: ignore[arg-type]  # a Path
    assert sso.log_in().status_code == 403


def test_a_disabled_account_stays_out(sso: Sso) -> None:
    sso.add()
    sso.log_in()
    set_disabled(sso.served.store, "bob", True)
    answer = sso.log_in()
    assert answer.status_code == 403
    assert "is disabled" in answer.text
    assert sso.served.get("/").status_code == 303
    set_disabled(sso.served.store, "bob", False)
    assert sso.log_in().status_code == 303


def test_who_logs_in_at_a_provider_has_no_password_here(sso: Sso) -> None:
    sso.add()
    sso.log_in()
    assert "Change the password" not in sso.served.get("/account").text
    with pytest.raises(DataError, match="logs in at a provider"):
        set_password(sso.served.store, "bob", PASSWORD)
    assert sso.served.log_in("bob", "", browser=sso.served.new_browser()).status_code == 403


def test_an_administrator_by_groups_is_not_the_local_one_that_has_to_remain(sso: Sso) -> None:
    sso.add(mapped=[("team", "administrator", None)])
    sso.log_in()
    with pytest.raises(DataError, match="last administrator"):
        remove_account(sso.served.store, ADMINISTRATOR)


def test_groups_and_name_come_from_userinfo_where_the_token_has_none(sso: Sso) -> None:
    sso.add()
    sso.provider.userinfo = {"groups": ["team"], "preferred_username": "eve"}
    assert sso.log_in(groups=None, preferred_username=None).status_code == 303
    assert sso.accounts()["eve"] == [("reader", None, True)]


def test_what_the_token_says_counts_more_than_userinfo(sso: Sso) -> None:
    sso.add()
    sso.provider.userinfo = {"groups": ["team"]}
    assert sso.log_in(groups=[], preferred_username=None).status_code == 403


def test_userinfo_of_somebody_else_or_of_none_lets_nobody_in_and_takes_no_role(sso: Sso) -> None:
    sso.add()
    sso.log_in()
    before = sso.accounts()
    for answer in (
        lambda: as_json({"sub": "8", "groups": ["team"]}),
        lambda: as_json({"groups": ["team"]}),
        lambda: Response(status=503),
    ):
        sso.provider.answers["/userinfo"] = answer
        assert sso.log_in(groups=None).status_code in {403, 503}
    assert sso.accounts() == before


def test_another_claim_can_list_the_groups_and_one_group_can_be_a_text(sso: Sso) -> None:
    sso.add(groups_claim="https://corp.example/roles")
    assert sso.log_in(**{"groups": None, "https://corp.example/roles": "team"}).status_code == 303


def test_events_say_who_logged_in_first_and_what_groups_changed(sso: Sso) -> None:
    sso.add()
    sso.log_in()
    sso.log_in(groups=[])
    with sso.served.store.read() as connection:
        of_bob = [e for e in events.events(connection) if e.subject == "bob"]
    assert [(e.who, e.action, e.details) for e in of_bob] == [
        ("bob", "account", {"change": "added", "provider": NAME}),
        ("bob", "role", {"role": "reader", "by groups of": NAME}),
        ("bob", "role", {"withdrawn": True, "by groups of": NAME}),
    ]
    sso.log_in()
    sso.log_in()
    with sso.served.store.read() as connection:
        assert len([e for e in events.events(connection) if e.subject == "bob"]) == 4


def test_where_accounts_come_from_is_known_also_after_the_provider_is_removed(sso: Sso) -> None:
    sso.add()
    sso.log_in()
    add_person(sso.served.store, "eve", "reader", None, PASSWORD)
    assert list(sources_of_accounts(sso.served.store).values()) == [NAME]
