// Wide tables and code scroll by themselves: whoever has no mouse must reach them with Tab.
function markScrollers() {
  for (const box of document.querySelectorAll("article .table-wrapper, article pre")) {
    if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
    else box.removeAttribute("tabindex");
  }
}
addEventListener("load", markScrollers);
addEventListener("resize", markScrollers);
