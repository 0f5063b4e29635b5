"""Contracts for import-linter, in which a folder stands for its packages."""

from typing import Any

from importlinter.contracts.forbidden import ForbiddenContract
from importlinter.contracts.layers import LayersContract

from tests.support.import_folders import layers_of, modules_of


class FolderLayersContract(LayersContract):
    """Layers, with ``apps/*`` for every package of the folder that no layer names."""

    def __init__(
        self,
        name: str,
        session_options: dict[str, Any],
        contract_options: dict[str, Any],
    ) -> None:
        """Read the folders, and then the contract."""
        layers = layers_of(contract_options["layers"])
        super().__init__(name, session_options, {**contract_options, "layers": layers})


class FolderForbiddenContract(ForbiddenContract):
    """Forbidden imports, with ``apps/*`` for every package of the folder."""

    def __init__(
        self,
        name: str,
        session_options: dict[str, Any],
        contract_options: dict[str, Any],
    ) -> None:
        """Read the folders, and then the contract."""
        read = {
            field: modules_of(contract_options[field])
            for field in ("source_modules", "forbidden_modules")
        }
        super().__init__(name, session_options, {**contract_options, **read})
