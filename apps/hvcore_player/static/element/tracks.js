/*
 * What a viewer chooses from: qualities and sounds, as lists like those of
 * HTMLMediaElement. The controls read them from the video element.
 */

/** A list that tells of its changes. */
class TrackList extends EventTarget {
  length = 0;

  [Symbol.iterator]() {
    return Array.prototype[Symbol.iterator].call(this);
  }

  /** Put other items in place of all that it has. */
  fill(items) {
    this.emptied?.();
    while (this.length > 0) {
      this.length -= 1;
      delete this[this.length];
      this.dispatchEvent(new Event(this.removed));
    }
    items.forEach((item) => {
      this[this.length] = item;
      this.length += 1;
      this.dispatchEvent(new Event(this.added));
    });
  }
}

/** The qualities; a selectedIndex of -1 leaves the choice to the player. */
export class RenditionList extends TrackList {
  added = "addrendition";
  removed = "removerendition";
  #selected = -1;

  get selectedIndex() {
    return this.#selected;
  }

  /* The choice was of those that it had. */
  emptied() {
    if (this.#selected >= 0) {
      this.selectedIndex = -1;
    }
  }

  set selectedIndex(index) {
    this.#selected = index >= 0 && index < this.length ? index : -1;
    this.dispatchEvent(new Event("change"));
  }
}

/** The sounds, of which one is enabled. */
export class AudioTrackList extends TrackList {
  added = "addtrack";
  removed = "removetrack";

  /** The place of the one that is enabled. */
  get enabledIndex() {
    return [...this].findIndex((track) => track.enabled);
  }
}

/** A sound; enabling it disables the others. */
class AudioTrack {
  #list;
  #enabled;

  constructor(list, { id, label, language, enabled }) {
    this.#list = list;
    this.#enabled = enabled;
    Object.assign(this, { id, label, language, kind: "main" });
  }

  get enabled() {
    return this.#enabled;
  }

  set enabled(value) {
    // Nothing is without sound: another one has to be enabled for that.
    // One of a video before this one is in no list any more.
    if (!value || this.#enabled || ![...this.#list].includes(this)) {
      return;
    }
    [...this.#list].forEach((track) => {
      track.#enabled = track === this;
    });
    this.#list.dispatchEvent(new Event("change"));
  }
}

/** Make the sounds of a list. */
export const audioTracks = (list, found) =>
  found.map((one) => new AudioTrack(list, one));

/** Return what a language calls itself, as captions without a title are called, too. */
export const languageName = (language) => {
  try {
    const name = new Intl.DisplayNames([language], { type: "language" }).of(language);
    return name ? name.charAt(0).toLocaleUpperCase(language) + name.slice(1) : language;
  } catch {
    return language;
  }
};
