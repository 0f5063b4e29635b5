/*
 * The transcript of a video: what is said, beside the picture. It follows the sound, leads
 * to a moment, and can be searched (docs/how-to/embed.md).
 *
 * Loaded only where the page wants it. The texts are those of the captions file, and come
 * into the page as texts alone.
 */

import { beside, tokenOf } from "../element/addresses.js";
import { CueList } from "./cue-list.js";
import { arrange } from "./place.js";
import { MAX_HITS, Search } from "./search.js";
import { style } from "./style.js";
import { cuesOf } from "./webvtt.js";

const SEARCH_AFTER_MS = 200;
const OFF = /^(off|0|false)$/;

const icon = (path) => `<svg viewBox="0 0 24 24" aria-hidden="true"><path d="${path}"/></svg>`;

const MARKUP = `
<section class="transcript" part="transcript" aria-labelledby="transcript-title" hidden>
  <header>
    <h2 id="transcript-title">Transcript <span dir="auto"></span></h2>
    <button type="button" class="close" aria-label="Close the transcript">${icon("M6 6l12 12M18 6 6 18")}</button>
  </header>
  <div class="search" role="search">
    <input type="search" aria-label="Search the transcript" placeholder="Search" autocomplete="off">
    <span class="count" role="status"></span>
    <button type="button" class="previous" aria-label="Previous match" disabled>${icon("m5 15 7-7 7 7")}</button>
    <button type="button" class="next" aria-label="Next match" disabled>${icon("m5 9 7 7 7-7")}</button>
  </div>
  <p class="message" role="status"></p>
  <button type="button" class="again" hidden>Try again</button>
  <div class="cues" role="list" aria-label="What is said" hidden></div>
  <button type="button" class="follow" hidden>Follow</button>
</section>
<button type="button" class="transcript-button" aria-label="Transcript" hidden>
  ${icon("M4 6h16M4 11h16M4 16h10")}</button>`;

export class TranscriptPanel {
  #player;
  #sourceOf;
  #captions;
  #parts = {};
  #list;
  #search = new Search([]);
  #hits = [];
  #chosen = -1;
  #typing = 0;
  #updating = 0;
  /* Of which file the cues are, or are to be. */
  #source = null;
  #language = null;
  #loading = new AbortController();
  /* "beside", "below", "over", or null; and of which size of the player that is. */
  #place = null;
  #arranged = "";
  #wasShown = false;

