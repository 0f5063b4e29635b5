/*
 * <hv-player>: plays a video of hvcore.
 *
 * Its attributes, properties, methods and events are in docs/reference/player.md
 * and hv-player.d.ts.
 */

import { tokenOf, withoutToken } from "./element/addresses.js";
import { showPoster, showTitle } from "./element/appearance.js";
import { autoplay } from "./element/autoplay.js";
import { Captions } from "./element/captions.js";
import { guardFocus, makeControls, repairRoles, roundTimes, say } from "./element/controls.js";
import { press } from "./element/keys.js";
import { showLastPicture } from "./element/last-picture.js";
import { MediaApi } from "./element/media-api.js";
import { preferences, remember } from "./element/preferences.js";
import { showProblem } from "./element/problems.js";
import { renewStoryboard, showChapterMarks, showStoryboard } from "./element/side-tracks.js";
import { companions, Source } from "./element/source.js";
import { style } from "./element/style.js";

export class HvPlayer extends MediaApi {
  static observedAttributes = [
    "src", "token", "poster", "video-title", "logo", "logo-href", "loop", "muted", "duration",
    "no-controls", "transcript",
  ];

  /** What went wrong, or null. */
  error = null;
  #parts;
  #source = null;
  #captions = null;
  /* Of the present src, whichever came last: in it, the attribute, or a renewed one. */
  #token = null;
  /* What the playlist told; null until that is there. */
  #found = null;
  #wantsStoryboard = false;
  #stopsListening = null;
  /* A promise of them, from play on. */
  #reports = null;
  /* A promise of it, once it is wanted. */
  #transcript = null;
  /* Where it was when it was taken out of its page. */
  #left_s = 0;

