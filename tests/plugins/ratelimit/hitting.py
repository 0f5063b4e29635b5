"""
A process that hits a shared store from several threads.

It says when it is ready, waits for a line, and prints how many hits counted.
"""

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from hvcore.plugin_api import Bucket, RateLimit, RateLimitRule
from hvcore_ratelimit.shared import SharedWindows

THREADS: Final = 8


def rule(
    requests: int,
    *,
    bucket: Bucket = Bucket.API,
    window_s: int = 3600,
    subject: str = "org_a",
) -> RateLimitRule:
    """
    Make a rule.
    """
    limit = RateLimit(bucket=bucket, requests=requests, window_s=window_s)
    return RateLimitRule(limit=limit, subject=subject)


def main(url: str, requests: int, hits: int) -> None:
    """
    Hit two rules, of which the first is the tighter one.
    """
    store = SharedWindows(url=url, prefix="test")
    rules = [rule(requests, bucket=Bucket.VIDEO_OPERATIONS), rule(10 * requests)]
    print("ready", flush=True)  # noqa: T201 - how processes talk here
    sys.stdin.readline()
    with ThreadPoolExecutor(THREADS) as pool:
        states = pool.map(lambda _: store.hit(rules), range(hits))
        allowed = sum(all(state.is_allowed for state in each) for each in states)
    store.close()
    print(allowed)  # noqa: T201 - see above


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
