/*
 * Find routes by words, and by family; show examples in one language, with the reader's own
 * values. Without this script the page is complete, but for the search.
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

  const languages = ["curl", "Python", "JavaScript"];
  const choosers = [];

  const speak = (language) => {
    for (const block of document.querySelectorAll("pre[data-language]")) {
      const frame = block.closest(".copied") || block;
      frame.hidden = block.dataset.language !== language;
    }
    for (const button of choosers) {
      button.setAttribute("aria-pressed", String(button.textContent === language));
    }
  };

  const addChooser = (examples) => {
    const choices = document.createElement("div");
    choices.className = "choices languages";
    choices.setAttribute("role", "group");
    choices.setAttribute("aria-label", "Language of the examples");
    for (const language of languages) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = language;
      button.addEventListener("click", () => {
        // What is above gets higher or lower; the button stays where it was clicked.
        const before = button.getBoundingClientRect().top;
        speak(language);
        window.scrollBy(0, button.getBoundingClientRect().top - before);
      });
      choosers.push(button);
      choices.append(button);
    }
    examples.prepend(choices);
  };

  // The values stay in this page: nothing stores or sends them.
  for (const field of document.querySelectorAll("input[data-fills]")) {
    const places = [...document.querySelectorAll(`[data-fill="${field.dataset.fills}"]`)];
    const originals = places.map((place) => place.textContent);
    field.addEventListener("input", () => {
      // Quotes, dollars and backslashes would end or change the text around it.
      const value = field.value.trim().replace(/["'\\`$\s]/g, "");
      const shown = field.dataset.fills === "address" ? value.replace(/\/+$/, "") : value;
      places.forEach((place, number) => {
        place.textContent = shown || originals[number];
      });
    });
  }
  byId("own").addEventListener("submit", (event) => event.preventDefault());

  // Pages that came without TLS from another machine have no clipboard.
  if (navigator.clipboard) {
    document.querySelectorAll("pre.example").forEach(addCopy);
  }
  document.querySelectorAll(".examples").forEach(addChooser);
  speak(languages[0]);
  byId("own").hidden = false;
  document.body.classList.add("finds");
  byId("finder").hidden = false;
  show();
})();
