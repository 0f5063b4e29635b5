"""
Draw the diagrams of the documentation: ``python -m tests.support.drawings``.

Each ``docs/pictures/NAME.dot`` becomes ``NAME.svg`` beside it. Graphviz of one version draws
(its build for node), so a drawing has the same bytes on every machine; Debian's has another
version in each release. A drawing has a background of its own, so it can be read on any page,
and dark colours where the reader wants a dark page.
"""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Final

from tests.support.npm_packages import npm_packages

PICTURES: Final = Path(__file__).parents[2] / "docs" / "pictures"
GRAPHVIZ: Final = "@viz-js/viz@3.31.0"
FONT: Final = {"fontname": "Arial", "fontsize": 14}
LOOK: Final = {
    "format": "svg",
    "graphAttributes": {**FONT, "bgcolor": "#f6f7f9", "pad": 0.15},
    "nodeAttributes": {
        **FONT,
        "shape": "box",
        "style": "filled",
        "fillcolor": "#ffffff",
        "color": "#57606a",
        "fontcolor": "#1b1f24",
        # Other fonts than the one that Graphviz measures are wider.
        "margin": "0.2,0.1",
    },
    "edgeAttributes": {**FONT, "fontsize": 13, "color": "#57606a", "arrowsize": 0.8},
}
COLOURS: Final = """<style>
text{font-family:Arial,"Liberation Sans",Helvetica,sans-serif}
.process>:is(polygon,path){fill:#dbeafe;stroke:#0b5cc0}
.store>:is(polygon,path){fill:#fff4d6;stroke:#8a6100}
.ready>polygon{fill:#d9f2e0;stroke:#1a7f37}
.failed>polygon{fill:#fde3e1;stroke:#b3261e}
@media(prefers-color-scheme:dark){
.graph>polygon{fill:#181c22}
text{fill:#e8ebef}
.node>:is(polygon,path){fill:#0f1216;stroke:#8b949e}
.edge>path{stroke:#8b949e}
.edge>polygon{fill:#8b949e;stroke:#8b949e}
.process>:is(polygon,path){fill:#10294a;stroke:#7ab6ff}
.store>:is(polygon,path){fill:#3a2e10;stroke:#e0b44c}
.ready>polygon{fill:#12351f;stroke:#56d37c}
.failed>polygon{fill:#45191a;stroke:#ff8f87}
}
</style>
"""
PROGRAM: Final = """
import {readFileSync} from "node:fs";
const {library, look, sources} = JSON.parse(readFileSync(0, "utf8"));
const {instance} = await import(library);
const graphviz = await instance();
const drawn = sources.map((source) => graphviz.renderString(source, look));
process.stdout.write(JSON.stringify(drawn));
"""


def drawings() -> dict[Path, str]:
    """Return the path of each drawing in the documentation, and the text of its SVG."""
    node = shutil.which("node")
    assert node, "node is needed to draw; fix: apt install nodejs npm"
    files = sorted(PICTURES.glob("*.dot"))
    asked = {
        "library": str(npm_packages(GRAPHVIZ) / "@viz-js" / "viz" / "dist" / "viz.js"),
        "look": LOOK,
        "sources": [file.read_text("utf-8") for file in files],
    }
    done = subprocess.run(
        [node, "--input-type=module", "--eval", PROGRAM],
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        text=True,
        timeout=60,
        check=True,
    )
    drawn = map(_coloured, json.loads(done.stdout))
    return dict(zip((file.with_suffix(".svg") for file in files), drawn, strict=True))


def _coloured(svg: str) -> str:
    # In pixels, not in points: text has the size of the text of pages.
    svg = svg.replace('pt"', '"', 2)
    start = svg.index("<svg")
    head_ends = svg.index(">", start) + 1
    return svg[start:head_ends] + "\n" + COLOURS + svg[head_ends:].lstrip()


if __name__ == "__main__":
    for path, text in drawings().items():
        path.write_text(text, "utf-8")
