"""
The server of queues that is found on a machine.
"""

from pathlib import Path

import pytest

from hvcore_checks.queue_servers import find_server


def program(folder: Path, name: str) -> str:
    path = folder / name
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_valkey_goes_before_redis_and_both_before_the_one_from_pypi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    from_pypi = find_server()
    redis = program(tmp_path, "redis-server")
    of_redis = find_server()
    valkey = program(tmp_path, "valkey-server")

    assert from_pypi is not None
    assert Path(from_pypi).parent != tmp_path
    assert of_redis == redis
    assert find_server() == valkey


def test_a_program_is_called_by_the_name_of_its_link(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Redis is one program that looks at its name.
    (tmp_path / "redis-server").symlink_to(program(tmp_path, "redis-check-rdb"))
    monkeypatch.setenv("PATH", str(tmp_path))

    assert find_server() == str(tmp_path / "redis-server")
