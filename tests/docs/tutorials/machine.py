"""
A machine for a tutorial: namespaces whose first process is a real systemd.

The file system is this machine's, which nothing can write: what the reader changes lies in
layers of the test's own folder. There are no units but those that the reader writes, the
journal's, and those that are asked for, so that nothing of this machine is started.
"""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import attrs
import psutil

from tests.support.live import until

BOOTS_WITHIN_S: Final = 60
TARGETS: Final = {
    "sysinit": "Wants=systemd-journald.service",
    "basic": "Requires=sysinit.target\nWants=sockets.target timers.target",
    "sockets": "",
    "timers": "",
    "network-online": "",
    "shutdown": "",
    "multi-user": "Requires=basic.target\nAfter=basic.target",
}
JOURNAL: Final = (
    "systemd-journald.service",
    "systemd-journald.socket",
    "systemd-journald-dev-log.socket",
)
_HOLD: Final = """
set -e
mount --make-rprivate /
mkdir -p {layers}/cgroup
mount -t cgroup2 cgroup2 {layers}/cgroup
own={layers}/cgroup/tutorial-$$
mkdir $own
( echo $BASHPID >$own/cgroup.procs
  exec setpriv --pdeathsig KILL unshare --net --pid --uts --ipc --cgroup --mount \
    --fork --kill-child bash -c "$BOOT" ) || true
find $own -depth -type d -exec rmdir {{}} +
"""
"""Holds the machine from outside: its processes are counted in a group, which goes with it."""
_BOOT: Final = """
set -e
umount {layers}/cgroup
for folder in etc opt srv var root usr/local; do
  mkdir -p {layers}/$folder/upper {layers}/$folder/work
  mount -t overlay overlay /$folder \
    -o lowerdir=/$folder,upperdir={layers}/$folder/upper,workdir={layers}/$folder/work
done
mount --bind {opt} /opt

# Devices of its own: systemd makes links among them.
mkdir -p {layers}/dev
mount -t tmpfs -o mode=755 tmpfs {layers}/dev
cd {layers}/dev
for device in null zero full random urandom tty; do
  touch $device
  mount --bind /dev/$device $device
done
mkdir pts shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts pts
mount -t tmpfs -o mode=1777 tmpfs shm
ln -s pts/ptmx ptmx
ln -s /proc/self/fd fd
ln -s /proc/self/fd/0 stdin
ln -s /proc/self/fd/1 stdout
ln -s /proc/self/fd/2 stderr
cd /
mount --move {layers}/dev /dev

mount -t proc proc /proc
umount -R /sys/fs/cgroup
mount -o remount,bind,ro /sys
mount -t cgroup2 cgroup2 /sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs /run
mount -t tmpfs -o mode=755 tmpfs /etc/systemd/system
mkdir -p /run/systemd/system /run/systemd/system.conf.d /run/units
# Beside many other tests a start takes long.
printf '[Manager]\\nDefaultTimeoutStartSec=10min\\n' >/run/systemd/system.conf.d/slow.conf
cp -r {units}/. /run/units
mount -t tmpfs -o mode=1777 tmpfs /tmp
mount -o remount,bind,ro /
if touch /usr/written-by-a-test 2>/dev/null; then
  rm /usr/written-by-a-test
  echo "the machine's own files could be written" >&2
  exit 1
fi
ip link set lo up
hostname tutorial
export container=lxc SYSTEMD_UNIT_PATH=/etc/systemd/system:/run/units
exec /lib/systemd/systemd --system --unit=multi-user.target \
  --log-target=journal --show-status=0 </dev/null
"""


@attrs.frozen(kw_only=True)
class Machine:
    """
    A machine whose systemd runs.

    Attributes:
        pid: The process ID of its systemd, as seen from here.
    """

    pid: int

    @property
    def within(self) -> Sequence[str]:
        """The words that run a command there, in the home of root."""
        namespaces = ("--mount", "--net", "--pid", "--uts", "--ipc", "--cgroup")
        return ("nsenter", "--target", str(self.pid), *namespaces, "--wdns=/root")

    def file(self, path: str) -> Path:
        """Return where a file of the machine is seen from here."""
        return Path(f"/proc/{self.pid}/root{path}")

    def run(self, *words: str) -> str:
        """Run a command there, and return what it prints."""
        done = subprocess.run(
            [*self.within, *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        return done.stdout + done.stderr


@contextmanager
def machine(folder: Path, *, opt: Path, units: Sequence[str] = ()) -> Iterator[Machine]:
    """
    Run a machine until the block ends.

    Args:
        folder: For what is changed there; not below `/etc`, `/opt`, `/srv`, `/var`, `/root`.
        opt: Is its `/opt`.
        units: Names of units of this machine that it has, too.
    """
    _write_units(folder / "units", units)
    layers = folder / "layers"
    names = {"layers": layers, "opt": opt, "units": folder / "units"}
    with (folder / "boot.log").open("wb") as log:
        holder = subprocess.Popen(
            [
                *("setpriv", "--pdeathsig", "KILL", "unshare", "--mount"),
                *("bash", "-c", _HOLD.format(**names)),
            ],
            env={
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                "BOOT": _BOOT.format(**names),
            },
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    try:
        made = Machine(pid=_systemd_of(holder, folder / "boot.log"))
        until(
            lambda: "running" in made.run("systemctl", "is-system-running"),
            within_s=BOOTS_WITHIN_S,
            what="systemd",
        )
        yield made
    finally:
        # All of the machine ends with its first process, which is a child of unshare.
        for process in psutil.Process(holder.pid).children(recursive=True):
            if process.name() == "unshare":
                for first in process.children():
                    first.kill()
                break
        holder.wait(timeout=60)


def _write_units(folder: Path, further: Sequence[str]) -> None:
    folder.mkdir(parents=True)
    for name, lines in TARGETS.items():
        text = f"[Unit]\nDescription={name}\nDefaultDependencies=no\n{lines}\n"
        (folder / f"{name}.target").write_text(text)
    for name in (*JOURNAL, *further):
        (folder / name).write_bytes((Path("/lib/systemd/system") / name).read_bytes())


def _systemd_of(holder: subprocess.Popen[bytes], log: Path) -> int:
    """
    Return the process ID of a machine's systemd once it has begun.

    Raises:
        AssertionError: The machine ended before.
    """

    def found() -> int | None:
        assert holder.poll() is None, log.read_text()
        children = psutil.Process(holder.pid).children(recursive=True)
        return next((one.pid for one in children if one.name() == "systemd"), None)

    pid = until(found, within_s=BOOTS_WITHIN_S, what="systemd's process")
    assert isinstance(pid, int)
    return pid
