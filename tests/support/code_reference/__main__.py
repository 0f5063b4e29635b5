"""Write the pages: ``python -m tests.support.code_reference``."""

from tests.support.code_reference.files import write
from tests.support.code_reference.pages import FOLDERS, pages

if __name__ == "__main__":
    write(pages(), FOLDERS)
