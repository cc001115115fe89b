"""Settings of the team's server."""

from __future__ import annotations

from collections.abc import Mapping

from sqlalchemy import Connection, delete, insert, select

from evalstore.store.models import setting_t


def load_settings(connection: Connection) -> dict[str, str]:
    """The settings by name; empty before `evalstore server init`."""
    rows = connection.execute(select(setting_t.c.name, setting_t.c.value))
    return {row[0]: row[1] for row in rows}


def delete_setting(connection: Connection, name: str) -> None:
    """Delete a setting."""
    connection.execute(delete(setting_t).where(setting_t.c.name == name))


def set_settings(connection: Connection, settings: Mapping[str, str]) -> None:
    """Store settings, replacing those of the same names."""
    for name, value in settings.items():
        delete_setting(connection, name)
        connection.execute(insert(setting_t).values(name=name, value=value))
