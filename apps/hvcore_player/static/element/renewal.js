/*
 * Private videos play on: ask the host for a new token before the old one expires.
 */

import { timesOf, tokenOf } from "./addresses.js";

const MOST_LEAD_S = 120;
const LEAST_LEAD_S = 2;
const ANSWER_WITHIN_MS = 10_000;
/* Who has no endpoint may have no listener either; a token that comes later still
   counts, because setting it goes on with what had failed. */
const LISTENER_ANSWERS_WITHIN_MS = 5_000;

/* Of what an endpoint answers: a token, a signed address, or one of them in JSON, as
   the API answers. */
const tokenIn = (text) => {
  let found = text.trim();
  try {
    const parsed = JSON.parse(found);
    const body = parsed?.body ?? parsed;
    found = typeof body === "string" ? body : body.token ?? body.signed_url ?? "";
  } catch {
    // It is plain text.
  }
  return tokenOf(found) ?? found;
};

export class Renewal {
  #player;
  #life;
  #renewed;
  #token = null;
  #times = null;
  #timer = 0;
  #asked = null;
  #answered = null;

  /** Args: life is of the source; renewed(token) takes what an endpoint answered. */
  constructor(player, life, renewed) {
    this.#player = player;
    this.#life = life;
    this.#renewed = renewed;
  }

  /** Take note of the token that is used from now on; null if there is none. */
  watch(token) {
    this.#token = token;
    this.#times = token ? timesOf(token) : null;
    this.#answered?.(true);
    this.#schedule();
  }

  /** Tell whether the token expires so soon that a new one is asked for. */
  get isDue() {
    return this.#times !== null && Date.now() / 1000 >= this.#dueAt;
  }

  /** Ask for a new token if it is time; several requests ask once. */
  check() {
    if (this.isDue && this.#isWatched) {
      this.request("expiring");
    }
  }

  /** Have another token than one that was refused; return whether there is one. */
  replace(refused) {
    // It may have come while the answer was on its way.
    return refused && this.#token && refused !== this.#token
      ? Promise.resolve(true)
      : this.request("refused");
  }

  /**
   * Ask the host for a new token; return whether one came.
   *
   * Args:
   *   reason: "expiring", or "refused" if the service took the one before for
   *     invalid.
   */
  request(reason) {
    if (!this.#token) {
      return Promise.resolve(false);
    }
    this.#asked ??= this.#life.run(this.#ask(reason));
    return this.#asked;
  }

  get #dueAt() {
    const { issued, expires } = this.#times;
    const valid_s = issued === null ? MOST_LEAD_S * 3 : expires - issued;
    return expires - Math.min(MOST_LEAD_S, Math.max(LEAST_LEAD_S, valid_s / 3));
  }

  /* Who does not watch needs no token; who begins to is asked about it then. */
  get #isWatched() {
    return !this.#player.paused && !this.#player.ended;
  }

  #schedule() {
    this.#life.cancel(this.#timer);
    if (this.#times === null) {
      return;
    }
    const left_ms = this.#dueAt * 1000 - Date.now();
    // An answer that was no new token is not asked for again at once.
    const wait_ms = Math.min(Math.max(left_ms, 1000), 2 ** 31 - 1);
    this.#timer = this.#life.later(() => {
      this.check();
      if (!this.#asked) {
        this.#schedule();
      }
    }, wait_ms);
  }

  *#ask(reason) {
    const expiresAt = this.#times ? new Date(this.#times.expires * 1000) : null;
    const answered = new Promise((done) => {
      this.#answered = done;
    });
    const { renewUrl } = this.#player.dataset;
    const within_ms = renewUrl ? ANSWER_WITHIN_MS : LISTENER_ANSWERS_WITHIN_MS;
    const tooLate = this.#life.later(() => this.#answered(false), within_ms);
    const { signal } = this.#life;
    this.#player.dispatchEvent(
      new CustomEvent("tokenexpiring", { detail: { reason, expiresAt, signal } }),
    );
    if (renewUrl) {
      this.#life.run(this.#fetch(renewUrl));
    }
    const isNew = yield answered;
    this.#life.cancel(tooLate);
    this.#asked = null;
    this.#answered = null;
    this.#schedule();
    return isNew;
  }

  *#fetch(address) {
    try {
      const answer = yield fetch(address, { cache: "no-store", signal: this.#life.signal });
      const token = answer.ok ? tokenIn(yield answer.text()) : "";
      if (token) {
        this.#renewed(token);
      }
    } catch {
      // The host may still hand one over; if not, the next request says so.
    }
  }
}
