/*
 * What happens after something could not be loaded: try again, ask for a token,
 * or tell the viewer.
 */

import { Life } from "./life.js";
import { describe, isPassing } from "./problems.js";

const WAITS_MS = [1000, 2000, 4000, 8000];
/* A request may fail for once, or be given up by the player itself. */
const TOLD_AFTER_MS = 2000;

export class Recovery {
  #problem = null;
  /* It has stopped for good. */
  #isOver = false;
  /* The engine has given up for now. */
  #isStopped = false;
  #retries = 0;
  #telling = 0;
  #life;
  /* From one try to the next. */
  #attempt;
  #video;
  #renewal;
  #does;

  /**
   * Args:
   *   life: Of the source.
   *   renewal: Brings another token.
   *   does: What is called: resume() to go on, restart() to begin anew, stop() to
   *     load nothing more, isOneView() (of a share link), and tell(error) with what
   *     the viewer is told; null is nothing.
   */
  constructor(video, life, renewal, does) {
    this.#video = video;
    this.#life = life;
    this.#attempt = new Life(life);
    this.#renewal = renewal;
    this.#does = does;
  }

  get isRefused() {
    return this.#problem?.status === 401;
  }

  get isNeeded() {
    return this.#problem !== null;
  }

  /** Forget all of it. */
  clear() {
    this.#retries = 0;
    this.#startAttempt();
    this.#set(null);
  }

  /** Try again now. */
  retry() {
    const isMedia = this.#problem?.kind === "media";
    this.#startAttempt();
    this.#set(null);
    if (isMedia) {
      this.#does.restart();
    } else {
      this.#does.resume();
    }
  }

  /** Something was loaded. */
  progress() {
    this.#retries = 0;
    if (this.#isStopped) {
      // It was asked for before that.
      this.#does.tell(null);
    } else if (this.#problem && !this.#isOver) {
      this.clear();
    }
  }

  /** Tell the viewer, unless something is left to be shown, or soon is again. */
  judge() {
    this.#attempt.cancel(this.#telling);
    this.#telling = this.#attempt.later(() => {
      const { paused, readyState } = this.#video;
      const isStarving = !paused && readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
      if (this.#problem && isStarving && !this.#isOver) {
        this.#set(this.#problem);
      }
    }, TOLD_AFTER_MS);
  }

  /** The engine tries again by itself; a token is for us to bring. */
  trouble(problem) {
    if (problem.status === 401) {
      this.#renewal.replace(problem.token);
    } else if (!this.#isOver) {
      // Also of what will not pass: with one quality, hls.js asks for half a minute.
      this.#problem = problem;
      this.judge();
    }
  }

  /** The engine has given up. */
  fail(problem) {
    this.#startAttempt();
    this.#isStopped = true;
    this.#attempt.run(this.#settle(problem));
  }

  *#settle(problem) {
    const { stop, isOneView } = this.#does;
    if (problem.status === 401 && !isOneView() && (yield this.#renewal.replace(problem.token))) {
      this.#resume();
      return;
    }
    if (!isPassing(problem)) {
      stop();
      this.#set(problem);
      this.#isStopped = false;
      this.#isOver = true;
      return;
    }
    this.#problem = problem;
    this.judge();
    const wait_ms = WAITS_MS[Math.min(this.#retries, WAITS_MS.length - 1)];
    this.#retries += 1;
    this.#attempt.later(() => this.#resume(), wait_ms);
  }

  #resume() {
    this.#isStopped = false;
    this.#does.resume();
  }

  /* What is under way belongs to the one before. */
  #startAttempt() {
    this.#attempt.end();
    this.#attempt = new Life(this.#life);
    this.#isStopped = false;
  }

  #set(problem) {
    this.#isOver = false;
    this.#problem = problem;
    this.#does.tell(problem && describe(problem, this.#does.isOneView()));
  }
}
