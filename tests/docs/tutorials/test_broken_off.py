"""
Programs of a tutorial's terminals end with the tests that have started them.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.support.live import until

READS: Final = '''
import os, sys
from pathlib import Path
from tests.docs.tutorials.running import Tutorial
page = """
```{code-block} console
$ echo $$ > programs
$ python -c "import os, time; open('programs', 'a').write(str(os.getpid())); time.sleep(60)"
…
```
"""
Tutorial(folder=Path(sys.argv[1]), environ=os.environ, within=()).follow(page)
'''


def test_programs_of_a_killed_tutorial_end(tmp_path: Path) -> None:
    reader = subprocess.Popen([sys.executable, "-c", READS, tmp_path])
    programs = tmp_path / "programs"

    def ids() -> list[int]:
        text = programs.read_text() if programs.exists() else ""
        return [int(line) for line in text.split()]

    until(lambda: len(ids()) == 2, within_s=20, what="two programs")
    os.kill(reader.pid, signal.SIGKILL)
    reader.wait()

    until(
        lambda: not any(Path(f"/proc/{pid}").exists() for pid in ids()),
        within_s=20,
        what="the end of both",
    )
