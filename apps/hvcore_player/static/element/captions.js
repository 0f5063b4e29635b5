/*
 * Which captions are shown, and that the choice is remembered.
 */

import { closest } from "./languages.js";
import { preferences, remember } from "./preferences.js";

const OFF = "off";
const REQUESTS = [
  "mediashowsubtitlesrequest",
  "mediadisablesubtitlesrequest",
];
const TOGGLE = "mediatogglesubtitlesrequest";

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

  /** Show captions in the viewer's language, or hide them; return what they are called. */
  toggle() {
    const { tracks } = this;
    if (tracks.length === 0) {
      return null;
    }
    const wanted = [preferences().captions ?? "", this.#wanted(), ...navigator.languages];
    const found = wanted.filter((one) => one && one !== OFF)
      .map((one) => closest(tracks, one));
    const isShown = this.language !== null;
    this.#show(isShown ? null : (found.find(Boolean) ?? tracks[0]).language);
    this.#remember();
    return tracks.find(({ mode }) => mode === "showing")?.label ?? "";
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
