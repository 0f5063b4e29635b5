"""Write the pages: ``python -m tests.support.plugin_reference``."""

from tests.support.code_reference.files import write
from tests.support.plugin_reference.pages import GENERATED, REFERENCE, pages

if __name__ == "__main__":
    write(pages(), [REFERENCE / folder for folder in GENERATED])