  /**
   * Args:
   *   sourceOf: Returns the source that plays, or null.
   *   captions: Of the player.
   */
  constructor(player, sourceOf, captions) {
    this.#player = player;
    this.#sourceOf = sourceOf;
    this.#captions = captions;
    const root = player.shadowRoot;
    root.adoptedStyleSheets.push(style);
    const template = document.createElement("template");
    template.innerHTML = MARKUP;
    const find = (selector) => template.content.querySelector(selector);
    const names = ["close", "count", "previous", "next", "message", "again", "cues", "follow"];
    this.#parts = {
      ...Object.fromEntries(names.map((name) => [name, find(`.${name}`)])),
      panel: find(".transcript"),
      button: find(".transcript-button"),
      language: find("h2 span"),
      input: find("input"),
      controller: root.querySelector("media-controller"),
    };
    this.#list = new CueList(this.#parts.cues, {
      chosen: ({ start_s }) => this.#seek(start_s),
      followed: (isFollowing) => {
        this.#parts.follow.hidden = isFollowing;
      },
    });
    this.#listen();
    root.querySelector("media-captions-button").before(this.#parts.button);
    root.append(this.#parts.panel);
  }

  /** Show what the attribute says, of the captions that are there. */
  update() {
    clearTimeout(this.#updating);
    const playing = this.#isWanted ? this.#sourceOf() : null;
    const source = playing?.address ? playing : null;
    const track = source && this.#trackOf(source);
    const isOffered = Boolean(track) || (source !== null && !this.#isKnown(source));
    const { panel, button, language } = this.#parts;
    button.hidden = !isOffered;
    panel.hidden = !isOffered || !this.#isOpen;
    this.#arrange();
    button.setAttribute("aria-expanded", String(!panel.hidden));
    language.textContent = track?.label || track?.language || "";
    const isOther = source !== this.#source || (track?.language ?? null) !== this.#language;
    if (this.#source !== null && isOther) {
      this.#forget();
    }
    if (!panel.hidden && track && this.#language === null) {
      this.#load(source, track.language);
    } else if (!panel.hidden && !track) {
      this.#say("It is shown here once the video plays.");
    }
  }

  get #attribute() {
    return this.#player.getAttribute("transcript") ?? "off";
  }

  get #isWanted() {
    return !OFF.test(this.#attribute);
  }

  get #isOpen() {
    return this.#attribute !== "closed";
  }

  /* Whether the playlist has told which captions there are; browsers' own HLS tells late. */
  #isKnown({ engine }) {
    const { video } = this.#player;
    return video.readyState > 0 || (Boolean(engine?.captions) && video.videoRenditions.length > 0);
  }

  /* Once captions are off, those that they were. */
  #trackOf({ engine }) {
    const [shown, named] = [this.#captions.tracks, engine?.captions ?? []];
    const tracks = shown.length > 0 ? shown : named;
    return tracks.find(({ mode }) => mode === "showing")
      ?? tracks.find(({ language }) => language === this.#language)
      ?? this.#captions.preferred(tracks);
  }

  #listen() {
    const { panel, button, close, input, previous, next, again, follow } = this.#parts;
    const { video } = this.#player;
    const soon = () => {
      clearTimeout(this.#updating);
      this.#updating = setTimeout(() => this.update());
    };
    ["addtrack", "removetrack", "change"].forEach((name) => {
      video.textTracks.addEventListener(name, soon);
    });
    ["addrendition", "removerendition"].forEach((name) => {
      video.videoRenditions.addEventListener(name, soon);
    });
    ["emptied", "loadedmetadata"].forEach((name) => video.addEventListener(name, soon));
    ["timeupdate", "seeking"].forEach((name) => {
      video.addEventListener(name, () => this.#followTime());
    });
    video.addEventListener("resize", () => this.#arrange());
    new ResizeObserver(() => this.#arrange()).observe(this.#player);
    button.addEventListener("click", () => this.#open(panel.hidden));
    close.addEventListener("click", () => this.#open(false));
    follow.addEventListener("click", () => {
      this.#list.follow(true);
      this.#list.focus();
    });
    again.addEventListener("click", () => {
      this.#forget();
      this.update();
    });
    previous.addEventListener("click", () => this.#go(-1));
    next.addEventListener("click", () => this.#go(1));
    input.addEventListener("input", () => {
      clearTimeout(this.#typing);
      this.#typing = setTimeout(() => this.#find(), SEARCH_AFTER_MS);
    });
    panel.addEventListener("keydown", (event) => this.#press(event));
  }

  #arrange() {
    const isShown = !this.#parts.panel.hidden;
    const stateOf = ({ clientWidth, clientHeight }) => `${isShown} ${clientWidth} ${clientHeight}`;
    if (this.#arranged === stateOf(this.#player)) {
      return;
    }
    this.#place = arrange(this.#player, this.#parts.controller, isShown);
    this.#arranged = stateOf(this.#player);
    if (this.#place === "over" && !this.#wasShown) {
      // Not before somebody asks for it: it hides the picture.
      this.#player.setAttribute("transcript", "closed");
    }
    this.#wasShown ||= this.#place !== null;
  }

  #open(isOpen) {
    const { button, close } = this.#parts;
    this.#wasShown = true;
    this.#player.setAttribute("transcript", isOpen ? "open" : "closed");
    // At once: what has the focus must be there.
    this.update();
    if (this.#place === "over") {
      close.focus();
    } else if (!isOpen) {
      button.focus();
    }
  }

  #seek(at_s) {
    const player = this.#player;
    player.currentTime = at_s;
    if (player.readyState === 0) {
      // Nothing would be seen of it.
      player.play().catch(() => {});
    }
  }

  #followTime() {
    if (!this.#parts.panel.hidden) {
      this.#list.markTime(this.#player.currentTime);
    }
  }

  #forget() {
    this.#loading.abort();
    this.#source = null;
    this.#language = null;
    this.#take([], "");
    this.#say("");
  }

  async #load(source, language) {
    this.#loading = new AbortController();
    const { signal } = this.#loading;
    this.#source = source;
    this.#language = language;
    this.#say("Loading…");
    try {
      await new Promise((done) => source.whenFresh(done));
      const file = await this.#fetch(source, language, signal);
      if (!signal.aborted) {
        this.#take(cuesOf(file), language);
        this.#say("");
      }
    } catch {
      if (!signal.aborted) {
        this.#say("The transcript could not be loaded.", true);
      }
    }
  }

  async #fetch(source, language, signal) {
    const ask = () => fetch(beside(source.address, `captions-${language}.vtt`), { signal });
    const token = tokenOf(source.address);
    let answer = await ask();
    if (answer.status === 401 && await source.replaceToken(token)) {
      answer = await ask();
    }
    if (!answer.ok) {
      throw new Error(`status ${answer.status}`);
    }
    return answer.text();
  }

  #take(cues, language) {
    this.#list.show(cues, language);
    this.#search = new Search(cues.map(({ text }) => text));
    this.#find();
    if (this.#player.played.length > 0) {
      this.#followTime();
    }
  }

  #say(text, mayTryAgain = false) {
    const { message, again } = this.#parts;
    if (message.textContent !== text) {
      message.textContent = text;
    }
    again.hidden = !mayTryAgain;
  }

  #find() {
    clearTimeout(this.#typing);
    this.#typing = 0;
    const { input, previous, next } = this.#parts;
    this.#hits = this.#search.find(input.value);
    this.#chosen = -1;
    previous.disabled = next.disabled = this.#hits.length === 0;
    if (this.#hits.length > 0) {
      const from = this.#list.firstSeen;
      const found = this.#hits.findIndex(({ cue }) => cue >= from);
      this.#choose(Math.max(0, found));
      return;
    }
    this.#list.markHits([], -1);
    this.#count(input.value.trim() && this.#language !== null ? "None" : "");
  }

  #go(by) {
    const { length } = this.#hits;
    if (length > 0) {
      this.#choose((this.#chosen + by + length) % length);
    }
  }

  #choose(chosen) {
    const { length } = this.#hits;
    this.#chosen = chosen;
    this.#list.markHits(this.#hits, chosen);
    this.#list.follow(false);
    this.#list.reveal(this.#hits[chosen].cue);
    const all = length === MAX_HITS ? `${MAX_HITS}+` : length;
    this.#count(`${chosen + 1} of ${all}`);
  }

  #count(text) {
    this.#parts.count.textContent = text;
  }

  #press(event) {
    const { input } = this.#parts;
    const isTyping = event.composedPath().includes(input);
    if (isTyping && event.key === "Enter") {
      event.preventDefault();
      if (this.#hits.length === 0 || this.#typing) {
        this.#find();
      } else {
        this.#go(event.shiftKey ? -1 : 1);
      }
    } else if (event.key === "Escape" && isTyping && input.value) {
      event.preventDefault();
      input.value = "";
      this.#find();
    } else if (event.key === "Escape" && this.#place === "over") {
      event.preventDefault();
      this.#open(false);
    }
  }
}
