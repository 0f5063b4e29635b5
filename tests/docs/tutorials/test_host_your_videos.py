"""
The tutorial for deployers holds word by word, on a machine with a systemd of its own.

What a test cannot have is done instead: the packages must be there already, certificates are of
an authority of the test, and no other machine takes the copies.
"""

import re
import shlex
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import pytest
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)
from cryptography.x509.oid import NameOID
from uv import find_uv_bin

from tests.docs.tutorials.machine import Machine, machine
from tests.docs.tutorials.running import PAGES, following
from tests.package.check_wheel import NOT_SHIPPED, build

pytestmark = [pytest.mark.long, pytest.mark.services, pytest.mark.timeout(900)]
ROOT: Final = PAGES.parents[1]
AUTHORITIES: Final = "/etc/ssl/certs/ca-certificates.crt"
HOSTS: Final = ("video.example.com", "api.example.com")
UNTRIED: Final = ("certbot",)
"""Packages that this machine does not need, as it has no domain."""
FOREIGN: Final = ("apt-get update", "rsync ")
"""Commands that nothing is done for: they need the internet, or another machine."""
LINK: Final = re.compile(r"(https://api\.example\.com/dashboard/sign-in/link)#(\S+)")


def test_a_reader_hosts_videos_on_a_machine_with_a_domain(tmp_path: Path) -> None:
    _install(tmp_path / "opt" / "hvcore", tmp_path)

    with machine(tmp_path, opt=tmp_path / "opt", units=["nginx.service"]) as made:
        with made.file("/etc/hosts").open("a") as names:
            names.write(f"\n127.0.0.1 {' '.join(HOSTS)}\n")
        environ = {
            "HOME": "/root",
            "LANG": "C.UTF-8",
            "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "SSL_CERT_FILE": AUTHORITIES,
        }

        def instead(command: str) -> None:
            if command.startswith("apt-get install"):
                _are_installed(shlex.split(command)[3:])
            elif command.startswith("certbot"):
                _certify(made)
            else:
                assert command.startswith(FOREIGN), command

        with following(tmp_path, environ, made.within) as reader:
            reader.follow((PAGES / "host-your-videos.md").read_text("utf-8"), instead)
        said = (tmp_path / "Terminal.screen").read_text("utf-8")

        _signs_in(made, said)
        page = re.search(r"Its page plays for an hour: (\S+)", said)
        assert page is not None
        assert "<hv-player" in made.run("curl", "-sf", page[1])
        assert _complaints(made) == []


def _install(environment: Path, folder: Path) -> None:
    """Put what pip would fetch where the machine has ``/opt/hvcore``: its network reaches nobody."""
    tree = folder / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*NOT_SHIPPED))
    wheel = build(tree, folder / "dist")
    # Of Debian, as the reader's; what uv has is not open to other users.
    python = environment / "bin" / "python"
    for command in (
        [
            "venv",
            "--seed",
            "--relocatable",
            "--python",
            "/usr/bin/python3",
            environment,
        ],
        [
            "pip",
            "install",
            "--compile-bytecode",
            "--python",
            python,
            f"hvcore[all] @ {wheel.as_uri()}",
        ],
    ):
        subprocess.run([find_uv_bin(), "--quiet", *command], check=True, timeout=300)


def _are_installed(packages: list[str]) -> None:
    wanted = [name for name in packages if name not in UNTRIED]
    found = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Status} ${Package}\n", *wanted],
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.stdout.count("install ok installed") == len(wanted), found


def _certify(made: Machine) -> None:
    """Do what certbot does, by an authority that the machine trusts."""
    now = datetime.now(UTC)
    authority, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    issuer = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Authority of a test")])

    def certificate(public: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
        return x509.CertificateBuilder(
            issuer_name=issuer,
            public_key=public,
            serial_number=x509.random_serial_number(),
            not_valid_before=now - timedelta(hours=1),
            not_valid_after=now + timedelta(hours=12),
        )

    root = (
        certificate(authority.public_key())
        .subject_name(issuer)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .sign(authority, SHA256())
    )
    names = x509.SubjectAlternativeName([x509.DNSName(host) for host in HOSTS])
    leaf = (
        certificate(key.public_key())
        .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, HOSTS[0])]))
        .add_extension(names, critical=False)
        .sign(authority, SHA256())
    )
    live = made.file(f"/etc/letsencrypt/live/{HOSTS[0]}")
    live.mkdir(parents=True)
    (live / "fullchain.pem").write_bytes(leaf.public_bytes(Encoding.PEM))
    (live / "privkey.pem").write_bytes(
        key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    with made.file(AUTHORITIES).open("ab") as trusted:
        trusted.write(root.public_bytes(Encoding.PEM))


def _signs_in(made: Machine, said: str) -> None:
    """Press the button of the first address, as the reader does in a browser."""
    link = LINK.search(said)
    assert link is not None
    jar = ("--cookie-jar", "/root/cookies", "--cookie", "/root/cookies")
    form = ("--header", "Origin: https://api.example.com", "--data", f"code={link[2]}")
    entered = made.run("curl", "-sS", *jar, *form, "--include", link[1])
    assert "303 See Other" in entered, entered
    page = made.run("curl", "-sS", "-L", *jar, "https://api.example.com/dashboard/")
    assert "org_example" in page, page


def _complaints(made: Machine) -> list[str]:
    """Return systemd's complaints about the units that the reader has made."""
    names = [f"/etc/systemd/system/{one}" for one in ("hv.target", "hv-backup.timer")]
    done = made.run("systemd-analyze", "verify", *names)
    return [line for line in done.splitlines() if "/hv" in line]
