// Order the results of the site's search: pages that answer a task come before history.
// Sphinx gives equal results the order of their titles, which puts numbered decisions first.
var Scorer = {
  score: ([page, , , , score]) => {
    if (/^(decisions|measured)\/|^(changes|contributing|security)$/.test(page)) return score / 3;
    if (/^(how-to|tutorials)\/|^operating$/.test(page)) return score * 1.5;
    return score;
  },

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
