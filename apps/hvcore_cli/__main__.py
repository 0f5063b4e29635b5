"""Let ``python -m hvcore_cli`` do what ``hv`` does."""

from hvcore_cli.start import main

main()
