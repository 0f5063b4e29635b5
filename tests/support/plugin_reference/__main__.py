"""Write the pages: ``python -m tests.support.plugin_reference``."""

import sys

from tests.support.plugin_reference.pages import GENERATED, REFERENCE, pages


def main() -> int:
    """Write each page, and remove the pages of what is gone."""
    written = pages()
    for folder in GENERATED:
        for file in (REFERENCE / folder).glob("*.md"):
            if file not in written:
                file.unlink()
                sys.stdout.write(f"- {file}\n")
    for file, text in written.items():
        file.parent.mkdir(exist_ok=True)
        if not file.exists() or file.read_text("utf-8") != text:
            file.write_text(text, "utf-8")
            sys.stdout.write(f"+ {file}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
