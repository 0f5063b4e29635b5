/*
 * For pages that have the player in an iframe: steer it, hear of it, and keep
 * private videos playing. Import it as it is; docs/reference/player.md has examples.
 */

const CALL = "hv-player:call";
const ANSWER = "hv-player:answer";
const EVENT = "hv-player:event";
const LOOK_AGAIN_MS = 250;
const ANSWERS_WITHIN_MS = 15_000;
const DISCONNECTED = "The player was disconnected.";
const GONE = "The frame is no longer in the page.";

/** The player in an iframe; its events have the names of HTMLMediaElement's. */
export class FramePlayer extends EventTarget {
  /** What the player last said of itself. */
  state = null;
  #iframe;
  #origin;
  #calls = new Map();
  #next = 1;
  /* The name of the page in the frame, which it gives itself, and of those before it. */
  #page;
  #before = new Set();
  /* Looks whether the frame is still there, while calls wait. */
  #looks = 0;
  #met = null;
  #isOver = false;
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
      if (this.#isOver) {
        // Nobody would hear the answer.
        reject(new Error(DISCONNECTED));
        return;
      }
      const { contentWindow: target } = this.#iframe;
      this.#calls.set(id, { resolve, reject, target });
      this.#send({ id, method, args, page: this.#page });
      this.#look();
    });
  }

  /** Ask until the frame has said anything; it may have, before anybody listened. */
  met(timeoutMs) {
    const wasThere = this.#iframe.isConnected;
    const wait = {};
    const met = new Promise((done, fail) => {
      const ask = () => {
        if (this.state !== null) {
          done();
        } else if (wasThere && !this.#iframe.isConnected) {
          fail(new Error(GONE));
        } else {
          this.#send({ id: 0, method: "getState", args: [] });
        }
      };
      this.#met = done;
      wait.again = setInterval(ask, LOOK_AGAIN_MS);
      wait.end = setTimeout(() => fail(new Error(
        `The frame has not answered within ${timeoutMs / 1000} s. Its src must be the ` +
        "address of a player's page that may be embedded here.",
      )), timeoutMs);
      ask();
    });
    return met.finally(() => {
      clearInterval(wait.again);
      clearTimeout(wait.end);
    });
  }

  /** Have each token that is needed from a function that returns a promise of one. */
  renewWith(renewToken) {
    this.addEventListener("tokenexpiring", async ({ detail: { page } }) => {
      const token = await renewToken();
      // It is of the video that was there.
      if (token && page === this.#page && !this.#isOver) {
        await this.setToken(token).catch((cause) => {
          if (page === this.#page && this.#isThere && !this.#isOver) {
            throw cause;
          }
        });
      }
    });
  }

  /** Hear nothing more of it; calls that wait for an answer fail. */
  disconnect() {
    window.removeEventListener("message", this.#hear);
    this.#isOver = true;
    this.#drop(DISCONNECTED);
  }

  get #isThere() {
    return this.#iframe.contentWindow !== null;
  }

  #send(message) {
    this.#iframe.contentWindow?.postMessage({ type: CALL, ...message }, this.#origin);
  }

  /* Let calls fail that nobody answers any more. */
  #drop(why, isMeant = () => true) {
    this.#calls.forEach((call, id) => {
      if (isMeant(call)) {
        this.#calls.delete(id);
        call.reject(new Error(why));
      }
    });
  }

  /* A frame that is taken out of its page tells nobody. */
  #look() {
    const { contentWindow } = this.#iframe;
    this.#drop(GONE, ({ target }) => target === null || target !== contentWindow);
    clearTimeout(this.#looks);
    if (this.#calls.size > 0) {
      this.#looks = setTimeout(() => this.#look(), LOOK_AGAIN_MS);
    }
  }

  /* Return whether a message is of the page that the frame shows by now. */
  #turnTo(page) {
    if (this.#before.has(page)) {
      return false;
    }
    if (this.#page !== undefined && this.#page !== page) {
      this.#before.add(this.#page);
      this.#drop("The frame shows another page by now.");
    }
    this.#page = page;
    return true;
  }

  #take({ source, origin, data }) {
    const isOurs = [ANSWER, EVENT].includes(data?.type);
    if (!source || source !== this.#iframe.contentWindow || origin !== this.#origin || !isOurs) {
      return;
    }
    if (!this.#turnTo(data.page)) {
      return;
    }
    this.state = data.state;
    this.#met?.();
    if (data.type === ANSWER) {
      const call = this.#calls.get(data.id);
      this.#calls.delete(data.id);
      if (data.error) {
        call?.reject(new Error(data.error));
      } else {
        call?.resolve(data.state);
      }
    } else {
      this.dispatchEvent(new CustomEvent(data.event, { detail: data }));
    }
  }
}

[
  "play", "pause", "seek", "setVolume", "setMuted", "setPlaybackRate", "setLoop",
  "setQuality", "setCaptions", "setSound", "setToken", "getState",
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
    player.renewWith(renewToken);
  }
  try {
    await player.met(timeoutMs);
  } catch (cause) {
    player.disconnect();
    throw cause;
  }
  return player;
};
