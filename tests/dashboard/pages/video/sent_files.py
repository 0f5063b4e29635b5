"""
Send files to the page of a video.
"""

import io
from collections.abc import Mapping

from falcon.testing import Result
from PIL import Image

from tests.dashboard.opened import HOST, SESSION, PersonClient

BOUNDARY = "----boundary"
VTT = b"WEBVTT\n\n00:01.000 --> 00:02.500\n<b>Hello</b> &lt;i&gt; &amp; you\nand all\n"


def post_file(
    person: PersonClient,
    path: str,
    file: tuple[str, str, str, bytes],
    fields: Mapping[str, str] | None = None,
    extras: Mapping[str, object] | None = None,
) -> Result:
    sent = {"change_token": person.session.person.change_token, **(fields or {})}
    lines = [
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; "
        f'name="{name}"\r\n\r\n{value}\r\n'.encode()
        for name, value in sent.items()
    ]
    name, file_name, content_type, data = file
    head = (
        f"--{BOUNDARY}\r\nContent-Disposition: form-data; "
        f'name="{name}"; filename="{file_name}"\r\n'
        f"Content-Type: {content_type}\r\n\r\n"
    )
    end = f"\r\n--{BOUNDARY}--\r\n"
    body = b"".join([*lines, head.encode(), data, end.encode()])
    return person.client.simulate_post(
        path,
        body=body,
        headers={
            "Cookie": f"{SESSION}={person.session.value}",
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
        },
        host=HOST,
        extras=extras,
    )


def picture(size_px: tuple[int, int] = (320, 180), form: str = "PNG") -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", size_px, "red").save(stream, form)
    return stream.getvalue()
