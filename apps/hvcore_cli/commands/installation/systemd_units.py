"""The systemd units of an installation: one for each process, and a target for all."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import attrs

TARGET: Final = "hv.target"

SERVER_STOP_S: Final = 15
"""
The seconds for the end of a server: it accepts requests for 5 s more
(HV_SERVER__SHUTDOWN_DELAY_S), requests in progress get 4 s, and waiting counts a few more.
"""
WORKER_STOP_S: Final = 30
"""The seconds for the end of a worker, which hands its tasks back at once unless a store is
slow to answer."""
EDGE_STOP_S: Final = 70
"""The seconds for the end of an edge: nginx gives its viewers 60 s
(worker_shutdown_timeout)."""

HANGS_AFTER_S: Final = 180
"""The seconds without a heartbeat after which systemd restarts a process; a step of the
sweep takes less, even with a slow store."""

SERVER_MEMORY: Final = "1G"
ENCODER_MEMORY: Final = "4G"
LIGHT_MEMORY: Final = "2G"
OTHER_MEMORY: Final = "512M"
"""The memory limit of the other processes, at least twice what each takes when it is busy
(docs/how-to/sizing.md)."""

OPEN_FILES: Final = 65_536
"""The limit of open files: a server has 1000 connections with a file each, nginx many more."""

KEPT_BACKUPS: Final = 7
_ONCE: Final = ("hv-migrate.service", "hv-backup.service")
"""The units of commands that end by themselves, and do not belong to the running service."""
_BEFORE: Final = (
    "network-online.target",
    # Those of this machine, if there are any.
    *("postgresql.service", "redis-server.service", "valkey-server.service"),
)
_HOMES: Final = (Path("/home"), Path("/root"), Path("/run/user"))
_TEMPORARY: Final = (Path("/tmp"), Path("/var/tmp"))  # noqa: S108 - what PrivateTmp hides
_CONFINED: Final[Sequence[str]] = (
    "NoNewPrivileges=yes",
    "CapabilityBoundingSet={capabilities}",
    "AmbientCapabilities={capabilities}",
    "ProtectSystem=strict",
    "ProtectHome={homes}",
    "ReadWritePaths={writable}",
    "PrivateTmp=yes",
    "PrivateDevices=yes",
    "ProtectClock=yes",
    "ProtectControlGroups=yes",
    "ProtectHostname=yes",
    "ProtectKernelModules=yes",
    "RestrictRealtime=yes",
    "RestrictSUIDSGID=yes",
    "LockPersonality=yes",
    "SystemCallArchitectures=native",
    "SystemCallErrorNumber=EPERM",
    # The last one is how bubblewrap sets up a network without anything in it, and how
    # names are looked up.
    "RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK",
    "RemoveIPC=yes",
    "UMask=0077",
    "LimitCORE=0",
    f"LimitNOFILE={OPEN_FILES}",
)
"""The confinement of every process, as lines of a unit."""

_SANDBOXING: Final[Sequence[str]] = (
    "# ffmpeg runs in a sandbox of its own (bubblewrap), which is made of namespaces and",
    "# mounts. RestrictNamespaces, and what mounts something over a part of /proc",
    "# (ProtectKernelTunables, ProtectKernelLogs, ProcSubset), would prevent that.",
    "SystemCallFilter=@system-service @mount",
)
_ALONE: Final[Sequence[str]] = (
    "ProtectKernelLogs=yes",
    "ProtectKernelTunables=yes",
    "ProtectProc=invisible",
    "RestrictNamespaces=yes",
    "SystemCallFilter=@system-service",
)
"""The further confinement of processes that start no ffmpeg, as lines of a unit."""


@attrs.frozen(kw_only=True)
class UnitFiles:
    """
    The systemd units of one installation.

    Attributes:
        program: The absolute path of the command ``hv``.
        interpreter: The Python that runs ``hv``, with all links resolved.
        environ: The environment variables that the units set themselves.
        environment_file: The file with the settings and secrets; systemd reads it as root.
        user: The user who runs the processes.
        data: The data folder.
        writable: Further folders that processes write to.
        plugins: The files that HV_EXTRA_PLUGINS names, by their absolute paths.
        host: The address at which the API and delivery listen.
        port: The port of the API; delivery has the next one.
        encoders: The number of encode workers.
        light_workers: The number of workers for short tasks.
        notifies: Whether there is a queue of the object store to read.
        has_reserve: Whether there is a worker reserved for organizations that have no
            running task.
        nginx: The absolute path of nginx; None without an edge.
        backups: The folder for a backup each night; None for no backups.
    """

    program: Path
    interpreter: Path
    environ: Mapping[str, str]
    environment_file: Path
    user: str
    data: Path
    writable: Sequence[Path] = ()
    plugins: Sequence[Path] = ()
    host: str
    port: int
    encoders: int
    light_workers: int
    has_reserve: bool
    notifies: bool
    nginx: Path | None
    backups: Path | None = None

    def texts(self) -> Mapping[str, str]:
        """Return the text of each systemd unit by its file name."""
        address = f"--host {self.host} --port"
        units = {
            "hv-migrate.service": self._once("Update the database", "migrate"),
            "hv-api.service": self._process(
                "API and dashboard", f"api {address} {self.port}", memory=SERVER_MEMORY
            ),
            "hv-delivery.service": self._process(
                "Playback, player and uploads",
                f"delivery {address} {self.port + 1}",
                memory=SERVER_MEMORY,
            ),
            "hv-worker@.service": self._process(
                "Encode worker %i",
                "worker --lane encode",
                stop_s=WORKER_STOP_S,
                memory=ENCODER_MEMORY,
            ),
            "hv-worker-light@.service": self._process(
                "Worker %i for short tasks",
                "worker --lane light",
                stop_s=WORKER_STOP_S,
                memory=LIGHT_MEMORY,
            ),
            "hv-sweep.service": self._process("Sweep", "sweep", starts_ffmpeg=False),
        }
        if self.has_reserve:
            units["hv-worker-reserve.service"] = self._process(
                "Encode worker for organizations without one",
                "worker --lane encode --reserve",
                stop_s=WORKER_STOP_S,
                memory=ENCODER_MEMORY,
            )
        if self.notifies:
            units["hv-notify.service"] = self._process(
                "Events of the object store", "notify", starts_ffmpeg=False
            )
        if self.nginx is not None:
            units["hv-edge.service"] = self._edge(self.nginx)
            units["hv-edge-ingest.service"] = self._process(
                "Counts of nginx", "edge ingest", starts_ffmpeg=False
            )
        if self.backups is not None:
            words = f"backup --keep {KEPT_BACKUPS} {_quoted(self.backups)}"
            units["hv-backup.service"] = self._once("Backup", words, self.backups)
            units["hv-backup.timer"] = _text(
                Unit=["Description=hvcore: a backup each night"],
                Timer=[
                    "OnCalendar=*-*-* 03:00:00",
                    # Hosts that share a database server or a disk come one by one.
                    "RandomizedDelaySec=30min",
                    # If the machine was off at that time, after its next start.
                    "Persistent=true",
                ],
                Install=["WantedBy=timers.target"],
            )
        return {TARGET: self._target(units), **units}

    def _target(self, units: Mapping[str, str]) -> str:
        wanted = []
        for name in units:
            stem, is_template, ending = name.partition("@")
            if not is_template:
                wanted += [name] if name not in _ONCE else []
                continue
            many = self.encoders if stem == "hv-worker" else self.light_workers
            wanted += [f"{stem}@{number}{ending}" for number in range(1, many + 1)]
        return _text(
            Unit=["Description=hvcore: the whole service", f"Wants={' '.join(wanted)}"],
            Install=["WantedBy=multi-user.target"],
        )

    def _process(
        self,
        what: str,
        words: str,
        *,
        stop_s: int = SERVER_STOP_S,
        memory: str = OTHER_MEMORY,
        starts_ffmpeg: bool = True,
    ) -> str:
        return self._service(
            what,
            [
                "Type=exec",
                f"ExecStart={_quoted(self.program)} {words}",
                # Its own children are told by it; what is left after the time is killed.
                "KillMode=mixed",
                # It tells systemd every 2 s that it goes on (hvcore.processes.heartbeat). One that
                # is frozen would not even notice a friendlier signal.
                f"WatchdogSec={HANGS_AFTER_S}",
                "WatchdogSignal=SIGKILL",
                "NotifyAccess=main",
            ],
            stop_s=stop_s,
            memory=memory,
            confinement=_SANDBOXING if starts_ffmpeg else _ALONE,
        )

    def _edge(self, nginx: Path) -> str:
        # In memory, made anew from the settings at each start: it holds keys.
        made = f"{_quoted(self.program)} edge nginx --out /run/hv-edge"
        return self._service(
            "nginx in front of delivery",
            [
                "Type=exec",
                f"ExecStartPre={made}",
                f"ExecStart={_quoted(nginx)} -c /run/hv-edge/nginx.conf",
                f"ExecReload={made}",
                "ExecReload=/bin/kill -HUP $MAINPID",
                "RuntimeDirectory=hv-edge",
                "RuntimeDirectoryMode=0700",
                "KillMode=mixed",
                "KillSignal=SIGQUIT",
            ],
            stop_s=EDGE_STOP_S,
            memory=SERVER_MEMORY,
            confinement=_ALONE,
            # Ports below 1024.
            capabilities="CAP_NET_BIND_SERVICE",
        )

    def _once(self, what: str, words: str, *writes: Path) -> str:
        unit = ["Type=oneshot", f"ExecStart={_quoted(self.program)} {words}"]
        return _text(
            Unit=_headings(what),
            Service=[*self._common(), *unit, *self._confined(_ALONE, writes=writes)],
        )

    def _service(  # noqa: PLR0913 - what differs between units
        self,
        what: str,
        lines: Sequence[str],
        *,
        stop_s: int,
        memory: str,
        confinement: Sequence[str],
        capabilities: str = "",
    ) -> str:
        restarting = [
            "Restart=on-failure",
            "RestartSec=2",
            # Wrong usage: another start would say the same.
            "RestartPreventExitStatus=2",
            f"TimeoutStopSec={stop_s}",
            f"MemoryMax={memory}",
            # An ffmpeg that takes too much is ended alone: its task begins again.
            "OOMPolicy=continue",
        ]
        return _text(
            Unit=[
                *_headings(what),
                f"PartOf={TARGET}",
                # A database that is away, or not migrated yet, may come tomorrow.
                "StartLimitIntervalSec=0",
            ],
            Service=[
                *self._common(),
                *lines,
                *restarting,
                *self._confined(confinement, capabilities),
            ],
            # For a machine that runs only some of them.
            Install=["WantedBy=multi-user.target"],
        )

    def _common(self) -> list[str]:
        return [
            f"User={self.user}",
            f"WorkingDirectory={_escaped(str(self.data))}",
            *(
                f'Environment="{name}={_escaped(value)}"'
                for name, value in self.environ.items()
            ),
            f"EnvironmentFile={_escaped(str(self.environment_file))}",
        ]

    def _confined(
        self,
        further: Sequence[str],
        capabilities: str = "",
        *,
        writes: Sequence[Path] = (),
    ) -> list[str]:
        writable = (self.data, *self.writable, *writes)
        used = (self.program, self.interpreter, *writable, *self.plugins)
        is_at_home = any(path.is_relative_to(home) for path in used for home in _HOMES)
        # A private /tmp has none of the machine's files.
        hidden = [
            f"BindReadOnlyPaths={_quoted(path)}"
            for path in self.plugins
            if any(path.is_relative_to(temporary) for temporary in _TEMPORARY)
        ]
        values = {
            "capabilities": capabilities,
            "homes": "read-only" if is_at_home else "yes",
            "writable": " ".join(map(_quoted, writable)),
        }
        lines = [line.format(**values) for line in (*_CONFINED, *further)]
        return [*lines, *hidden]


def _headings(what: str) -> list[str]:
    return [
        f"Description=hvcore: {what}",
        "Wants=network-online.target",
        f"After={' '.join(_BEFORE)}",
    ]


def _text(**sections: Sequence[str]) -> str:
    made = ("\n".join([f"[{name}]", *lines]) for name, lines in sections.items())
    head = "# Made by hv systemd: run it again after a change, or add drop-ins."
    return "\n".join([head, "\n\n".join(made), ""])


def _escaped(text: str) -> str:
    """Write a text as systemd reads it: ``%`` stands before its specifiers."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")


def _quoted(path: Path) -> str:
    text = _escaped(str(path))
    return f'"{text}"' if " " in text else text
