"""
Azurite: the server of Azure Blob Storage for one's own machine, by Azure's makers.
"""

import re
import shutil
import subprocess
import uuid
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from azure.storage.blob import BlobServiceClient, ContainerClient, CorsRule

from tests.support.npm_packages import npm_packages
from tests.support.servers import ENDS_WITH_TESTS

AZURITE: Final = "azurite@3.37.0"
"""The first that knows the signatures of today's client for identities."""
ACCOUNT: Final = "devstoreaccount1"
# Known to everybody; Azurite knows no other.
KEY: Final = "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
_PROGRAM: Final = "azurite/dist/src/blob/main.js"
_LISTENS: Final = re.compile(r"successfully listens on (https?://\S+)")


@contextmanager
def azurite_server(*options: str) -> Iterator[str]:
    """
    Run Azurite until the block ends; gives its address. Everything is in memory.
    """
    node = shutil.which("node")
    assert node, "node is needed to run the server of Azure Blob Storage"
    process = subprocess.Popen(
        [
            *ENDS_WITH_TESTS,
            *(
                node,
                str(npm_packages(AZURITE) / _PROGRAM),
                "--inMemoryPersistence",
                "--blobPort",
                "0",
            ),
            # Azure's client is newer.
            *("--silent", "--disableTelemetry", "--skipApiVersionCheck", *options),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        assert process.stdout is not None
        said = []
        for line in process.stdout:
            said.append(line)
            found = _LISTENS.search(line)
            if found:
                yield found[1]
                break
        else:
            raise AssertionError("".join(said))
    finally:
        process.kill()
        # Closes its pipe, too.
        process.communicate()


def connection_string(endpoint: str) -> str:
    """
    Return how a client reaches the server, with the key.
    """
    scheme = endpoint.partition(":")[0]
    return (
        f"DefaultEndpointsProtocol={scheme};AccountName={ACCOUNT};AccountKey={KEY};"
        f"BlobEndpoint={endpoint}/{ACCOUNT};"
    )


def azure_container(endpoint: str, container: str) -> ContainerClient:
    """
    Return a client of a container.
    """
    service = BlobServiceClient.from_connection_string(connection_string(endpoint))
    return service.get_container_client(container)


def new_container(endpoint: str) -> str:
    """
    Make a container that nobody else uses.
    """
    name = f"videos-{uuid.uuid4().hex}"
    azure_container(endpoint, name).create_container()
    return name


@contextmanager
def pages_allowed(endpoint: str) -> Iterator[None]:
    """
    Let pages of any site send files there, as an operator does for players and uploads.

    The rule holds for the whole server, which tests share: it goes when the block ends.
    """
    service = BlobServiceClient.from_connection_string(connection_string(endpoint))
    rule = CorsRule(
        allowed_origins=["*"],
        allowed_methods=["GET", "PUT"],
        allowed_headers=["*"],
        exposed_headers=["*"],
        max_age_in_seconds=3600,
    )
    service.set_service_properties(cors=[rule])
    try:
        yield
    finally:
        service.set_service_properties(cors=[])


def environ_of_azure(endpoint: str, container: str) -> Mapping[str, str]:
    """
    Return the settings of a service whose files lie in a container.
    """
    return {
        "HV_STORAGE__OPTIONS__URL": f"az://{container}/here",
        "HV_STORAGE__OPTIONS__CONNECTION_STRING": connection_string(endpoint),
        # Otherwise the client hides every fault, for seconds.
        "HV_STORAGE__OPTIONS__RETRY_TOTAL": "0",
    }


def blob_names(endpoint: str, container: str, prefix: str) -> Sequence[str]:
    """
    Name what lies there, blocks that are no object included.
    """
    found = azure_container(endpoint, container).list_blobs(
        name_starts_with=prefix, include=["uncommittedblobs"]
    )
    return [blob.name for blob in found]


def blob_content(endpoint: str, container: str, name: str) -> bytes:
    """
    Read a blob, past the storage's own code.
    """
    client = azure_container(endpoint, container)
    return bytes(client.download_blob(name).readall())
