/*
 * Make an element look like HTMLMediaElement: its properties, methods and events
 * are those of the video in it. What there is to choose from is here, too.
 */

const READ = [
  "buffered", "currentSrc", "ended", "networkState", "paused", "played", "readyState",
  "seekable", "seeking", "textTracks", "videoHeight", "videoWidth", "videoRenditions",
  "audioTracks",
];
const WRITTEN = ["currentTime", "defaultPlaybackRate", "muted", "playbackRate", "volume"];
const METHODS = ["canPlayType", "focus", "pause", "requestPictureInPicture"];
const EVENTS = [
  "abort", "canplay", "canplaythrough", "durationchange", "emptied", "ended",
  "enterpictureinpicture", "leavepictureinpicture", "loadeddata", "loadedmetadata",
  "loadstart", "pause", "play", "playing", "progress", "ratechange", "resize", "seeked",
  "seeking", "stalled", "suspend", "timeupdate", "volumechange", "waiting",
];

const shorterSide = ({ width, height }) => Math.min(width, height);

/** A class of elements; what extends it has the video as this.video. */
export class MediaApi extends HTMLElement {
  /* The properties that were set before it was in a page; null from then on. */
  early = new Set();

  /**
   * Take what was set before this class was there: React 19 and Vue set properties.
   *
   * Else such a value would hide the property of the same name for ever.
   */
  takeEarlyProperties() {
    Object.keys(this).filter((name) => name in MediaApi.prototype || name in this.constructor.prototype)
      .forEach((name) => {
        const value = this[name];
        delete this[name];
        this[name] = value;
      });
  }

  /** What a viewer has chosen: the shorter side in pixels, or "auto". */
  get quality() {
    const { videoRenditions: list } = this;
    return list.selectedIndex < 0 ? "auto" : shorterSide(list[list.selectedIndex]);
  }

  set quality(wanted) {
    const { videoRenditions: list } = this;
    list.selectedIndex = [...list].findIndex((one) => shorterSide(one) === Number(wanted));
  }

  /** What there is to choose from, the smallest first. */
  get qualities() {
    return [...new Set([...this.videoRenditions].map(shorterSide))].sort((a, b) => a - b);
  }

  /** The language of the sound, or null if there is nothing to choose from. */
  get sound() {
    return [...this.audioTracks].find(({ enabled }) => enabled)?.language ?? null;
  }

  set sound(language) {
    const found = [...this.audioTracks].find((track) => track.language === language);
    if (found) {
      found.enabled = true;
    }
  }

  /** The languages of all sounds. */
  get sounds() {
    return [...this.audioTracks].map(({ language }) => language);
  }

  /** Repeat the video's events, which do not leave the shadow tree. */
  repeatEvents() {
    EVENTS.forEach((name) => {
      this.video.addEventListener(name, () => this.dispatchEvent(new Event(name)));
    });
  }
}

READ.forEach((name) => {
  Object.defineProperty(MediaApi.prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      return this.video[name];
    },
  });
});

WRITTEN.forEach((name) => {
  Object.defineProperty(MediaApi.prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      return this.video[name];
    },
    set(value) {
      this.video[name] = value;
      this.early?.add(name);
      if (name === "playbackRate" && this.early) {
        // Loading begins at the default rate.
        this.video.defaultPlaybackRate = value;
      }
    },
  });
});

METHODS.forEach((name) => {
  MediaApi.prototype[name] = function (...args) {
    return this.video[name](...args);
  };
});

["autoplay", "loop"].forEach((name) => {
  Object.defineProperty(MediaApi.prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      return this.hasAttribute(name);
    },
    set(value) {
      this.toggleAttribute(name, Boolean(value));
    },
  });
});

["src", "poster"].forEach((name) => {
  Object.defineProperty(MediaApi.prototype, name, {
    configurable: true,
    enumerable: true,
    get() {
      return this.getAttribute(name) ?? "";
    },
    set(value) {
      this.setAttribute(name, value);
    },
  });
});
