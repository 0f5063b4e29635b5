/*
 * How long a question counts: what answers it after its end is dropped.
 *
 * Each source of the player has a life, which ends when another takes its place.
 */

export class Life {
  #ending = new AbortController();
  #timers = new Set();

  /** Args: parent is a life that ends this one too, or null. */
  constructor(parent = null) {
    parent?.signal.addEventListener("abort", () => this.end(), { signal: this.signal });
  }

  /** For listeners and requests, which end with it. */
  get signal() {
    return this.#ending.signal;
  }

  get isOver() {
    return this.signal.aborted;
  }

  end() {
    this.#timers.forEach((timer) => clearTimeout(timer));
    this.#timers.clear();
    this.#ending.abort();
  }

  /** Call after a while, unless it ends first; return what cancel() takes. */
  later(call, wait_ms) {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      call();
    }, wait_ms);
    this.#timers.add(timer);
    return timer;
  }

  cancel(timer) {
    clearTimeout(timer);
    this.#timers.delete(timer);
  }

  /** Return the same functions, which do nothing after its end. */
  bound(calls) {
    return Object.fromEntries(Object.entries(calls).map(([name, call]) =>
      [name, (...args) => (this.isOver ? undefined : call(...args))]));
  }

  /**
   * Go through a generator that yields promises; return a promise of what it returns.
   *
   * It goes on only while this lasts, which an async function could not tell: between
   * its promise and itself, others have their turn. If it ends, undefined is returned.
   */
  run(steps) {
    return new Promise((done, fail) => {
      const go = (how, value) => {
        if (this.isOver) {
          steps.return();
          done();
          return;
        }
        let step;
        try {
          step = steps[how](value);
        } catch (cause) {
          fail(cause);
          return;
        }
        if (step.done) {
          done(step.value);
        } else {
          Promise.resolve(step.value).then(
            (answer) => go("next", answer),
            (cause) => go("throw", cause),
          );
        }
      };
      go("next");
    });
  }
}
