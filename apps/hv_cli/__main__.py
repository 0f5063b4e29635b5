"""
Let ``python -m hv_cli`` do what ``hv`` does.
"""

from hv_cli.main import main

main()
