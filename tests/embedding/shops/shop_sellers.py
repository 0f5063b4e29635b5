"""
Sells films by a sample shop of docs/examples in processes that are killed.

Usage: python -m tests.embedding.shops.shop_sellers SHOP KILLS, beside the shop. Prints how many
sales were told of.
"""

import os
import random
import sys
from collections.abc import Callable

from tests.embedding.sellers import Sell, kill_a_seller


def django_shop() -> Sell:
    """
    Prepare the shop in Django; return a function that sells by requests of a customer.
    """
    import django  # noqa: PLC0415 - of this shop alone

    os.environ["DJANGO_SETTINGS_MODULE"] = "django_shop.settings"
    django.setup()
    from django.contrib.auth.models import User  # noqa: PLC0415 - Django is set up first
    from django.core.management import call_command  # noqa: PLC0415 - as above
    from django.db import connections  # noqa: PLC0415 - as above
    from django.test import Client  # noqa: PLC0415 - as above
    from django_shop.videos import service  # noqa: PLC0415 - as above

    call_command("migrate", verbosity=0)
    service().migrate()
    service().environment("shop")
    client = Client(SERVER_NAME="127.0.0.1")
    client.force_login(User.objects.create_user("alice"))
    # No connection is carried over a fork.
    connections.close_all()
    return _selling(lambda: client.post("/orders").status_code)


def fastapi_shop() -> Sell:
    """
    Prepare the shop in FastAPI; return a function that sells by requests of a customer.
    """
    from fastapi.testclient import TestClient  # noqa: PLC0415 - of this shop alone
    from fastapi_shop import app, engine, hv, orders  # noqa: PLC0415 - as above

    orders.metadata.create_all(engine)
    hv.migrate()
    hv.environment("shop")
    engine.dispose()

    def sell(told: int) -> None:
        with TestClient(app, headers={"X-Forwarded-User": "alice"}) as client:
            _selling(lambda: client.post("/orders").status_code)(told)

    return sell


def _selling(order: Callable[[], int]) -> Sell:
    def sell(told: int) -> None:
        while True:
            status = order()
            assert status == 200, status
            os.write(told, b".")

    return sell


if __name__ == "__main__":
    seller = {"django_shop": django_shop, "fastapi_shop": fastapi_shop}[sys.argv[1]]()
    chance = random.Random(sys.argv[2])  # noqa: S311 - moments, not secrets
    sold = sum(kill_a_seller(seller, chance) for _ in range(int(sys.argv[2])))
    sys.stdout.write(f"{sold}\n")
