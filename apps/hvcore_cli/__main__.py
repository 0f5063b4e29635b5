"""Run the command line ``hv`` by ``python -m hvcore_cli``."""

from hvcore_cli.start import main

main()
