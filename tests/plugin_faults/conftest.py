"""
What tests of broken plugins share.
"""

from tests.plugin_faults.planting import make_plant

__all__ = ["make_plant"]
