/*
 * For pages that have the player in an iframe: steer it, hear of it, and keep
 * private videos playing. Import it as it is; docs/reference/player.md has examples.
 */

const CALL = "hv-player:call";
const ANSWER = "hv-player:answer";
const EVENT = "hv-player:event";
const ASK_AGAIN_MS = 250;
const ANSWERS_WITHIN_MS = 15_000;

/** The player in an iframe; its events have the names of HTMLMediaElement's. */
export class FramePlayer extends EventTarget {
  /** What the player last said of itself. */
  state = null;
  #iframe;
  #origin;
  #calls = new Map();
  #next = 1;
  #hear = (event) => this.#take(event);

  constructor(iframe) {
    super();
    this.#iframe = iframe;
    // A token goes to the player alone, whatever is in the frame by now.
    this.#origin = new URL(iframe.src, document.baseURI).origin;
    window.addEventListener("message", this.#hear);
  }

  /** Call a method of the player; settled with its state. */
  call(method, ...args) {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      this.#calls.set(id, { resolve, reject });
      this.#iframe.contentWindow?.postMessage({ type: CALL, id, method, args }, this.#origin);
    });
  }

  /** Hear nothing more of it; calls that wait for an answer fail. */
  disconnect() {
    window.removeEventListener("message", this.#hear);
    this.#calls.forEach(({ reject }) => reject(new Error("The player was disconnected.")));
    this.#calls.clear();
  }

  #take({ source, origin, data }) {
    if (source !== this.#iframe.contentWindow || origin !== this.#origin) {
      return;
    }
    if (data?.type === ANSWER) {
      this.state = data.state;
      const call = this.#calls.get(data.id);
      this.#calls.delete(data.id);
      if (data.error) {
        call?.reject(new Error(data.error));
      } else {
        call?.resolve(data.state);
      }
    } else if (data?.type === EVENT) {
      this.state = data.state;
      this.dispatchEvent(new CustomEvent(data.event, { detail: data }));
    }
  }
}

[
  "play", "pause", "seek", "setVolume", "setMuted", "setPlaybackRate", "setLoop",
  "setQuality", "setCaptions", "setSound", "setToken",
].forEach((method) => {
  FramePlayer.prototype[method] = function (...args) {
    return this.call(method, ...args);
  };
});

/**
 * Wait for the player in an iframe.
 *
 * Args:
 *   renewToken: Returns a promise of a new token (or signed address) when one is
 *     needed; the old one is still good for a while then.
 *   timeoutMs: How long to wait; then the promise is rejected.
 */
export const connect = async (iframe, { renewToken, timeoutMs = ANSWERS_WITHIN_MS } = {}) => {
  const player = new FramePlayer(iframe);
  if (renewToken) {
    player.addEventListener("tokenexpiring", async () => {
      const token = await renewToken();
      if (token) {
        await player.setToken(token);
      }
    });
  }
  // It may have been ready before anybody listened, or be still on its way.
  const wait = {};
  try {
    await new Promise((done, fail) => {
      // The others fail when one has been answered, and nobody waits for them.
      const ask = () => player.call("getState").then(done, () => {});
      wait.again = setInterval(ask, ASK_AGAIN_MS);
      wait.end = setTimeout(() => fail(new Error(
        `The frame has not answered within ${timeoutMs / 1000} s. Its src must be the ` +
        "address of a player's page that may be embedded here.",
      )), timeoutMs);
      ask();
    });
  } catch (cause) {
    player.disconnect();
    throw cause;
  } finally {
    clearInterval(wait.again);
    clearTimeout(wait.end);
  }
  return player;
};
