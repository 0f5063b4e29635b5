"""
JSON values that no field of a request expects.
"""

from typing import Final

HOSTILE_VALUES: Final = (
    0,
    -1,
    1.5,
    1e300,
    2**31,
    2**63,
    2**64,
    -(2**64),
    10**200,
    True,
    "",
    "\x00",
    "a\x00b",
    "../../etc/passwd",
    "\r\nX-Injected: yes",
    "\u202e\u0000",
    "x" * 60_000,
    "9" * 1_000,
    [],
    [[]],
    ["\x00"],
    {},
    {"$ne": None},
    {"__proto__": {"a": 1}},
)
