"""
Loads what the processes of ``hv`` need; the server of forks imports it.
"""

import hv_cli.main
import hv_cli.processes
import hv_cli.up
from hv_cli.forks import load_shared

__all__ = ["hv_cli"]

load_shared()
