"""
Old names work, and name the new one and the release that ends them.
"""

import sys
from types import ModuleType

import pytest

from hvcore.deprecation import RenamedName, renamed_names


def test_an_old_name_works_and_names_replacement_and_release(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = ModuleType("acme_api")
    renamed = {"Old": RenamedName(new="New", gone_in="0.3")}
    vars(module).update(New=int, __getattr__=renamed_names("acme_api", renamed))
    monkeypatch.setitem(sys.modules, "acme_api", module)

    with pytest.warns(DeprecationWarning, match="use acme_api.New") as told:
        found = module.Old

    assert found is int
    assert "acme_api.Old goes with hvcore 0.3" in str(told[0].message)
    assert told[0].filename == __file__
    with pytest.raises(AttributeError, match=r"acme_api.*Older"):
        _ = module.Older
