/*
 * What is played: when it is loaded, begun, and begun again.
 *
 * Nothing of the video is fetched before somebody plays it: the playlist at
 * most, and not even that where loading it counts as a view.
 */

import { absolute, beside, tokenOf, withToken } from "./addresses.js";
import { loadHls, makeEngine } from "./engines.js";
import { Life } from "./life.js";
import { Recovery } from "./recovery.js";
import { Renewal } from "./renewal.js";
import { NoSession, openSession } from "./share.js";

const WORKER = new URL("../vendor/hls.worker.js", import.meta.url);

export class Source {
  engine = null;
  /* Settled when the video may be played, or another one has taken its place. */
  attached = null;
  /* All that it asks for is dropped after its end. */
  #life = new Life();
  /* With the token of a share link's session, where there is one. */
  #address = "";
  #token;
  #hasSession = false;
  #begun = false;
  /* Where it goes on, if that is not its beginning. */
  #from_s;
  #loaded = null;
  #player;
  #video;
  #tell;
  #renewal;
  #recovery;

  /**
   * Args:
   *   player: The element, whose attributes say what to play.
   *   token: In place of one in the address; null if there is none.
   *   from_s: Where playback goes on; 0 leaves it to the attributes.
   *   tell: What is called: changed() when there is another address, ready(found)
   *     when the playlist is there, problem(error) with what player.error is from
   *     now on (null is none), renewed(token), and restart(at_s) to have another
   *     source in place of this one.
   */
  constructor(player, video, { token, from_s }, tell) {
    this.#player = player;
    this.#video = video;
    this.#token = token;
    this.#from_s = from_s;
    this.#tell = this.#life.bound(tell);
    this.#renewal = new Renewal(player, this.#life, this.#tell.renewed);
    this.#recovery = new Recovery(video, this.#life, this.#renewal, {
      resume: () => this.#resume(),
      restart: () => this.#restart(),
      stop: () => this.engine?.stop(),
      isOneView: () => this.#isOneView,
      tell: this.#tell.problem,
    });
    const { signal } = this.#life;
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

  /** Have another token than one that was refused; return whether there is one. */
  replaceToken(refused) {
    return this.#renewal.replace(refused);
  }

  /** Make an engine for what the attributes of the element say; called once. */
  load() {
    this.attached = this.#life.run(this.#attach());
  }

  *#attach() {
    const src = this.#player.getAttribute("src");
    if (!src) {
      return;
    }
    this.#address = absolute(src);
    if (!this.#address) {
      this.#recovery.fail({ kind: "network", status: 404, requestId: "" });
      return;
    }
    this.#renewal.watch(this.#token);
    this.#tell.changed();
    const Hls = yield loadHls();
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
      // Where it was not paused, it does not tell that it plays.
      this.begin();
    } else if (!this.#isOneView && this.#player.preload !== "none") {
      this.#open();
    }
  }

  /** Load the video, because somebody plays it. */
  begin() {
    if (!this.#begun && this.engine !== null) {
      this.#begun = true;
      this.#life.run(this.#begin());
    }
  }

  *#begin() {
    yield* this.#renew();
    if (yield this.#open()) {
      this.engine.begin(this.#video.currentTime || this.#from_s || this.#player.startTime);
    }
  }

  /** Call once the token is good for a while, or nobody has brought another one. */
  whenFresh(call) {
    this.#life.run(this.#renew(call));
  }

  *#renew(call) {
    if (this.#renewal.isDue) {
      yield this.#renewal.request("expiring");
    }
    call?.();
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
  destroy() {
    this.#life.end();
    this.engine?.destroy();
    this.engine = null;
    this.#video.videoRenditions.fill([]);
    this.#video.audioTracks.fill?.([]);
  }

  get #isOneView() {
    return this.#player.hasAttribute("single-view");
  }

  #settings() {
    // Browsers start workers of a page's own origin only.
    const isOwn = WORKER.origin === window.location.origin;
    return {
      workerPath: isOwn ? WORKER.href : null,
      reports: this.#player.getAttribute("cmcd") !== "off",
      freshAddress: (address) => {
        this.#renewal.check();
        return tokenOf(address) ? withToken(address, this.#token) : address;
      },
    };
  }

  #listener() {
    return this.#life.bound({
      ready: (found) => this.#tell.ready(found),
      progress: () => this.#recovery.progress(),
      trouble: (problem) => this.#recovery.trouble(problem),
      failure: (problem) => this.#recovery.fail(problem),
    });
  }

  /* Load the playlist once, and tell whether it is being loaded. */
  #open() {
    this.#loaded ??= this.#life.run(this.#openOnce());
    return this.#loaded;
  }

  *#openOnce() {
    try {
      if (this.#isOneView && !this.#hasSession) {
        this.#address = yield openSession(this.#address, this.#life.signal);
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
    this.engine.load(this.address);
    return true;
  }

  #restart() {
    this.#tell.restart(this.#video.currentTime || this.#from_s);
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
