"""
Loads what the processes of ``hv`` need; the server of forks imports it.
"""

import hvcore_cli.main
import hvcore_cli.processes.alone
import hvcore_cli.processes.up
from hvcore_cli.processes.forks import load_shared

__all__ = ["hvcore_cli"]

load_shared()
