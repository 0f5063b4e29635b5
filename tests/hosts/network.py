"""
Hosts on this machine: each has a network, a disk, processes and a name of its own.

A host is a set of Linux namespaces, held by a process that does nothing. All hosts are
plugged into one switch, in a namespace as well: nothing of them is seen outside, and
nothing is left of them when their holders end, which is with this process at the latest.
"""

import ctypes
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Final

import attrs
import psutil

SUBNET: Final = "172.30.201"
"""That of the compose file's network "edge", whose proxies the API believes."""
RESOLVER: Final = f"{SUBNET}.53"
LAST: Final = 60
DISK: Final = Path("/srv")
"""Where each host has its own disk; it lies below no folder that only root may enter."""
DISK_SIZE: Final = "8g"
"""As large as a disk must be for uploads; only what is in use takes memory."""
FULL_KB: Final = 8
"""Left on a full disk: what is there may grow while it is made small."""
NOBODY_MAC: Final = "02:00:00:00:ff:ff"
NEEDS: Final = (
    "These tests make hosts out of Linux namespaces. That needs root with CAP_SYS_ADMIN "
    "and CAP_NET_ADMIN (in a container: --privileged), ip and bridge of iproute2, and "
    "unshare, nsenter and setpriv of util-linux."
)
_PROGRAMS: Final = ("ip", "bridge", "unshare", "nsenter", "setpriv")
_NEW_NETWORK: Final = 0x4000_0000
_HOLD: Final = """
set -e
trap '' CHLD
{setup}
echo ready
exec sleep infinity
"""


def mac_of(address: str) -> str:
    """
    Return the hardware address that belongs to an address of the subnet.
    """
    return f"02:00:00:00:00:{int(address.rpartition('.')[2]):02x}"


