/*
 * What the player tells of a session: how long the first picture took, how long the
 * video ran and stood still, and what failed (docs/how-to/playback-sessions.md).
 *
 * It goes to the service of the video, without cookies, and the page keeps nothing of
 * it. Whatever happens to it, playback goes on, and nobody is told.
 */

import { tokenOf, withToken } from "./addresses.js";
import { Life } from "./life.js";

const EVERY_MS = 60_000;
const AGAIN_AFTER_MS = 30_000;
const MAX_WAIT_MS = 3_600_000;
/* Hidden pages have a timer a minute; after more it was asleep. */
const ASLEEP_MS = 70_000;
/* What the service takes. */
const MAX_STARTUP_MS = 120_000;
const MAX_COUNT = 1_000;
const EARLY_REPORTS = 5;
const MS_PER_REPORT = 20_000;
const SLACK_MS = 4_000;
/* Of a public or private video, or of an edge key. */
const PLAYLIST =
  /^(https?:[^?#]*\/v1)\/(?:public\/[^/]+\/[^/]+\/|private\/|(?=ek_))([^/?#]+)\/[^/?#]+(?:[?#]|$)/;

/* Where sessions of a playlist's video begin and are told of, or null if nowhere. */
const placesOf = (playlist) => {
  const [, root, video] = PLAYLIST.exec(playlist) ?? [];
  return root ? {
    begin: withToken(`${root}/playback-sessions/${video}`, tokenOf(playlist)),
    report: `${root}/playback-reports`,
  } : null;
};

/* Text needs no preflight, and outlives its page. */
const post = (address, content) => fetch(address, {
  method: "POST", body: JSON.stringify(content), keepalive: true, credentials: "omit",
}).catch(() => null);

/* How long to wait before the next request; 0 not at all, Infinity for good. */
const waitAfter = (answer) => {
  if (answer?.ok) {
    return 0;
  }
  if (answer && answer.status !== 429 && answer.status < 500) {
    return Infinity;
  }
  const wait_ms = 1000 * Number(answer?.headers.get("Retry-After")) || AGAIN_AFTER_MS;
  return wait_ms > MAX_WAIT_MS ? Infinity : wait_ms;
};

class SessionReports {
  #video;
  #sourceOf;
  #life = new Life();
  /* Of its own, so that to begin once more is no second session. */
  #name = [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, "0")).join("");
  /* What the service has answered. */
  #session = null;
  #report = "";
  #began_ms = 0;
  #number = 0;
  #isWaiting = false;
  #told = "";
  /* Whether it is starting, playing, stalled, or none of them, since when, and how long each was. */
  #state = "starting";
  #since_ms;
  #spent_ms = { starting: 0, playing: 0, stalled: 0, idle: 0 };
  /* What was spent before the service knew of the session. */
  #before = { playing: 0, stalled: 0, stalls: 0 };
  #startup_ms = null;
  #stalls = 0;
  #errors = 0;

  constructor(video, sourceOf, pressed_ms) {
    this.#video = video;
    this.#sourceOf = sourceOf;
    this.#since_ms = pressed_ms;
    const { signal } = this.#life;
    const on = (names, call) => names.forEach((name) => {
      video.addEventListener(name, call, { signal });
    });
    on(["play"], () => this.#start());
    on(["playing", "timeupdate", "seeked"], ({ type }) => this.#show(type === "playing"));
    on(["waiting"], () => this.#stall());
    on(["seeking"], () => this.#rest());
    on(["pause", "emptied", "ended"], () => this.#enter("idle"));
    on(["ended"], () => this.#send());
    window.addEventListener("pagehide", () => {
      this.#send();
      // It may come back, and has not played meanwhile.
      this.#enter("idle");
    }, { signal });
    // Of a page that a phone ends, nothing is heard after this.
    document.addEventListener("visibilitychange", () => this.#send(), { signal });
    // Its script may have come late.
    this.#show(true);
    this.#life.run(this.#tick());
    this.#life.run(this.#begin());
  }

  /** The viewer was told that something has failed. */
  fail() {
    this.#errors += 1;
    this.#rest();
  }

  /** Send the last report. */
  end() {
    this.#send();
    this.#life.end();
  }

  *#begin() {
    for (;;) {
      const places = placesOf(yield this.#freshPlaylist());
      this.#enter(this.#state);
      // A stall that goes on is of the session.
      const stalls = this.#stalls - (this.#state === "stalled" ? 1 : 0);
      const before = { ...this.#spent_ms, stalls };
      const answer = places && (yield post(places.begin, { name: this.#name }));
      this.#began_ms = performance.now();
      // Half an answer has none.
      this.#session = answer?.ok && (yield answer.json().catch(() => null))?.session;
      if (this.#session) {
        this.#before = before;
        this.#report = places.report;
        return;
      }
      const wait_ms = waitAfter(answer) || AGAIN_AFTER_MS;
      if (wait_ms === Infinity) {
        this.#life.end();
      }
      yield this.#pause(wait_ms);
    }
  }

  /* With a token that is good; "" if its source ends. */
  #freshPlaylist() {
    const source = this.#sourceOf();
    return new Promise((done) => {
      source?.whenFresh(() => done(source.address));
      this.#life.later(() => done(""), AGAIN_AFTER_MS);
    });
  }

  #pause(wait_ms) {
    return new Promise((done) => {
      this.#life.later(done, wait_ms);
    });
  }

  *#tick() {
    for (;;) {
      yield this.#pause(EVERY_MS);
      // A long stall is no sleep.
      this.#enter(this.#state);
      this.#send();
    }
  }

  #enter(state) {
    const now_ms = performance.now();
    const spent_ms = now_ms - this.#since_ms;
    this.#spent_ms[spent_ms > ASLEEP_MS ? "idle" : this.#state] += spent_ms;
    this.#since_ms = now_ms;
    this.#state = state;
  }

  #start() {
    if (this.#startup_ms === null) {
      this.#enter("starting");
    }
  }

  /* Who waits for the first picture goes on waiting. */
  #rest() {
    if (this.#state !== "starting") {
      this.#enter("idle");
    }
  }

  #show(isFirst) {
    const { paused, seeking, ended, readyState } = this.#video;
    const isMoving = !paused && !seeking && !ended &&
      readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    if (!isMoving || (this.#startup_ms === null && !isFirst)) {
      return;
    }
    this.#enter("playing");
    this.#startup_ms ??= Math.min(MAX_STARTUP_MS, Math.round(this.#spent_ms.starting));
  }

  #stall() {
    if (this.#state === "playing" && !this.#video.seeking) {
      this.#stalls += 1;
      this.#enter("stalled");
    }
  }

  #figures(age_ms) {
    this.#enter(this.#state);
    const [played_ms, stalled_ms] = ["playing", "stalled"].map((state) =>
      Math.round(this.#spent_ms[state] - this.#before[state]));
    // It took the service a while to hear of the session.
    const most_ms = Math.floor(age_ms) + SLACK_MS;
    const rebufferingMs = Math.min(stalled_ms, most_ms);
    return {
      startupMs: this.#startup_ms ?? undefined,
      playedMs: Math.min(played_ms, most_ms - rebufferingMs),
      rebufferingMs,
      rebufferings: Math.min(this.#stalls - this.#before.stalls, MAX_COUNT),
      errors: Math.min(this.#errors, MAX_COUNT),
    };
  }

  async #send() {
    const age_ms = performance.now() - this.#began_ms;
    const isAllowed = this.#number < EARLY_REPORTS + Math.floor(age_ms / MS_PER_REPORT);
    if (!this.#session || this.#isWaiting || !isAllowed || this.#life.isOver) {
      return;
    }
    const figures = this.#figures(age_ms);
    const told = JSON.stringify(figures);
    if (told === this.#told) {
      return;
    }
    this.#number += 1;
    this.#told = told;
    const content = { session: this.#session, number: this.#number, ...figures };
    const wait_ms = waitAfter(await post(this.#report, content));
    if (wait_ms === Infinity) {
      this.#life.end();
    } else if (wait_ms) {
      this.#told = "";
      this.#isWaiting = true;
      this.#life.later(() => {
        this.#isWaiting = false;
        this.#send();
      }, wait_ms);
    }
  }
}

/**
 * Begin a session, or return null where the service has none for a video.
 *
 * Args:
 *   sourceOf: Returns the source of now, which has the playlist's address.
 *   pressed_ms: When somebody pressed play, by the page's clock.
 */
export const reportsOf = (video, sourceOf, pressed_ms) =>
  (placesOf(sourceOf()?.address ?? "") ? new SessionReports(video, sourceOf, pressed_ms) : null);
