// A table that is wider than the screen becomes a list: each row a block, each cell with the title of its
// column. Code that is wider scrolls by itself: whoever has no mouse must reach it with Tab.
const ROLES = { TABLE: "table", TR: "row", TD: "cell" };

function nameCells(table) {
  const titles = [...table.querySelectorAll("thead th")].map((one) => one.textContent.trim());
  for (const cell of table.querySelectorAll("tbody td")) {
    const title = titles[cell.cellIndex];
    if (title) cell.dataset.title = title;
    cell.classList.toggle("without-text", !cell.textContent.trim());
  }
  // Some browsers take no table for one whose cells are blocks.
  for (const part of [table, ...table.querySelectorAll("tbody tr, tbody td")]) {
    part.setAttribute("role", ROLES[part.tagName]);
  }
  return titles.some(Boolean);
}

function fitTables() {
  for (const table of document.querySelectorAll("article .table-wrapper > table")) {
    const box = table.parentElement;
    table.classList.remove("as-list");
    const isWide = box.scrollWidth > box.clientWidth;
    table.classList.toggle("as-list", isWide && nameCells(table));
  }
}

function markScrollers() {
  for (const box of document.querySelectorAll("article .table-wrapper, article pre")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}

for (const event of ["load", "resize"]) {
  addEventListener(event, () => {
    fitTables();
    markScrollers();
  });
}