  constructor() {
    super();
    const root = this.attachShadow({ mode: "open" });
    root.adoptedStyleSheets = [style];
    this.#parts = makeControls();
    this.repeatEvents();
    showLastPicture(this.video);
    this.#parts.retry.addEventListener("click", () => this.retry());
    this.video.addEventListener("volumechange", () => this.#rememberVolume());
    const begins = () => this.#wantStoryboard();
    this.video.addEventListener("play", begins);
    this.video.addEventListener("play", () => this.#reportSession());
    this.#parts.seekBar.addEventListener("pointerenter", begins);
    this.#captions = new Captions(this.video, this.#parts.controller, () =>
      this.getAttribute("captions") ?? "");
  }

  connectedCallback() {
    // The controls bring back what they showed, in a turn of their own after this one.
    setTimeout(() => setTimeout(() => this.#captions.restore()));
    if (this.#source) {
      // It was moved within its page, and plays on.
      return;
    }
    // The first time; later it is empty.
    this.shadowRoot.append(this.#parts.content);
    repairRoles(this.#parts);
    guardFocus(this.#parts);
    roundTimes(this.#parts);
    this.takeEarlyProperties();
    showTitle(this, this.#parts);
    this.#stopsListening = new AbortController();
    const { signal } = this.#stopsListening;
    const keys = this.hasAttribute("global-keys") ? window : this;
    keys.addEventListener("keydown", (event) => this.#press(event), { signal });
    this.#takeVolume();
    if (this.early?.has("currentTime")) {
      this.#left_s = this.video.currentTime;
    }
    if (this.early) {
      this.#token = this.getAttribute("token") || tokenOf(this.src);
    }
    this.early = null;
    this.#load(this.#left_s);
    this.#showTranscript();
    if (this.autoplay) {
      autoplay(this, this.video, this.#parts.unmute, signal);
    }
  }

  disconnectedCallback() {
    queueMicrotask(() => {
      if (!this.isConnected && this.#source) {
        this.#stopsListening.abort();
        this.#left_s = this.video.currentTime;
        this.#endReports();
        this.#unload();
      }
    });
  }

  attributeChangedCallback(name, before, now) {
    if (before === now) {
      return;
    }
    const take = {
      src: () => this.#takeSource(before, now),
      token: () => this.#takeToken(now),
      poster: () => this.#takeAddress(),
      "video-title": () => showTitle(this, this.#parts),
      logo: () => showTitle(this, this.#parts),
      "logo-href": () => showTitle(this, this.#parts),
      loop: () => {
        this.video.loop = now !== null;
      },
      muted: () => {
        this.video.muted = now !== null;
      },
      duration: () => this.#parts.controller.setAttribute("defaultduration", now ?? ""),
      "no-controls": () => this.#parts.controller.toggleAttribute("gesturesdisabled", now !== null),
      transcript: () => this.#showTranscript(),
    };
    take[name]();
  }

  /** The video element that plays. */
  get video() {
    return this.#parts.video;
  }

  get duration() {
    const { duration } = this.video;
    return Number.isFinite(duration) ? duration : Number(this.getAttribute("duration")) || NaN;
  }

  /** Pictures in a second. */
  get frameRate() {
    return this.#source?.engine?.frameRate ?? 30;
  }

  /** Where playback begins, in seconds. */
  get startTime() {
    return Number(this.getAttribute("start-time")) || 0;
  }

  set startTime(at_s) {
    this.setAttribute("start-time", String(at_s));
  }

  /** The token of a private video; another one is used from the next request on. */
  get token() {
    return this.#source?.token ?? this.#token ?? this.getAttribute("token");
  }

  set token(given) {
    // A signed address is as good.
    const token = given ? tokenOf(given) ?? given : "";
    if (token) {
      this.setAttribute("token", token);
    } else {
      this.removeAttribute("token");
    }
  }

  get preload() {
    return this.getAttribute("preload") === "none" ? "none" : "metadata";
  }

  /** The language of the captions that are shown, or null; another one shows those. */
  get captions() {
    return this.#captions.language;
  }

  set captions(language) {
    this.#captions.show(language);
  }

  /** The languages that there are captions in. */
  get captionLanguages() {
    return this.#captions.tracks.map(({ language }) => language);
  }

  /**
   * Play; settled when it does.
   *
   * As of HTMLMediaElement, an AbortError tells that another video was to be played first.
   */
  async play() {
    const source = this.#source;
    await source?.attached;
    if (source !== this.#source) {
      throw new DOMException("Another video has taken its place.", "AbortError");
    }
    return this.video.play();
  }

  /** Try again after an error. */
  retry() {
    this.#source?.retry();
  }

  /** Show or hide captions; return what they are called, "" if hidden, null if there are none. */
  toggleCaptions() {
    return this.#captions.toggle();
  }

  toggleFullscreen() {
    const isFull = this.#parts.controller.hasAttribute("mediaisfullscreen");
    this.#request(isFull ? "mediaexitfullscreenrequest" : "mediaenterfullscreenrequest");
  }

  togglePictureInPicture() {
    const isSmall = this.#parts.controller.hasAttribute("mediaispip");
    this.#request(isSmall ? "mediaexitpiprequest" : "mediaenterpiprequest");
  }

  #request(name) {
    this.#parts.controller.dispatchEvent(new CustomEvent(name, { composed: true, bubbles: true }));
  }

  #press(event) {
    if (this.hasAttribute("no-keys")) {
      return;
    }
    const text = press(event, this);
    if (text) {
      say(this.#parts.note, text);
    }
  }

  #takeVolume() {
    const { volume, muted } = preferences();
    // What its page has set stays; a moved player keeps what it has.
    if (this.early && !this.early.has("volume")) {
      this.video.volume = volume ?? 1;
    }
    if (this.early && !this.early.has("muted")) {
      this.video.muted = this.hasAttribute("muted") || (muted && !this.autoplay);
    }
  }

  /* Only what a viewer did: pages and browsers may want it muted. */
  #rememberVolume() {
    const { volume, muted } = this.video;
    if (navigator.userActivation?.hasBeenActive !== false) {
      remember({ volume, muted });
    }
  }

  /* Whatever was asked for the source before this one is dropped with it. */
  #load(from_s = 0) {
    this.#unload();
    this.#source = new Source(this, this.video, { token: this.#token, from_s }, {
      changed: () => this.#takeAddress(),
      ready: (found) => this.#takeFound(found),
      problem: (error) => this.#takeError(error),
      renewed: (token) => this.#takeToken(token),
      restart: (at_s) => {
        this.#load(at_s);
        this.play().catch(() => {});
      },
    });
    this.#source.load();
    this.#loadReports();
  }

  #unload() {
    this.#source?.destroy();
    this.#source = null;
    this.#takeError(null);
  }

  #takeSource(before, now) {
    const given = tokenOf(now ?? "");
    this.#token = given ?? this.getAttribute("token");
    if (given && this.#source && withoutToken(before ?? "") === withoutToken(now)) {
      this.#source.token = given;
      return;
    }
    this.#endReports();
    this.#found = null;
    this.#wantsStoryboard = false;
    this.#left_s = 0;
    showStoryboard(this.video, "");
    showChapterMarks(this.video, "");
    if (this.#source) {
      this.#load();
    }
  }

  #takeToken(now) {
    this.#token = now;
    if (this.#source) {
      this.#source.token = now;
    }
  }

  /* The address of the playlist, or its token, is another one. */
  #takeAddress() {
    showPoster(this, this.#parts);
    if (this.#source?.token && !renewStoryboard(this.video, this.#source.token)) {
      this.#showStoryboard();
    }
  }

  #takeFound(found) {
    this.#found = found;
    showChapterMarks(this.video, this.#beside.chapters);
    this.#showStoryboard();
  }

  /* With the token of now. */
  get #beside() {
    return companions(this, this.#source.address, this.#found);
  }

  /* Who moves to the seek bar or plays has use for it. */
  #wantStoryboard() {
    this.#wantsStoryboard = true;
    this.#source?.whenFresh(() => this.#showStoryboard());
  }

  #showStoryboard() {
    if (this.#wantsStoryboard && this.#found !== null && !renewStoryboard(this.video, this.token)) {
      showStoryboard(this.video, this.#beside.storyboard, () =>
        renewStoryboard(this.video, this.token));
    }
  }

  /* Only where they are wanted. */
  async #loadReports() {
    return this.#wants("session-reports")
      ? import("./element/session-reports.js").catch(() => null)
      : null;
  }

  #wants(name) {
    return !/^(off|0|false)$/.test(this.getAttribute(name) ?? "off");
  }

  async #showTranscript() {
    if (this.isConnected && this.#wants("transcript")) {
      this.#transcript ??= import("./transcript/panel.js").then((script) =>
        new script.TranscriptPanel(this, () => this.#source, this.#captions)).catch(() => {
        this.#transcript = null;
      });
    }
    (await this.#transcript)?.update();
  }

  #reportSession() {
    const pressed_ms = performance.now();
    this.#reports ??= this.#loadReports().then((script) => script?.reportsOf(this.video,
      () => this.#source, pressed_ms));
  }

  #endReports() {
    this.#reports?.then((reports) => reports?.end());
    this.#reports = null;
  }

  #takeError(error) {
    const isNew = error !== null && error !== this.error;
    if (isNew && this.error === null) {
      this.#reports?.then((reports) => reports?.fail());
    }
    this.error = error;
    showProblem(this.#parts.problem, error, this.hasAttribute("single-view"));
    if (isNew) {
      this.dispatchEvent(new Event("error"));
    }
  }
}

if (!customElements.get("hv-player")) {
  customElements.define("hv-player", HvPlayer);
}
