// Order the results of the site's search: titles with all words of the query come first, and
// pages that answer a task come before history. Sphinx gives a page the score of one word, and
// equal results the order of their titles, which puts numbered decisions first.
var Scorer = {
  score: ([page, title, , , score]) =>
    score * Scorer.weightOf(page) * Scorer.likenessOf(title, Scorer.query()),

  weightOf: (page) => {
    if (/^(decisions|measured)\/|^(changes|contributing|security)$/.test(page)) return 1 / 3;
    if (/^(how-to|tutorials|reference\/http)\/|^operating$/.test(page)) return 1.5;
    return 1;
  },

  // From 1, if no word of the query is in the title, to 4, if all words are. The first letters
  // of a word are enough: "resume" finds "Resumable".
  likenessOf: (title, query) => {
    const words = query.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];
    const inTitle = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
    const found = words.filter((word) =>
      inTitle.some((other) => other.startsWith(word.slice(0, Math.max(4, word.length - 3)))),
    );
    return 1 + 3 * (found.length / (words.length || 1)) ** 2;
  },

  query: () => new URLSearchParams(globalThis.location?.search).get("q") ?? "",

  // The other values are those of Sphinx.
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
