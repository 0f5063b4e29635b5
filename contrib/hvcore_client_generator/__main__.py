"""Generate a client: ``hv openapi | python -m hvcore_client_generator LANGUAGE FOLDER``."""

import argparse
import json
import sys
from pathlib import Path

from hvcore_client_generator.javascript import write_javascript
from hvcore_client_generator.python import write_python
from hvcore_client_generator.reading import read_api

WRITERS = {"javascript": write_javascript, "python": write_python}


def main() -> None:
    """Read an OpenAPI document from standard input, and write a client into a folder."""
    parser = argparse.ArgumentParser(
        prog="hvcore_client_generator", description=__doc__
    )
    parser.add_argument("language", choices=sorted(WRITERS))
    parser.add_argument("folder", type=Path)
    chosen = parser.parse_args()
    WRITERS[chosen.language](read_api(json.load(sys.stdin)), chosen.folder)


if __name__ == "__main__":
    main()
