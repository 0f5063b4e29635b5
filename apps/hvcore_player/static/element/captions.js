/*
 * Which captions are shown, and that the choice is remembered.
 */

import { preferences, remember } from "./preferences.js";

const OFF = "off";
const REQUESTS = [
  "mediashowsubtitlesrequest",
  "mediadisablesubtitlesrequest",
];
const TOGGLE = "mediatogglesubtitlesrequest";

const parts = (tag) => {
  try {
    // zh-TW is written as zh-Hant is, and zh-CN is not.
    const { language, script, region } = new Intl.Locale(tag).maximize();
    return { language, script, region };
  } catch {
    return { language: tag.toLowerCase(), script: "", region: "" };
  }
};

const nearness = (tag, wanted) => {
  if (tag.toLowerCase() === wanted.toLowerCase()) {
    return 3;
  }
  const [one, other] = [parts(tag), parts(wanted)];
  if (one.language !== other.language || one.script !== other.script) {
    return 0;
  }
  return one.region === other.region ? 2 : 1;
};

/* The track whose language is closest to a wanted one, or undefined. */
const closest = (tracks, wanted) => {
  const near = tracks.map(({ language }) => nearness(language, wanted));
  const most = Math.max(0, ...near);
  return most > 0 ? tracks[near.indexOf(most)] : undefined;
};

export class Captions {
  #video;
  /* Of the page; "" leaves it to the viewer. */
  #wanted;
  /* What the page has called for meanwhile, for videos that come later too. */
  #asked = "";

  /** Args: controller takes the viewer's clicks; wanted returns a language, "off" or "". */
  constructor(video, controller, wanted) {
    this.#video = video;
    this.#wanted = wanted;
    video.textTracks.addEventListener("addtrack", ({ track }) => this.#added(track));
    REQUESTS.forEach((name) => {
      controller.addEventListener(name, () => queueMicrotask(() => this.#remember()));
    });
    // Before the controls hear of it, which know no language of the viewer.
    controller.addEventListener(TOGGLE, (event) => {
      event.stopImmediatePropagation();
      this.toggle();
    }, { capture: true });
  }

  get tracks() {
    return [...this.#video.textTracks].filter(({ kind }) =>
      kind === "subtitles" || kind === "captions");
  }

  /** The language that is shown, or null. */
  get language() {
    return this.tracks.find(({ mode }) => mode === "showing")?.language ?? null;
  }

  /** Show a language, or nothing (null); tell whether there is such a one. */
  show(language) {
    this.#asked = language || OFF;
    return this.#show(language);
  }

  /** Show again what was asked for last, if anybody has. */
  restore() {
    if (this.#asked) {
      this.#show(this.#asked === OFF ? null : this.#asked);
    }
  }

  #show(language) {
    const chosen = language && closest(this.tracks, language);
    this.tracks.forEach((track) => {
      track.mode = track === chosen ? "showing" : "disabled";
    });
    return Boolean(chosen) || !language;
  }

  /** Return those in the viewer's language, or the first ones; undefined if there are none. */
  preferred(tracks) {
    const wanted = [preferences().captions ?? "", this.#wanted(), ...navigator.languages];
    const found = wanted.filter((one) => one && one !== OFF)
      .map((one) => closest(tracks, one));
    return found.find(Boolean) ?? tracks[0];
  }

  /** Show captions in the viewer's language, or hide them; return what they are called. */
  toggle() {
    const preferred = this.preferred(this.tracks);
    if (!preferred) {
      return null;
    }
    this.#show(this.language === null ? preferred.language : null);
    this.#remember();
    return this.tracks.find(({ mode }) => mode === "showing")?.label ?? "";
  }

  #remember() {
    // The viewer has the last word.
    this.#asked = this.language ?? OFF;
    remember({ captions: this.language ?? OFF });
  }

  #added(track) {
    const wanted = this.#asked || this.#wanted() || preferences().captions;
    if (wanted && wanted !== OFF && !this.language && closest(this.tracks, wanted) === track) {
      track.mode = "showing";
    }
  }
}
