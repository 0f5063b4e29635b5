/*
 * The list of cues: thousands, of which the rows that are seen are drawn.
 */
'use strict';

/**
 * Return the list that shows cues in an element.
 *
 * warning: returns what is wrong with the cue of an index; '' if nothing is.
 */
window.hvCueList = (list, cues, warning) => {
  const {clock, seen} = window.hvCues;
  /* As in the style sheet: all rows have one height. */
  const HEIGHT_REM = 3.25;
  /* Drawn above and below what is seen, for those who scroll. */
  const AROUND = 8;
  const space = document.createElement('div');
  space.setAttribute('role', 'presentation');
  list.append(space);
  let chosen = -1;
  let played = -1;
  let isAwaited = false;

  const heightPx = () => HEIGHT_REM * parseFloat(getComputedStyle(document.documentElement).fontSize);

  const part = (name, text) => {
    const made = document.createElement('span');
    made.className = name;
    made.textContent = text;
    return made;
  };

  /** Return the text of a cue, with marks around the words in doubt. */
  const words = (cue) => {
    const made = part('cue-words', '');
    made.dir = 'auto';
    const text = seen(cue.text).replaceAll('\n', ' ');
    // Counted in characters, as the service counts them.
    const characters = cue.doubts ? [...text] : [];
    let at = 0;
    for (const [start, end] of cue.doubts ?? []) {
      const mark = document.createElement('mark');
      mark.textContent = characters.slice(start, end).join('');
      made.append(characters.slice(at, start).join(''), mark);
      at = end;
    }
    made.append(cue.doubts ? characters.slice(at).join('') : text);
    return made;
  };

  const row = (index, height) => {
    const cue = cues[index];
    const made = document.createElement('div');
    made.id = `cue-${index}`;
    made.className = index === played ? 'cue is-played' : 'cue';
    made.style.top = `${index * height}px`;
    made.setAttribute('role', 'option');
    made.setAttribute('aria-selected', String(index === chosen));
    made.setAttribute('aria-posinset', index + 1);
    made.setAttribute('aria-setsize', cues.length);
    made.append(part('cue-time', clock(cue.start)), words(cue));
    const wrong = warning(index);
    if (wrong) {
      made.append(part('cue-wrong', wrong));
    }
    return made;
  };

  /** Draw the rows that are seen, and the chosen one, which screen readers read. */
  const draw = () => {
    isAwaited = false;
    const height = heightPx();
    const first = Math.max(0, Math.floor(list.scrollTop / height) - AROUND);
    const last = Math.min(cues.length, Math.ceil((list.scrollTop + list.clientHeight) / height) + AROUND);
    const drawn = new Set(Array.from({length: Math.max(0, last - first)}, (_, at) => first + at));
    if (cues[chosen]) {
      drawn.add(chosen);
    }
    space.style.height = `${cues.length * height}px`;
    space.replaceChildren(...[...drawn].sort((one, other) => one - other).map((index) => row(index, height)));
    if (cues[chosen]) {
      list.setAttribute('aria-activedescendant', `cue-${chosen}`);
    } else {
      list.removeAttribute('aria-activedescendant');
    }
  };

  /** Draw before the next picture: many calls are one. */
  const drawSoon = () => {
    if (!isAwaited) {
      isAwaited = true;
      requestAnimationFrame(draw);
    }
  };

  /** Scroll the list, and never the page, until a row is seen with one around it. */
  const reveal = (index) => {
    const height = heightPx();
    const [top, bottom] = [(index - 1) * height, (index + 2) * height];
    if (top < list.scrollTop) {
      list.scrollTop = top;
    } else if (bottom > list.scrollTop + list.clientHeight) {
      list.scrollTop = bottom - list.clientHeight;
    }
  };

  const choose = (index) => {
    chosen = index;
    space.style.height = `${cues.length * heightPx()}px`;
    reveal(index);
    drawSoon();
  };

  /** Mark the cue that is being played; -1 is none. */
  const play = (index, follows) => {
    if (index === played) {
      return;
    }
    played = index;
    if (follows && index >= 0) {
      reveal(index);
    }
    drawSoon();
  };

  /** Return the index of the cue whose row an element is in; -1 if it is in none. */
  const indexOf = (element) => {
    const found = element.closest('.cue');
    return found ? Number(found.id.split('-')[1]) : -1;
  };

  const pageLength = () => Math.max(1, Math.floor(list.clientHeight / heightPx()) - 1);

  list.addEventListener('scroll', drawSoon);
  window.addEventListener('resize', drawSoon);
  return {draw: drawSoon, choose, play, indexOf, pageLength};
};
