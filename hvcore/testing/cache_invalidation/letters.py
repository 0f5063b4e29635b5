"""The promises of a cache invalidator about similar addresses, tenants, and interrupted orders."""

from typing import Final

import attrs

from hvcore.domain.ids import EnvId, OrgId, VideoId
from hvcore.errors import UnavailableError
from hvcore.ports.cache_invalidation import CacheInvalidator
from hvcore.testing.cache_invalidation.kit import ONE, CacheKit, order
from hvcore.testing.kit import may_leave
from hvcore.testing.raised_errors import BrokenOffCall, break_off_at_each_line

_HOSTS: Final = (
    *("https://cdn.example.com", "https://cdn.example.com:8443"),
    *("http://cdn.example.com:8080", "https://cdn.example.com:844"),
    *("https://cdn.example.com.example.org", "https://cdn.example"),
    *(
        "https://192.0.2.7:8443",
        "https://192.0.2.70:8443",
        "https://[2001:db8::1]:8443",
    ),
)
"""Hosts whose names begin alike, and one host with several ports."""
_SEGMENTS: Final = (
    *("a", "A", "a%20b", "a%2Fb", "%C3%A9", "%c3%a9", "a+b", "a~b", "a;b=c"),
    *("a,b", "a@b", "a(b)", "a!b", "a'b", "a*b", "a$b", "a&b", "a:b", "%25", "%2525"),
    *("x" * 299 + "y", "x" * 299 + "z", "a.b", "a..b", "a%2Eb", "a-b", "a_b"),
)
"""Segments of paths that look alike but name different addresses."""
_BREAKS: Final = 80


class LetterPromises(CacheKit):
    """The promises of a cache invalidator: addresses are compared exactly, and an order that fails can be repeated."""

    def test_hosts_and_their_ports_are_told_apart(
        self, invalidator: CacheInvalidator
    ) -> None:
        """An order removes addresses of its host and port alone, not of hosts whose names begin alike."""
        path = "/v1/public/org_a/env_a/vid_1/"
        left = [f"{host}{path}master.m3u8" for host in _HOSTS]
        self.keep_all(left)
        for host in _HOSTS:
            invalidator.invalidate(order(f"{host}{path}"))
            left.remove(f"{host}{path}master.m3u8")

            assert self.kept_of([f"{h}{path}master.m3u8" for h in _HOSTS]) == left, host

    def test_a_prefix_is_taken_letter_by_letter(
        self, invalidator: CacheInvalidator
    ) -> None:
        """A prefix is compared letter by letter: it is not quoted, decoded, cut off or folded to lower case."""
        prefixes = [f"{ONE}{segment}/" for segment in _SEGMENTS]
        everything = [f"{prefix}0.m4s" for prefix in prefixes]
        left = list(everything)
        self.keep_all(everything)
        for prefix in prefixes:
            invalidator.invalidate(order(prefix))
            left.remove(f"{prefix}0.m4s")

            assert self.kept_of(everything) == left, prefix

    def test_orders_of_several_tenants_do_not_mix(
        self, invalidator: CacheInvalidator
    ) -> None:
        """An order removes the addresses of its own organization, environment and video alone."""
        base = ONE.partition("org_a")[0]
        tenants = [(o, e) for o in ("org_a", "org_b") for e in ("env_a", "env_b")]
        kept = {
            (org, env, video): f"{base}{org}/{env}/{video}/0.m4s"
            for org, env in tenants
            for video in ("vid_1", "vid_2")
        }
        self.keep_all(list(kept.values()))
        for (org, env, video), address in list(kept.items()):
            made = order(address.removesuffix("0.m4s"))
            invalidator.invalidate(
                attrs.evolve(
                    made,
                    id=f"task_{org}_{env}_{video}",
                    org_id=OrgId(org),
                    env_id=EnvId(env),
                    video_id=VideoId(video),
                )
            )
            del kept[org, env, video]

            assert self.kept_of(list(kept.values())) == list(kept.values())
            assert not self.is_kept(address)

    def test_invalidators_of_other_settings_share_nothing(
        self, invalidator: CacheInvalidator, refused: CacheInvalidator
    ) -> None:
        """Two invalidators of one process do not share state: the failure of one does not affect the other."""
        for _ in range(2):
            self.assert_unavailable(refused)
            self.keep_all([f"{ONE}a"])
            invalidator.invalidate(order(ONE))

            assert not self.is_kept(f"{ONE}a")

    def test_an_answer_that_breaks_off_is_an_outage(
        self, breaks_off: CacheInvalidator
    ) -> None:
        """An answer of the cache that breaks off raises UnavailableError, so that the order is repeated."""
        self.assert_unavailable(breaks_off)

    def test_an_order_that_failed_in_the_middle_is_carried_out_whole(
        self, invalidator: CacheInvalidator
    ) -> None:
        """An order of which the cache refused a part raises an error or is done again until every prefix is removed."""
        prefixes = [f"{ONE}{number}/" for number in range(130)]
        everything = [f"{prefix}a" for prefix in prefixes]
        self.keep_all(everything)
        self.refuse_once()
        for _ in range(3):
            try:
                invalidator.invalidate(order(*prefixes))
            except UnavailableError:
                continue
            break

        assert self.kept_of(everything) == []

    @may_leave("open files", "descriptors", "files")
    def test_an_error_in_the_middle_of_an_order_is_passed_on(
        self, invalidator: CacheInvalidator
    ) -> None:
        """An error at any line of an order reaches the caller; an order that returned or was repeated is done whole."""
        prefixes = [f"{ONE}{number}/" for number in range(3)]
        everything = [f"{prefix}a" for prefix in prefixes]

        def look(ended: BrokenOffCall[None]) -> None:
            if ended.error is not None:
                invalidator.invalidate(order(*prefixes))
            assert self.kept_of(everything) == []

        break_off_at_each_line(
            lambda: invalidator.invalidate(order(*prefixes)),
            backends=[invalidator],
            before=lambda: self.keep_all(everything),
            look=look,
            at_most=_BREAKS,
        )
