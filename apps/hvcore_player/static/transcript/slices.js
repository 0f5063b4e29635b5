/*
 * Long work in slices, between which the page answers.
 */

const SLICE_MS = 8;

/** Go through a generator, a slice at a time; the first one at once, until it is over or aborted. */
export const inSlices = (steps, signal) => {
  const go = () => {
    const until_ms = performance.now() + SLICE_MS;
    while (!signal.aborted) {
      if (steps.next().done) {
        return;
      }
      if (performance.now() > until_ms) {
        setTimeout(go);
        return;
      }
    }
  };
  go();
};
