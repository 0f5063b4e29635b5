"""A shop in FastAPI that takes orders for films: who pays may send one, and watches it."""

import os
from typing import Annotated

import sqlalchemy as sa
from a2wsgi import WSGIMiddleware
from fastapi import FastAPI, Header, HTTPException, Request
from fastapi.responses import JSONResponse

from hvcore.embedding import (
    HvError,
    Permission,
    Principal,
    SubscribedEvent,
    WsgiEnviron,
    embed,
    person,
)

engine = sa.create_engine(os.environ["SHOP_DATABASE_URL"])
orders = sa.Table(
    "orders",
    sa.MetaData(),
    sa.Column("video_id", sa.String(64), primary_key=True),
    sa.Column("customer", sa.String(150), nullable=False),
    sa.Column("is_ready", sa.Boolean, nullable=False, default=False),
)


def who(environ: WsgiEnviron) -> Principal | None:
    """Return the user whom the proxy in front has signed in."""
    user, may = environ.get("HTTP_X_FORWARDED_USER"), {Permission.VIDEOS_READ}
    return person(str(user), org_id="shop", permissions=may) if user else None


def note_event(event: SubscribedEvent) -> None:
    """Note that a film can be watched; called by the worker, perhaps twice."""
    with engine.begin() as connection:
        connection.execute(
            sa.update(orders)
            .where(orders.c.video_id == event.video_id)
            .values(is_ready=event.status == "ready")
        )


app = FastAPI()
hv = embed(
    os.environ.get("SHOP_FOLDER", "var/videos"),
    public_url="http://127.0.0.1:8000/videos",
    engine=engine,
    schema="hv",
    sign_in=who,
    on_event=note_event,
)
app.mount("/videos", WSGIMiddleware(hv.wsgi_app))  # type: ignore[arg-type]
User = Annotated[str, Header(alias="X-Forwarded-User")]


@app.post("/orders")
def order(user: User) -> dict[str, str]:
    """Take an order, and permit its film to be sent: both are there, or neither is."""
    # Made before the transaction, if it is not there yet.
    shop = hv.environment("shop")
    with engine.begin() as connection:
        upload = shop.in_transaction(connection).grant_upload(file_name="film.mp4")
        connection.execute(
            sa.insert(orders).values(video_id=upload.video_id, customer=user)
        )
    return {"video_id": upload.video_id, "address": upload.address}


@app.get("/films/{video_id}")
def film(video_id: str, user: User) -> dict[str, str]:
    """Show a film to whoever has ordered it."""
    mine = sa.select(orders).where(
        orders.c.video_id == video_id, orders.c.customer == user
    )
    with engine.connect() as connection:
        if connection.execute(mine).first() is None:
            raise HTTPException(404)
    return {"player": hv.environment("shop").page_address(video_id)}


@app.exception_handler(HvError)
def refused(_request: Request, error: HvError) -> JSONResponse:
    """Answer as the API does."""
    return JSONResponse({"detail": error.detail}, error.http_status)
