/*
 * Find routes by words, and by family. Without this script the page is complete,
 * but for the search.
 */
(() => {
  "use strict";

  const byId = (id) => document.getElementById(id);
  const search = byId("search");
  const toggle = byId("toggle");
  const choices = [...document.querySelectorAll("[data-shows]")];
  const routes = [...document.querySelectorAll(".operation")].map((section) => ({
    section,
    entry: document.querySelector(`#contents a[href="#${section.id}"]`).parentElement,
    family: section.closest(".part").id,
    text: section.textContent.toLowerCase(),
  }));
  // Headings of what may have nothing left below them.
  const holders = [
    ...document.querySelectorAll("main .group, main .part, #contents div, #contents section"),
  ];
  let family = "";

  const hasAll = (text, words) => words.every((word) => text.includes(word));

  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let found = 0;
    for (const route of routes) {
      const isWanted = (!family || route.family === family) && hasAll(route.text, words);
      route.section.hidden = !isWanted;
      route.entry.hidden = !isWanted;
      found += isWanted ? 1 : 0;
    }
    for (const holder of holders) {
      holder.hidden = !holder.querySelector(".operation:not([hidden]), li:not([hidden])");
    }
    document.body.classList.toggle("searching", words.length > 0);
    byId("nothing").hidden = found > 0;
    byId("found").textContent = found === 1 ? "1 route" : `${found} routes`;
  };

  const clear = () => {
    search.value = "";
    show();
  };

  search.addEventListener("input", show);
  search.addEventListener("keydown", (event) => {
    if (event.key === "Escape") {
      clear();
    }
  });
  byId("finder").addEventListener("submit", (event) => {
    event.preventDefault();
    const first = routes.find((route) => !route.section.hidden);
    if (first) {
      window.location.hash = first.section.id;
    }
  });
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target.closest("input, textarea, select");
    if (event.key === "/" && !isTyping && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      search.focus();
    }
  });
  for (const choice of choices) {
    choice.addEventListener("click", () => {
      family = choice.dataset.shows;
      for (const other of choices) {
        other.setAttribute("aria-pressed", String(other === choice));
      }
      show();
    });
  }
  toggle.addEventListener("click", () => {
    const isOpen = document.body.classList.toggle("listed");
    toggle.setAttribute("aria-expanded", String(isOpen));
    toggle.textContent = isOpen ? "Hide the list" : "Show the list";
  });
  byId("contents").addEventListener("click", () => {
    if (document.body.classList.contains("listed")) {
      toggle.click();
    }
  });
  // A link to what the search has hidden leads there all the same.
  window.addEventListener("hashchange", () => {
    const target = byId(window.location.hash.slice(1));
    if (target && target.closest("[hidden]")) {
      choices[0].click();
      clear();
      target.scrollIntoView();
    }
  });

  const addCopy = (block) => {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = "Copied";
      window.setTimeout(() => {
        button.textContent = "Copy";
      }, 2000);
    });
    const frame = document.createElement("div");
    frame.className = "copied";
    block.replaceWith(frame);
    frame.append(block, button);
  };

  // Pages that came without TLS from another machine have no clipboard.
  if (navigator.clipboard) {
    document.querySelectorAll("main > header > pre, pre.example").forEach(addCopy);
  }
  document.body.classList.add("finds");
  byId("finder").hidden = false;
  show();
})();
