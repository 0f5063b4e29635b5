/*
 * What is played: when it is loaded, begun, and begun again.
 *
 * Nothing of the video is fetched before somebody plays it: the playlist at
 * most, and not even that where loading it counts as a view.
 */

import { absolute, beside, tokenOf, withToken } from "./addresses.js";
import { cmcdSettings } from "./cmcd.js";
import { loadHls, makeEngine } from "./engines.js";
import { Recovery } from "./recovery.js";
import { Renewal } from "./renewal.js";
import { NoSession, openSession } from "./share.js";

const WORKER = new URL("../vendor/hls.worker.js", import.meta.url);

export class Source {
  engine = null;
  /* Settled when the video may be played. */
  attached = null;
  /* With the token of a share link's session, where there is one. */
  #address = "";
  #token = null;
  #hasSession = false;
  #begun = false;
  /* Where it goes on, if that is not its beginning. */
  #from_s = 0;
  #load = 0;
  #loaded = null;
  #player;
  #video;
  #tell;
  #stopsListening = new AbortController();
  #renewal;
  #recovery;

  /**
   * Args:
   *   player: The element, whose attributes say what to play.
   *   tell: What is called: changed() when there is another address, ready(found)
   *     when the playlist is there, and problem(error) with what player.error is
   *     from now on; null is none.
   */
  constructor(player, video, tell) {
    this.#player = player;
    this.#video = video;
    this.#tell = tell;
    this.#renewal = new Renewal(player);
    this.#recovery = new Recovery(video, this.#renewal, {
      resume: () => this.#resume(),
      restart: () => this.#restart(),
      stop: () => this.engine?.stop(),
      isOneView: () => this.#isOneView,
      tell: (error) => tell.problem(error),
    });
    const { signal } = this.#stopsListening;
    video.addEventListener("play", () => this.begin(), { signal });
    video.addEventListener("waiting", () => this.#recovery.judge(), { signal });
    video.addEventListener("playing", () => this.#recovery.progress(), { signal });
    window.addEventListener("online", () => this.#recovery.isNeeded && this.retry(), { signal });
  }

  /** The address of the playlist, with the token of now; "" if there is none. */
  get address() {
    return withToken(this.#address, this.#token);
  }

  get token() {
    return this.#token;
  }

  /** Take another token for all that is loaded from now on. */
  set token(token) {
    const wasRefused = this.#recovery.isRefused;
    this.#token = token || null;
    this.#renewal.watch(this.#token);
    this.#tell.changed();
    if (wasRefused) {
      this.retry();
    }
  }

  /**
   * Take what the attributes of the element say, in place of what was before.
   *
   * Args:
   *   from_s: Where playback goes on; 0 leaves it to the attributes.
   */
  load(from_s = 0) {
    this.#from_s = from_s;
    this.attached = this.#attach();
    return this.attached;
  }

  async #attach() {
    this.close();
    const src = this.#player.getAttribute("src");
    if (!src) {
      return;
    }
    const load = this.#load;
    this.#address = absolute(src);
    if (!this.#address) {
      this.#recovery.fail({ kind: "network", status: 404, requestId: "" });
      return;
    }
    this.#token = this.#player.getAttribute("token") || tokenOf(this.#address);
    this.#renewal.watch(this.#token);
    this.#tell.changed();
    const Hls = await loadHls();
    if (load !== this.#load) {
      return;
    }
    if (Hls === null) {
      this.#recovery.fail({ kind: "script", status: 0, requestId: "" });
      return;
    }
    // Attaching pauses it.
    const isWanted = !this.#video.paused;
    this.engine = makeEngine(Hls, this.#video, this.#settings(), this.#listener());
    if (this.engine === null) {
      this.#recovery.fail({ kind: "media", status: 0, requestId: "" });
    } else if (isWanted) {
      this.#video.play().catch(() => {});
    } else if (!this.#isOneView && this.#player.preload !== "none") {
      this.#open();
    }
  }

  /** Load the video, because somebody plays it. */
  async begin() {
    if (this.#begun || this.engine === null) {
      return;
    }
    this.#begun = true;
    const { engine } = this;
    if (this.#renewal.isDue) {
      await this.#renewal.request("expiring");
    }
    if (await this.#open() && engine === this.engine) {
      engine.begin(this.#video.currentTime || this.#from_s || this.#player.startTime);
    }
  }

  /** Try again what has failed. */
  retry() {
    if (this.engine === null) {
      this.#restart();
    } else {
      this.#recovery.retry();
    }
  }

  /** Forget all of it. */
  close() {
    this.#load += 1;
    this.#renewal.stop();
    this.engine?.destroy();
    this.engine = null;
    this.#hasSession = false;
    this.#begun = false;
    this.#loaded = null;
    this.#recovery.clear();
    this.#video.videoRenditions.fill([]);
    this.#video.audioTracks.fill?.([]);
  }

  destroy() {
    this.close();
    this.#stopsListening.abort();
  }

  get #isOneView() {
    return this.#player.hasAttribute("single-view");
  }

  #settings() {
    // Browsers start workers of a page's own origin only.
    const isOwn = WORKER.origin === window.location.origin;
    return {
      workerPath: isOwn ? WORKER.href : null,
      cmcd: cmcdSettings(this.#player.getAttribute("cmcd") !== "off"),
      freshAddress: (address) => {
        this.#renewal.check();
        return tokenOf(address) ? withToken(address, this.#token) : address;
      },
    };
  }

  #listener() {
    return {
      ready: (found) => this.#tell.ready(found),
      progress: () => this.#recovery.progress(),
      trouble: (problem) => this.#recovery.trouble(problem),
      failure: (problem) => this.#recovery.fail(problem),
    };
  }

  /* Load the playlist once, and tell whether it is being loaded. */
  #open() {
    this.#loaded ??= this.#openOnce();
    return this.#loaded;
  }

  async #openOnce() {
    const { engine } = this;
    try {
      if (this.#isOneView && !this.#hasSession) {
        this.#address = await openSession(this.#address);
        this.#token = tokenOf(this.#address);
        this.#hasSession = true;
        this.#tell.changed();
      }
    } catch (cause) {
      this.#loaded = null;
      const [status, requestId] = cause instanceof NoSession ? [cause.status, cause.requestId] : [0, ""];
      this.#recovery.fail({ kind: "network", status, requestId });
      return false;
    }
    engine.load(this.address);
    return true;
  }

  async #restart() {
    await this.load(this.#video.currentTime || this.#from_s);
    this.#video.play().catch(() => {});
  }

  #resume() {
    if (this.#loaded === null) {
      this.#begun = false;
      this.begin();
    } else {
      // With the token of now, if the playlist is loaded once more.
      this.engine?.resume(this.address, this.#begun);
    }
  }
}

/** Return the addresses of what lies beside a playlist. */
export const companions = (player, playlist, { chapters }) => ({
  storyboard: beside(playlist, player.getAttribute("storyboard") ?? "storyboard.vtt"),
  chapters: beside(playlist, player.getAttribute("chapters") ?? (chapters ? "chapters.vtt" : "")),
});
