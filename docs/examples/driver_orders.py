"""Orders of a program that speaks to psycopg or sqlite3 itself."""

import sqlite3
from collections.abc import Callable

import psycopg

from hvcore.embedding import EmbeddedEnvironment, Upload


def order_on_sqlite(path: str, shop: EmbeddedEnvironment) -> Upload:
    """Take an order in a file of SQLite."""
    connection = sqlite3.connect(path)
    try:
        # Commits at the end of the block, or rolls back.
        with connection:
            upload = shop.in_transaction(connection).grant_upload(file_name="film.mp4")
            connection.execute("INSERT INTO orders VALUES (?)", [upload.video_id])
    finally:
        connection.close()
    return upload


def order_on_postgresql(address: str, shop: EmbeddedEnvironment) -> Upload:
    """Take an order in a database of PostgreSQL, and tell workers after the commit."""
    after_commit: list[Callable[[], None]] = []
    with psycopg.connect(address) as connection:
        inside = shop.in_transaction(connection, on_commit=after_commit.append)
        upload = inside.grant_upload(file_name="film.mp4")
        connection.execute("INSERT INTO orders VALUES (%s)", [upload.video_id])
    for call in after_commit:
        call()
    return upload
