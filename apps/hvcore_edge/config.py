"""The nginx configuration of an edge, made from the settings."""

import base64
import json
import os
import pwd
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit
from typing import Final
from urllib.parse import unquote, urlsplit

import attrs
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from hvcore.domain.limits import MAX_PICTURE_BYTES
from hvcore.domain.playback.page_domains import origin_of
from hvcore.errors import RETRY_AFTER_S, ConfigError
from hvcore.files.atomic_files import replace_file
from hvcore.files.changes_file import CHANGES_BYTES, CHANGES_FILE
from hvcore.playback_tokens import TokenKey
from hvcore.services.counting.sessions import mark_key
from hvcore.services.edge.authorizations import edge_secret
from hvcore.services.playback.responses import Lifetime
from hvcore.settings import Settings
from hvcore_edge.requirements import MODULES
from hvcore_edge.script_settings import (
    CACHE_MIN_FREE_BYTES,
    SETTINGS_FILE,
    WORKER_CONNECTIONS,
    script_settings,
)
from hvcore_web.middleware import MAX_REQUEST_ID_CHARS
from hvcore_web.proxies import read_networks
from hvcore_web.representations import MAX_AGE_S

CONFIG_FILE: Final = "nginx.conf"
API_TEMPLATE: Final = "api.conf.template"
SECRETS_FILE: Final = "secrets.json"
MAX_FILES: Final = 65_536
"""The most open files of an nginx worker: at most two for each connection."""
SILENT_MS: Final = 4500
"""Then another process is asked. The service gives up what is silent behind it within 4 s,
and says so itself."""
MAX_OPEN_FILES: Final = 4096
"""The most segment files that an nginx worker keeps open between requests."""

SERVICE_NUMBERS: Final[Mapping[str, int]] = {
    # The largest body that a route of the API takes.
    "API_BODY_BYTES": MAX_PICTURE_BYTES,
    "CACHE_MIN_FREE_MB": CACHE_MIN_FREE_BYTES >> 20,
    "IMMUTABLE_MAX_AGE_S": MAX_AGE_S[Lifetime.IMMUTABLE],
    "MAX_REQUEST_ID_CHARS": MAX_REQUEST_ID_CHARS,
    "RETRY_AFTER_S": RETRY_AFTER_S,
    "SILENT_MS": SILENT_MS,
    "WORKER_CONNECTIONS": WORKER_CONNECTIONS,
}
"""The numbers in which nginx must agree with the service and the script, by their names in
the template."""
_SCRIPT_ENDING: Final = ".lua"
_UNSAFE: Final = frozenset("\"'\\;{}$\n\r\t ")
"""The characters that paths and addresses in the configuration may not have, because they
mean something to nginx."""

_UNSAFE_IN_QUOTES: Final = frozenset('"\\$\n\r')


