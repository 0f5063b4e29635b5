/*
 * The cues of a transcript as a list: which one is spoken, where the reader is, and what
 * was found. Films have thousands of them: they are drawn in slices, and the browser
 * lays out those alone that are seen.
 */

import { inSlices } from "./slices.js";

/* Laid out together, or not at all. */
const PART_CUES = 50;
/* Times of players are a little less than what they were set to. */
const SLACK_S = 0.02;
const RTL_SCRIPTS = ["Arab", "Hebr", "Thaa", "Syrc", "Nkoo", "Adlm", "Rohg", "Mand", "Samr"];

const make = (name, attributes, ...content) => {
  const made = document.createElement(name);
  Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
  made.append(...content);
  return made;
};

const clock = (at_s) => {
  const whole_s = Math.floor(at_s);
  const [hours, minutes, seconds] =
    [Math.floor(whole_s / 3600), Math.floor(whole_s / 60) % 60, whole_s % 60];
  const two = (part) => String(part).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(seconds)}` : `${minutes}:${two(seconds)}`;
};

const directionOf = (language) => {
  try {
    return RTL_SCRIPTS.includes(new Intl.Locale(language).maximize().script) ? "rtl" : "ltr";
  } catch {
    return "ltr";
  }
};

/* The text of a cue, with what was found in it marked; never more than text. */
const markedText = (text, marks) => {
  let done = 0;
  const pieces = marks.flatMap(({ from, to, isChosen }) => {
    const before = text.slice(done, from);
    done = to;
    return [before, make("mark", isChosen ? { class: "chosen" } : {}, text.slice(from, to))];
  });
  return [...pieces, text.slice(done)];
};

export class CueList {
  #place;
  #tell;
  #cues = [];
  #buttons = [];
  #drawing = new AbortController();
  #marking = new AbortController();
  /* By cue. */
  #marks = new Map();
  #current = -1;
  /* Which of them the Tab key comes to. */
  #entry = -1;
  #follows = true;

  /**
   * Args:
   *   place: The element to draw in, which scrolls.
   *   tell: What is called: chosen(cue), and followed(isFollowing).
   */
  constructor(place, tell) {
    this.#place = place;
    this.#tell = tell;
    place.addEventListener("click", (event) => this.#click(event));
    place.addEventListener("keydown", (event) => this.#press(event));
    place.addEventListener("focusin", (event) => this.#enter(this.#indexOf(event)));
    // What only readers do: the list scrolls by itself, too.
    ["wheel", "touchmove"].forEach((name) => {
      place.addEventListener(name, () => this.follow(false), { passive: true });
    });
    place.addEventListener("pointerdown", ({ target }) => {
      if (target === place) {
        // The bar.
        this.follow(false);
      }
    });
  }

  get current() {
    return this.#current;
  }

  /** Show other cues, in a language. */
  show(cues, language) {
    this.#drawing.abort();
    this.#marking.abort();
    this.#drawing = new AbortController();
    this.#cues = cues;
    this.#buttons = [];
    this.#marks = new Map();
    this.#current = -1;
    this.#entry = -1;
    this.#place.replaceChildren();
    this.#place.scrollTop = 0;
    this.#place.lang = language;
    this.#place.dir = directionOf(language);
    this.#place.hidden = cues.length === 0;
    this.follow(true);
    inSlices(this.#draw(cues.length), this.#drawing.signal);
    this.#enter(0);
  }

  /** Mark the cue that is spoken at a moment, the last one that has begun. */
  markTime(at_s) {
    const current = this.#lastBegun(at_s + SLACK_S);
    if (current === this.#current) {
      return;
    }
    this.#buttons[this.#current]?.removeAttribute("aria-current");
    this.#current = current;
    if (current < 0) {
      return;
    }
    this.#button(current).setAttribute("aria-current", "true");
    if (!this.#place.contains(this.#focused)) {
      this.#enter(current);
    }
    if (this.#follows) {
      this.reveal(current);
    }
  }

  /** Follow what is spoken, or stay where the reader is. */
  follow(isFollowing) {
    this.#follows = isFollowing;
    this.#tell.followed(isFollowing);
    if (isFollowing && this.#current >= 0) {
      this.reveal(this.#current);
    }
  }

  /** Give the focus to the cue that the Tab key comes to. */
  focus() {
    this.#buttons[this.#entry]?.focus({ preventScroll: true });
  }

  /** Scroll the list, and nothing around it, to a cue. */
  reveal(index) {
    const place = this.#place;
    const above = this.#button(index).getBoundingClientRect().top - place.getBoundingClientRect().top;
    place.scrollTop += above - place.clientHeight / 3;
  }

  /** The first cue that is seen whole or in part. */
  get firstSeen() {
    const { left, top, width } = this.#place.getBoundingClientRect();
    const found = this.#place.getRootNode().elementFromPoint(left + width / 2, top + 1);
    return Math.max(0, found ? this.#indexOf({ target: found }) : 0);
  }

  /** Mark hits of a search, and the chosen one among them. */
  markHits(hits, chosen) {
    this.#marking.abort();
    this.#marking = new AbortController();
    const before = this.#marks;
    this.#marks = new Map();
    hits.forEach((hit, place) => hit.parts.forEach(({ cue, from, to }) => {
      const marks = this.#marks.get(cue) ?? [];
      marks.push({ from, to, isChosen: place === chosen });
      this.#marks.set(cue, marks);
    }));
    const first = hits[chosen]?.parts.map(({ cue }) => cue) ?? [];
    const cues = new Set([...first, ...before.keys(), ...this.#marks.keys()]);
    inSlices(this.#drawMarks(cues), this.#marking.signal);
  }

  *#draw(end) {
    while (this.#buttons.length < end) {
      const index = this.#buttons.length;
      if (index % PART_CUES === 0) {
        this.#place.append(make("div", { class: "part" }));
      }
      const { start_s, text } = this.#cues[index];
      const button = make("button", { type: "button", tabindex: "-1", "data-cue": index },
        make("span", { class: "time" }, clock(start_s)),
        make("span", { class: "text" }, ...markedText(text, this.#marks.get(index) ?? [])));
      this.#place.lastElementChild.append(make("div", { role: "listitem" }, button));
      this.#buttons.push(button);
      yield;
    }
  }

  *#drawMarks(cues) {
    for (const cue of cues) {
      // One that is not there yet is drawn with its marks.
      this.#buttons[cue]?.lastElementChild
        .replaceChildren(...markedText(this.#cues[cue].text, this.#marks.get(cue) ?? []));
      yield;
    }
  }

  /* Draws all before it, if they are not there yet. */
  #button(index) {
    [...this.#draw(index + 1)];
    return this.#buttons[index];
  }

  #lastBegun(at_s) {
    let [low, high] = [0, this.#cues.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#cues[middle].start_s <= at_s) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  get #focused() {
    return this.#place.getRootNode().activeElement;
  }

  #indexOf({ target }) {
    const button = target.closest("button");
    return button ? Number(button.dataset.cue) : -1;
  }

  #enter(index) {
    if (index < 0 || index >= this.#cues.length) {
      return;
    }
    this.#buttons[this.#entry]?.setAttribute("tabindex", "-1");
    this.#entry = index;
    this.#button(index).setAttribute("tabindex", "0");
  }

  #click(event) {
    const index = this.#indexOf(event);
    if (index >= 0) {
      this.follow(true);
      this.#tell.chosen(this.#cues[index]);
    }
  }

  #press(event) {
    const at = this.#indexOf(event);
    const last = this.#cues.length - 1;
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: last }[event.key];
    if (["PageUp", "PageDown"].includes(event.key)) {
      this.follow(false);
    }
    if (to === undefined || at < 0 || event.ctrlKey || event.altKey || event.metaKey) {
      return;
    }
    // Else the player seeks, and the page scrolls.
    event.preventDefault();
    this.follow(false);
    const button = this.#button(Math.min(last, Math.max(0, to)));
    button.focus({ preventScroll: true });
    this.#showWhole(button);
  }

  #showWhole(button) {
    const [inner, outer] = [button, this.#place].map((one) => one.getBoundingClientRect());
    if (inner.top < outer.top) {
      this.#place.scrollTop -= outer.top - inner.top;
    } else if (inner.bottom > outer.bottom) {
      this.#place.scrollTop += inner.bottom - outer.bottom;
    }
  }
}
