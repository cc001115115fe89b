"""`evalstore worker`."""

from __future__ import annotations

import click

from evalstore.cli.options import db_option
from evalstore.cli.stores import server_store


@click.command()
@db_option
def worker(db: str) -> None:
    """Store the runs that are sent to the team's server.

    `evalstore serve` starts one worker by itself; this adds another, also on another machine, if
    the folder of `evalstore server limits spool=FOLDER` is one that both machines share; a folder
    that is not the server's is refused. It runs until SIGTERM or Ctrl-C, and finishes the job that
    it has begun. A job whose worker died is begun again by another one after a minute, and what it
    stores is there once.
    """
    from evalstore.server.jobs.spool_mark import check_spool
    from evalstore.server.jobs.worker import Ending, Worker

    ending = Ending()
    with server_store(db) as store:
        ready = Worker.of(store)
        check_spool(store, ready.spool)
        click.echo("waiting for jobs (Ctrl-C stops it)")
        ending.listen()
        ready.run(ending)
