"""
Sends a file to the address of an upload, and says how far it is; see
test_python_client.py.
"""

import sys

from hvcore_client import HvClient


def say(sent_bytes: object, _size_bytes: int = 0) -> None:
    """
    Write a line that is there at once, whatever ends this program.
    """
    sys.stdout.write(f"{sent_bytes}\n")
    sys.stdout.flush()


api_url, upload_url, file = sys.argv[1:]
with HvClient(api_url) as client:
    client.resume_upload(upload_url, file, on_progress=say)
say("done")
