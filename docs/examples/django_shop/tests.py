"""Tests of the shop: nothing leaves the process, and no film is encoded."""

from contextlib import closing
from unittest.mock import patch

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.test import RequestFactory, TransactionTestCase

from django_shop import videos
from django_shop.models import Order
from hvcore.embedding import Overrides, Permission, VideoNotFoundError, person
from hvcore.testing import make_ready_video
from hvcore.testing.fakes import MemoryStorage


class OrderTests(TransactionTestCase):
    """
    Orders and their films.

    TestCase would hold a transaction open around each test, for which the connections of
    the service would wait.
    """

    def setUp(self) -> None:
        self.hv = videos.make_service(Overrides(storage=MemoryStorage()))
        self.addCleanup(self.hv.close)
        self.hv.migrate()
        self.enterContext(patch.object(videos, "service", lambda: self.hv))
        self.client.force_login(User.objects.create_user("alice"))

    def test_an_order_permits_a_film(self) -> None:
        answer = self.client.post("/orders").json()

        order = Order.objects.get()
        self.assertEqual(order.video_id, answer["video_id"])
        self.assertTrue(self.hv.environment("shop").find(order.video_id))

    def test_an_order_that_fails_leaves_no_permission(self) -> None:
        shop = self.hv.environment("shop")
        with transaction.atomic():
            upload = shop.in_transaction(connection).grant_upload(file_name="a.mp4")
            transaction.set_rollback(True)

        with self.assertRaises(VideoNotFoundError):
            shop.find(upload.video_id)

    def test_a_film_is_shown_to_whom_has_ordered_it(self) -> None:
        shop = self.hv.environment("shop")
        video = make_ready_video(shop)
        self.assertEqual(self.client.get(f"/films/{video.id}").status_code, 404)

        Order.objects.create(customer="alice", video_id=video.id)

        self.assertContains(self.client.get(f"/films/{video.id}"), "<iframe")

    def test_a_customer_of_the_session_may_watch(self) -> None:
        requests = RequestFactory()
        self.assertIsNone(videos.who(requests.get("/").environ))
        requests.cookies = self.client.cookies
        caller = videos.who(requests.get("/").environ)

        may = {Permission.VIDEOS_READ}
        self.assertEqual(caller, person("alice", org_id="shop", permissions=may))

    def test_an_event_notes_that_a_film_is_ready(self) -> None:
        video = make_ready_video(self.hv.environment("shop"))
        order = Order.objects.create(customer="alice", video_id=video.id)

        def is_noted() -> bool:
            # Threads of the worker ask; Django closes connections after requests alone.
            with closing(connection):
                order.refresh_from_db()
                return order.is_ready

        # A light worker tells of events, until it is asked to stop.
        self.hv.run_worker(encodes=False, stopping=is_noted)

        self.assertTrue(order.is_ready)
