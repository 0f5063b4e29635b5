"""
Values that cannot be what they stand for, by kind.

Texts are as they would be decoded; a lone surrogate and half a character are sent as
their bytes.
"""

from collections.abc import Iterator, Mapping
from typing import Final

ANY: Final = (
    "",
    " ",
    "\x00",
    "\x7f",
    "\xff\xfe",
    "\xed\xa0\x80",
    "é",
    "x" * 8000,
    "%zz",
)
"""Broken whatever it stands for: bytes that are no UTF-8 are given as characters."""
ADDRESS: Final = (
    *("http://[", "http://[::1", "//[", "http://a:99999999", "http://a:b", "//"),
    *(
        "null",
        "http://",
        "http://a\u2100b",
        "http://\xad",
        "javascript:1",
        "..",
        "\\\\a",
    ),
)
NUMBER: Final = (
    *("-1", "0", "²", "٣", "1_0", "1.5", "NaN", "inf", "1e999", "0x1", "9" * 5000),
    *("2147483648", "9223372036854775808", "99999999999999999999", "1 TB"),
)
DAY: Final = (
    *("0000-00-00", "0001-01-01", "9999-12-31", "2026-02-30", "10000-01-01"),
    *("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-W01-1"),
)
DATE: Final = (
    *("Thu, 99 Foo 2026 99:99:99 GMT", "Wed, 21 Oct 99999 07:28:00 GMT", "Mon"),
    "Wed, 21 Oct 2026 07:28:00 -9999",
)
TAG: Final = ('"', 'W/"', "W/", "*,*", '"a"' * 1000, '"a" "b', "\\")
RANGE: Final = (
    *("bytes=", "bytes=-", "bytes=²-", "bytes=5-1", "bytes=0-,1-", "x=0-1", "0-1"),
    *("bytes=" + "9" * 5000 + "-", "bytes=-" + "9" * 5000, "bytes=0-0" + ",0-0" * 1000),
    *("bytes 0-1/2", "bytes 5-1/*", "bytes */*", "bytes 0-" + "9" * 5000 + "/9"),
)
ACCEPTED: Final = (
    *("gzip;q=²", "gzip;q=1e999", "gzip;q=nan", "*;q=", ";", ",", "a/b;q=x", "a;=b"),
    *('a/b; q="', "a/b;" * 500, "text/csv;q=-1", "/", "*/*/*"),
)
MEDIA_TYPE: Final = (
    *("/", ";", "text/html; charset=\xff", "application/json; charset=utf-7"),
    *("multipart/form-data", "multipart/form-data; boundary=", "multipart/mixed"),
    'multipart/form-data; boundary="',
    "multipart/form-data; boundary=" + "x" * 100,
    "multipart/form-data; boundary=x; boundary=y",
)
CLIENT: Final = (
    *("127.0.0.1:", "::1%", "[::1", "256.1.1.1", ",,,", "unknown", "1.2.3.4:99999999"),
    *("for=[", 'for="', "fe80::1%eth0", "::ffff:1.2.3.4, ", "1" * 300),
)
CODED: Final = (
    *("=", "====", "a", "YQ", "AA==\n", "gICA", "bnVsbA==", "W10=", "WzFd", "W1sxXV0="),
    *("a.b.c", "e30.e30.e30", "..", "eyJhbGciOiJub25lIn0.e30.", "W1tbWw" * 500),
)
CREDENTIAL: Final = (
    *("Basic", "Basic =", "Basic é", "Bearer", "Bearer \xff", "Bearer a.b.c", "x y z"),
    *("hv_live_" + "0" * 32, "hv_live_²", "hv_test_", "mv_", "ek_", "shr_"),
)
REPORTED: Final = (
    *('sid="', "sid=²,bl=²", "bl=" + "9" * 5000, "mtp=-1", "=,=", ",", "st", 'sid="\\'),
    "bl=NaN,mtp=1e999,br=,su=x",
)
TUS: Final = (
    *("fileName", "fileName ²", "fileName YQ==,fileName YQ==", "fileName gICA", ", ,"),
    *("sha1", "sha1 ²", "sha1 a", "md5 YQ==", "final;/a /b", "partial"),
)
TRACED: Final = (
    "00-" + "0" * 32 + "-" + "0" * 16 + "-zz",
    "00-" + "g" * 32 + "-1-01",
    "a=b=c,,",
)
COOKIE: Final = (
    *("=", ";", "a", '="', "__Host-hv_session=", '__Host-hv_session="', "a=\x01"),
    *("__Host-hv_session=\xff", "__Host-hv_messages=W1sxXV0=", "__Host-hv_messages=W"),
    *("__Host-hv_messages=bnVsbA==", "hv_viewer=²", "a=b;" * 1000),
)
WORD: Final = (
    "GET",
    "cross-site",
    "true",
    "xx-" + "x" * 300,
    "zz",
    "[]",
    "{}",
    "[" * 3000,
)

_BY_KIND: Final = (*(ADDRESS, NUMBER, DAY, CODED, CREDENTIAL, REPORTED, WORD),)
_HEADERS: Final[Mapping[str, tuple[tuple[str, ...], ...]]] = {
    "ACCEPT": (ACCEPTED,),
    "ACCEPT_ENCODING": (ACCEPTED,),
    "AUTHORIZATION": (CREDENTIAL, CODED),
    "CONTENT_LENGTH": (NUMBER,),
    "CONTENT_RANGE": (RANGE,),
    "CONTENT_TYPE": (MEDIA_TYPE, ACCEPTED),
    "COOKIE": (COOKIE,),
    "HOST": (ADDRESS, CLIENT),
    "HX_CURRENT_URL": (ADDRESS,),
    "IF_MATCH": (TAG,),
    "IF_MODIFIED_SINCE": (DATE, DAY),
    "IF_NONE_MATCH": (TAG,),
    "IF_RANGE": (TAG, DATE),
    "ORIGIN": (ADDRESS,),
    "RANGE": (RANGE,),
    "REFERER": (ADDRESS,),
    "TRACEPARENT": (TRACED,),
    "X_FORWARDED_FOR": (CLIENT,),
}


def broken_headers(name: str) -> Iterator[str]:
    """
    Yield what a header cannot be, by its name in an environment of WSGI.
    """
    yield from ANY
    bare = name.removeprefix("HTTP_")
    for kind in _HEADERS.get(bare) or _kinds_of(bare):
        yield from kind


def broken_texts() -> Iterator[str]:
    """
    Yield what a parameter or a field of a form cannot be, whatever it is for.
    """
    yield from ANY
    for kind in _BY_KIND:
        yield from kind


def _kinds_of(name: str) -> tuple[tuple[str, ...], ...]:
    if name.startswith("UPLOAD_"):
        return TUS, NUMBER
    if name.startswith("CMCD_"):
        return (REPORTED,)
    if "KEY" in name or "TOKEN" in name:
        return CREDENTIAL, CODED
    return WORD, NUMBER
