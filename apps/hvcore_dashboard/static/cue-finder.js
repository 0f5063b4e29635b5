/*
 * Find and replace in the texts of cues.
 */
'use strict';

/**
 * Return what finds and replaces.
 *
 * editor: has chosen(), which returns the index of the chosen cue; chooseNext(isWanted), which
 *   chooses the next cue that meets a condition; edited(cue, values); and change() of steps.
 */
window.hvCueFinder = (cues, editor) => {
  const {shown, stored} = window.hvCues;
  const of = (name) => document.getElementById(name);
  const [sought, found, text] = ['cue-find', 'cue-found', 'cue-text'].map(of);

  /** Return a pattern of what is looked for; null if that is nothing. */
  const pattern = () => (sought.value
    ? new RegExp(sought.value.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'), of('cue-case').checked ? 'gu' : 'giu')
    : null);

  const matches = (cue, wanted) => shown(cue.text).match(wanted)?.length ?? 0;

  const sumOf = (numbers) => numbers.reduce((one, other) => one + other, 0);

  const count = () => {
    const wanted = pattern();
    const numbers = wanted ? cues.map((cue) => matches(cue, wanted)).filter(Boolean) : [];
    found.textContent = wanted ? `Found ${sumOf(numbers)} times in ${numbers.length} cues.` : '';
  };

  const replaced = (cue, wanted) => editor.edited(
    cue, {text: stored(shown(cue.text).replace(wanted, () => of('cue-replace').value))});

  const find = () => {
    const wanted = pattern();
    if (wanted && editor.chooseNext((cue) => matches(cue, wanted) > 0)) {
      const at = text.value.search(wanted);
      text.setSelectionRange(at, at + text.value.match(wanted)[0].length);
    }
    count();
  };

  const replace = () => {
    const wanted = pattern();
    const cue = cues[editor.chosen()];
    if (wanted && cue && matches(cue, wanted)) {
      editor.change(editor.chosen(), 1, [replaced(cue, wanted)]);
    }
    find();
  };

  const replaceAll = () => {
    const wanted = pattern();
    const indexes = wanted ? [...cues.keys()].filter((at) => matches(cues[at], wanted)) : [];
    if (!indexes.length) {
      count();
      return;
    }
    const sum = sumOf(indexes.map((at) => matches(cues[at], wanted)));
    const [first, last] = [indexes[0], indexes.at(-1)];
    const among = cues.slice(first, last + 1)
      .map((cue) => (matches(cue, wanted) ? replaced(cue, wanted) : cue));
    editor.change(first, among.length, among, {then: editor.chosen()});
    found.textContent = `Replaced ${sum} times in ${indexes.length} cues.`;
  };

  const open = () => {
    of('cue-finder').open = true;
    sought.focus();
    sought.select();
  };

  for (const field of [sought, of('cue-case')]) {
    field.addEventListener('input', count);
  }
  sought.addEventListener('keydown', (event) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      find();
    }
  });
  return {find, replace, replaceAll, open};
};
