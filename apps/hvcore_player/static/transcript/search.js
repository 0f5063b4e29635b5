/*
 * Find words in the cues of a transcript, also where they go on in the next cue.
 */

/* So many that nobody goes through them, and few enough to draw. */
export const MAX_HITS = 10_000;

/* Letters alone, whatever stands between the words; no sign of the query is special. A
   hyphen is not among them: outside of a class it may not be escaped. */
const patternOf = (query) => new RegExp(
  query.trim().split(/\s+/).map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"))
    .join("\\s+"),
  "giu",
);

export class Search {
  #starts = [];
  #text = "";

  /** Args: texts are those of the cues, in order. */
  constructor(texts) {
    let length = 0;
    this.#starts = texts.map((text) => {
      const start = length;
      length += text.length + 1;
      return start;
    });
    this.#text = texts.join(" ");
  }

  /**
   * Return where a query is found, at most MAX_HITS times: for each hit the cue that it
   * begins in, and its parts, each with a cue and where in its text they begin and end.
   */
  find(query) {
    const hits = [];
    if (!query.trim()) {
      return hits;
    }
    const pattern = patternOf(query);
    let found = pattern.exec(this.#text);
    let cue = 0;
    while (found && hits.length < MAX_HITS) {
      cue = this.#cueAt(found.index, cue);
      hits.push({ cue, parts: this.#partsOf(cue, found.index, pattern.lastIndex) });
      found = pattern.exec(this.#text);
    }
    return hits;
  }

  #cueAt(place, from) {
    let cue = from;
    while (this.#starts[cue + 1] <= place) {
      cue += 1;
    }
    return cue;
  }

  #partsOf(first, from, to) {
    const parts = [];
    for (let cue = first; this.#starts[cue] < to; cue += 1) {
      const start = this.#starts[cue];
      const end = this.#starts[cue + 1] ?? Infinity;
      parts.push({ cue, from: Math.max(0, from - start), to: Math.min(to, end - 1) - start });
    }
    return parts;
  }
}
