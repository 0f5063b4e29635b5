/*
 * Play with the browser's own HLS, where it has no Media Source Extensions.
 *
 * It reads addresses out of playlists itself: a new token is used from the next
 * load on, and qualities are its own business.
 */

import { tokenOf } from "./addresses.js";
import { Life } from "./life.js";

export class NativeEngine {
  frameRate = 30;
  #video;
  #tell;
  #address = "";
  #life = new Life();
  /* Of what is loaded; another address has another one. */
  #load = new Life(this.#life);

  /** Args: As of HlsEngine. */
  constructor(video, tell) {
    this.#video = video;
    this.#tell = tell;
    // Else it loads segments, which are counted, before anybody plays.
    video.preload = "none";
    const { signal } = this.#life;
    video.addEventListener("loadedmetadata", () => tell.ready({ chapters: false }), { signal });
    video.addEventListener("progress", () => tell.progress(), { signal });
    video.addEventListener("error", () => this.#load.run(this.#fail()), { signal });
  }

  load(address) {
    this.#load.end();
    this.#load = new Life(this.#life);
    this.#address = address;
    this.#video.preload = "none";
    this.#video.src = address;
  }

  begin(at_s) {
    const video = this.#video;
    if (at_s > 0 && video.currentTime !== at_s) {
      video.currentTime = at_s;
    }
    // Setting the address has paused it, or it waits to be played once more.
    video.preload = "auto";
    video.play().catch(() => {});
  }

  resume(address, isBegun) {
    const at_s = this.#video.currentTime;
    this.load(address);
    if (isBegun) {
      this.begin(at_s);
    }
  }

  stop() {
    this.#video.pause();
  }

  destroy() {
    this.#life.end();
    this.#video.removeAttribute("src");
    this.#video.load();
  }

  /* The browser does not tell what was answered: the playlist is asked for once more. */
  *#fail() {
    const token = tokenOf(this.#address);
    let problem = { kind: "network", status: 0, requestId: "", token };
    try {
      const { signal } = this.#load;
      const answer = yield fetch(this.#address, { cache: "no-store", signal });
      const requestId = answer.headers.get("X-Request-Id") ?? "";
      problem = { kind: answer.ok ? "media" : "network", status: answer.status, requestId, token };
    } catch {
      // It is the network.
    }
    this.#tell.failure(problem);
  }
}