@attrs.frozen(kw_only=True)
class Host:
    """
    A machine of the test.

    Attributes:
        pid: Of the process that holds its namespaces, as seen from here.
        switch_pid: The same of the switch.
        disk: A small file system, which only this host has.
    """

    name: str
    address: str
    pid: int
    switch_pid: int
    disk: Path

    def within(self, words: Sequence[str | Path], uid: int = 0) -> list[str]:
        """
        Return what runs a command on this host.
        """
        enter = ["nsenter", "-t", str(self.pid), "-n", "-m", "-u", "-p"]
        if uid:
            enter += ["-S", str(uid)]
        return [*enter, f"--wdns={self.disk}", "--", *map(str, words)]

    def run(
        self,
        *words: str | Path,
        environ: Mapping[str, str] | None = None,
        uid: int = 0,
        fed: str | None = None,
    ) -> str:
        """
        Run a command here until it ends; return what it prints.
        """
        done = subprocess.run(
            self.within(words, uid),
            env=None if environ is None else dict(environ),
            input=fed,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        if done.returncode != 0:
            raise AssertionError(
                f"{self.name}: {words[0]}: {done.stderr or done.stdout}"
            )
        return done.stdout

    def disk_file(self, path: Path) -> Path:
        """
        Return where a file of the disk can be read from here.
        """
        return Path(f"/proc/{self.pid}/root{self.disk}") / path

    def kill(self) -> None:
        """
        End all processes at once, as when the power fails; what is on the disk stays.
        """
        self._signal("KILL")

    def freeze(self) -> None:
        """
        Let all processes stand still: their connections stay, and nobody answers.
        """
        self._signal("STOP")

    def thaw(self) -> None:
        """
        End ``freeze``.
        """
        self._signal("CONT")

    def cut_off(self) -> None:
        """
        Lose every packet from and to this host, silently.
        """
        self._plug("0")

    def join(self) -> None:
        """
        End ``cut_off``.
        """
        self._plug("3")

    def lose(self, other: "Host") -> None:
        """
        Lose every packet that goes from here to another host, silently.
        """
        self._point(other, NOBODY_MAC)

    def find(self, other: "Host") -> None:
        """
        End ``lose``.
        """
        self._point(other, mac_of(other.address))

    def fill(self) -> None:
        """
        Leave no byte free on the disk.
        """
        used = self.run("df", "--output=used", "-k", self.disk).split()[-1]
        self._resize(f"{int(used) + FULL_KB}k")

    def empty(self) -> None:
        """
        End ``fill``.
        """
        self._resize(DISK_SIZE)

    def _resize(self, size: str) -> None:
        # A file as large as the disk would be in memory.
        self.run("mount", "-o", f"remount,size={size}", self.disk)

    def _signal(self, name: str) -> None:
        # Of a kill, the shell is not hit by it, and the holder not either.
        self.run("sh", "-c", f"kill -{name} -1 2>/dev/null || true")

    def _plug(self, state: str) -> None:
        _in_network(
            self.switch_pid, "bridge", "link", "set", "dev", self.name, "state", state
        )

    def _point(self, other: "Host", mac: str) -> None:
        words = f"ip neigh replace {other.address} lladdr {mac} dev eth0 nud permanent"
        _in_network(self.pid, *words.split())


class Network:
    """
    A switch, and the hosts that are plugged into it.

    Args:
        folder: For what hosts read at ``/etc``; they see it as it is.
        names: The addresses of hosts by the names in ``/etc/hosts`` of all.
    """

    def __init__(
        self, folder: Path, names: Sequence[tuple[str, str]], stack: ExitStack
    ) -> None:
        self._folder = folder
        self._stack = stack
        folder.mkdir(parents=True)
        (folder / "hosts").write_text(
            "127.0.0.1 localhost\n"
            + "".join(f"{address} {name}\n" for name, address in names)
        )
        (folder / "resolv.conf").write_text(f"nameserver {RESOLVER}\n")
        self._switch = self._hold(
            ["--net"],
            "ip link add name bridge type bridge && ip link set dev bridge up",
        )

    def add(self, name: str, address: str) -> Host:
        """
        Plug in another host.

        Args:
            name: At most 15 characters.
        """
        disk, etc = DISK, self._folder
        setup = (
            f"hostname {name}\n"
            f"mount -t tmpfs -o size={DISK_SIZE},mode=0777 {name} {disk}\n"
            f"mount --bind {etc}/hosts /etc/hosts\n"
            f"mount --bind {etc}/resolv.conf /etc/resolv.conf"
        )
        pid = self._hold(["--net", "--mount", "--uts", "--mount-proc"], setup)
        _in_network(
            self._switch,
            *("ip", "-batch", "-"),
            fed=f"link add name {name} type veth peer name eth0 netns {pid}\n"
            f"link set dev {name} master bridge\nlink set dev {name} up\n",
        )
        others = [f"{SUBNET}.{n}" for n in range(2, LAST)]
        _in_network(
            pid,
            *("ip", "-batch", "-"),
            fed=f"link set lo up\nlink set eth0 address {mac_of(address)}\n"
            f"addr add {address}/24 dev eth0\nlink set eth0 up\n"
            # Fixed: who is cut off would else be noticed, after three seconds.
            + "".join(
                f"neigh replace {a} lladdr {mac_of(a)} dev eth0 nud permanent\n"
                for a in others
                if a != address
            ),
        )
        return Host(
            name=name, address=address, pid=pid, switch_pid=self._switch, disk=disk
        )

    def _hold(self, namespaces: Sequence[str], setup: str) -> int:
        """
        Start what holds namespaces; return its number as seen from here.
        """
        # Ends with us, whatever becomes of us, and takes all of the host along.
        words = ["setpriv", "--pdeathsig", "KILL", "unshare", *namespaces]
        words += ["--pid", "--fork", "--kill-child", "sh", "-c"]
        holder = subprocess.Popen(
            [*words, _HOLD.format(setup=setup)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._stack.callback(_end, holder)
        assert holder.stdout is not None
        assert holder.stderr is not None
        if holder.stdout.readline() != "ready\n":
            raise RuntimeError(f"{NEEDS} Here: {holder.stderr.read().strip()}")
        (first,) = psutil.Process(holder.pid).children()
        return int(first.pid)


@contextmanager
def network(folder: Path, names: Sequence[tuple[str, str]]) -> Iterator[Network]:
    """
    Have a switch until the block ends.

    Raises:
        RuntimeError: It cannot be made here; the sentence says what it needs.
    """
    lacking = [name for name in _PROGRAMS if shutil.which(name) is None]
    if lacking:
        raise RuntimeError(f"{NEEDS} Missing: {', '.join(lacking)}.")
    with ExitStack() as stack:
        yield Network(folder, names, stack)


@contextmanager
def seen_from(host: Host) -> Iterator[None]:
    """
    Have this thread, and those that it starts, use the network of a host.
    """
    own = os.open("/proc/thread-self/ns/net", os.O_RDONLY)
    theirs = os.open(f"/proc/{host.pid}/ns/net", os.O_RDONLY)
    try:
        _enter(theirs)
        yield
    finally:
        _enter(own)
        os.close(own)
        os.close(theirs)


def _enter(descriptor: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.setns(descriptor, _NEW_NETWORK) != 0:
        raise OSError(ctypes.get_errno(), f"setns: {NEEDS}")


def _in_network(pid: int, *words: str, fed: str | None = None) -> None:
    done = subprocess.run(
        ["nsenter", "-t", str(pid), "-n", *words],
        input=fed,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}. {NEEDS}")


def _end(holder: subprocess.Popen[str]) -> None:
    with suppress(psutil.NoSuchProcess):
        for child in psutil.Process(holder.pid).children():
            child.send_signal(signal.SIGKILL)
    holder.kill()
    holder.communicate()