@attrs.frozen(kw_only=True)
class EdgeConfig:
    """
    The settings and folders from which an edge's nginx configuration is made.

    Attributes:
        folder: The folder in which the running edge keeps its counts, cache and state.
        scripts: The folder of the configuration, the Lua scripts and their secrets.
        storage: The folder of the storage; None if the storage is not on this machine.
        modules: The folder of nginx's modules.
    """

    settings: Settings
    folder: Path
    scripts: Path
    storage: Path | None
    modules: Path = MODULES

    def config(self) -> str:
        """
        Return the whole nginx configuration as text, without secrets.

        Raises:
            ConfigError: A setting cannot be used.
        """
        edge = self.settings.edge
        if not edge.listen:
            raise ConfigError(
                "There is no edge yet: set HV_EDGE__LISTEN to the address of nginx, such as 443 or 127.0.0.1:8082."
            )
        if bool(edge.tls_certificate) != bool(edge.tls_key):
            raise ConfigError(
                "HV_EDGE__TLS_CERTIFICATE and HV_EDGE__TLS_KEY go together."
            )
        values = self._values()
        for name, value in values.items():
            if not value or not _UNSAFE.isdisjoint(value):
                raise ConfigError(
                    f"{value!r} ({name.lower()}) cannot be written into an nginx "
                    "configuration: choose one without spaces, quotes, ; { } and $."
                )
        # After the check: these are ours, spaces and all. No HTTP/2: in its
        # requests the Lua module refuses subrequests, with which authorizations are asked
        # for, so all of them would be the service's.
        for name in ("LISTEN", "API_LISTEN"):
            values[name] += " ssl" if edge.tls_certificate else ""
        values["API_NAMES"] = self._api_names()
        values["TLS"] = _tls(edge.tls_certificate, edge.tls_key)
        values["PROXIES"] = _proxies(edge.proxies)
        values["SERVICE"] = _servers(edge.service)
        values["API_SERVICE"] = _servers(edge.api_service)
        # One answer that was lost must not move all uploads of a host to another one.
        values["UPLOAD_SERVICE"] = _servers(edge.service, max_fails=0)
        values |= {name: str(number) for name, number in SERVICE_NUMBERS.items()}
        text = _read_shipped(f"{CONFIG_FILE}.template")
        api = _read_shipped(API_TEMPLATE) if edge.api_listen else ""
        text = text.replace("@API@", api)
        for name, value in values.items():
            text = text.replace(f"@{name}@", value)
        return text

    def _values(self) -> dict[str, str]:
        """Return values of the settings and the machine, by the template's names."""
        edge = self.settings.edge
        max_files = min(MAX_FILES, getrlimit(RLIMIT_NOFILE)[1])
        return {
            "MODULES": str(self.modules),
            "USER": _name_of(self._owner()[0]),
            "WORKERS": "auto",
            "FILES": str(max_files),
            "OPEN_FILES": str(min(MAX_OPEN_FILES, max_files // 4)),
            "FOLDER": str(self.folder),
            "SCRIPTS": str(self.scripts),
            "STORAGE": str(self.storage or self.folder / "nothing"),
            "CONNECTIONS": str(edge.connections_per_client),
            "CACHE_MB": str(edge.cache_mb),
            "LISTEN": edge.listen,
            # Where there is no API, what is put in is thrown away again.
            "API_LISTEN": edge.api_listen or edge.listen,
        }

    def _api_names(self) -> str:
        """
        Return the line that names the hosts of the API, if it shares the port of delivery.

        Raises:
            ConfigError: The public addresses do not tell API and delivery apart.
        """
        edge, public = self.settings.edge, self.settings.public
        if edge.api_listen != edge.listen:
            return ""
        api = _hosts(public.api_url, public.dashboard_url)
        delivery = _hosts(public.worker_url, public.player_url, public.upload_url)
        if not api or api & delivery or not all(map(_UNSAFE.isdisjoint, api)):
            raise ConfigError(
                "HV_EDGE__API_LISTEN is the address of HV_EDGE__LISTEN, so the host of a "
                "request must tell the API from delivery: give HV_PUBLIC__API_URL a host "
                "that none of HV_PUBLIC__WORKER_URL, HV_PUBLIC__PLAYER_URL and "
                "HV_PUBLIC__UPLOAD_URL has."
            )
        return f"        server_name {' '.join(sorted(api))};\n"

    def secrets(self, keys: Sequence[TokenKey]) -> str:
        player = origin_of(self.settings.public.player_url)
        analytics = self.settings.analytics
        return json.dumps(
            {
                "issuer": self.settings.playback.issuer,
                "keys": [_verification_key(key) for key in keys],
                "secret": edge_secret(self.settings.uploads.signing_key),
                "player_origin": player or "",
                "is_local": self.storage is not None,
                "changes": str(self.folder / CHANGES_FILE),
                "tallies": str(self.folder),
                "viewer_key": mark_key(self.settings.playback.signing_key),
                "country_header": analytics.country_header.lower(),
                "referrers": analytics.referrers,
                "live_sessions_of_one": self.settings.shares.live_sessions_of_one,
            }
        )

    def write(self, keys: Sequence[TokenKey]) -> Path:
        """
        Write the nginx configuration, the Lua scripts and their secrets; return the configuration's path.

        Args:
            keys: The keys that verify playback tokens.

        Raises:
            ConfigError: A setting or a folder cannot be used.
        """
        config = self.config()
        try:
            self.scripts.mkdir(parents=True, exist_ok=True)
            self.make_folder()
            for name in script_names():
                replace_file(self.scripts / name, _read_shipped(name), mode=0o644)
            replace_file(self.scripts / SETTINGS_FILE, script_settings(), mode=0o644)
            secrets = self.scripts / SECRETS_FILE
            replace_file(secrets, self.secrets(keys), mode=0o600)
            # nginx may run as its user from the beginning on.
            self._give_to_owner(secrets)
            replace_file(self.scripts / CONFIG_FILE, config, mode=0o644)
        except OSError as exc:
            raise ConfigError(
                f"{exc.filename} cannot be written: {exc.strerror}. Choose another "
                "folder with --out or HV_EDGE__FOLDER."
            ) from exc
        return self.scripts / CONFIG_FILE

    def make_folder(self) -> None:
        """
        Make the folder in which the running edge keeps its counts, cache and state.

        Nothing is changed if it exists.
        """
        if not self.folder.exists():
            self.folder.mkdir(parents=True)
            self._give_to_owner(self.folder)
        for name in ("temp", "cache"):
            (self.folder / name).mkdir(exist_ok=True)
            self._give_to_owner(self.folder / name)
        changes = self.folder / CHANGES_FILE
        if not changes.exists():
            changes.write_bytes(os.urandom(CHANGES_BYTES))
        self._give_to_owner(changes)

    def _give_to_owner(self, path: Path) -> None:
        """
        Give files that root makes to the user of the service.

        Processes that delete videos write to the folder, and so do those that count.
        """
        if os.geteuid() == 0:
            os.chown(path, *self._owner())

    def _owner(self) -> tuple[int, int]:
        for folder in (self.storage, self.settings.data_dir):
            if folder is not None and folder.exists():
                found = folder.stat()
                return found.st_uid, found.st_gid
        return os.geteuid(), os.getegid()


def storage_folder(settings: Settings) -> Path | None:
    """Return the folder of the storage; None if the storage is not on this machine."""
    chosen = settings.storage
    url = str(chosen.options.get("url", ""))
    scheme, found, _ = url.partition("://")
    if chosen.backend != "fsspec" or (found and scheme not in {"file", "local"}):
        return None
    return Path(unquote(urlsplit(url).path) if found else url).absolute()


def script_names() -> Sequence[str]:
    """Return the names of the edge's Lua script files."""
    files = (resources.files("hvcore_edge") / "nginx").iterdir()
    return sorted(file.name for file in files if file.name.endswith(_SCRIPT_ENDING))


def _verification_key(key: TokenKey) -> Mapping[str, str]:
    public = key.public
    if isinstance(public, Ed25519PublicKey):
        public = public.public_bytes(Encoding.Raw, PublicFormat.Raw)
    material = base64.b64encode(public).decode()
    return {"kid": key.kid, "algorithm": key.algorithm, "material": material}


def _name_of(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        # In a container, say. nginx ignores it, or says as root what it lacks.
        return str(uid)


def _hosts(*urls: str) -> set[str]:
    """Return the hosts of public addresses, without ports, in lower case."""
    return {host for url in urls if (host := urlsplit(url).hostname)}


def _tls(certificate: str, key: str) -> str:
    """
    Return the lines for TLS; none without a certificate.

    Raises:
        ConfigError: A path cannot be written down.
    """
    if not certificate:
        return ""
    for name, path in (("CERTIFICATE", certificate), ("KEY", key)):
        if not _UNSAFE_IN_QUOTES.isdisjoint(path):
            raise ConfigError(
                f"HV_EDGE__TLS_{name} ({path!r}) cannot be written into an nginx "
                "configuration: choose a path without quotes, backslashes and $."
            )
    return (
        f'        ssl_certificate "{certificate}";\n'
        f'        ssl_certificate_key "{key}";\n'
        "        ssl_protocols TLSv1.2 TLSv1.3;\n"
        "        ssl_session_cache shared:hv_tls:10m;\n"
    )


def _servers(addresses: str, *, max_fails: int = 1) -> str:
    """
    Return the lines of an upstream for addresses with commas between them.

    Args:
        max_fails: How many failures in 10 s leave an address out; 0 for never.

    Raises:
        ConfigError: One cannot be written down.
    """
    lines = []
    for address in addresses.split(","):
        stripped = address.strip()
        if not stripped or not _UNSAFE.isdisjoint(stripped):
            raise ConfigError(
                f"{address!r} is no address of the service behind the edge: give "
                "host:port, several with commas between them."
            )
        # Who is silent once costs one wait; all others are asked meanwhile.
        lines.append(
            f"        server {stripped} max_fails={max_fails} fail_timeout=10s;"
        )
    return "\n".join(lines)


def _proxies(networks: Sequence[str]) -> str:
    if not networks:
        return ""
    lines = [
        f"    set_real_ip_from {network};\n" for network in read_networks(networks)
    ]
    # Of several proxies in a row, the first that is none of these is the viewer.
    lines += ["    real_ip_header X-Forwarded-For;\n", "    real_ip_recursive on;\n"]
    return "".join(lines)


def _read_shipped(name: str) -> str:
    return (resources.files("hvcore_edge") / "nginx" / name).read_text(encoding="utf-8")
