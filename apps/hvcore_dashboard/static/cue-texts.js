/*
 * Cues of WebVTT: read, written, checked, and shown as people write them.
 *
 * A cue never changes: an edit puts another one in its place, so that it can be undone.
 */
'use strict';

{
  const CLOCK = String.raw`(?:(\d{1,3}):)?([0-5]\d):([0-5]\d)\.(\d{3})`;
  const TIMES = new RegExp(`^${CLOCK} --> ${CLOCK}(.*)$`);
  /* The service keeps these tags; every other < is a sign. */
  const TAG = /(<\/?(?:b|i|u|c|v|lang|ruby|rt)(?:[.\s][^<>]*)?>|<(?:\d{2,3}:)?[0-5]\d:[0-5]\d\.\d{3}>)/;
  const LONE_AND = /&(?!(?:amp|lt|gt|nbsp|lrm|rlm);)/g;
  const SIGNS = {'&amp;': '&', '&lt;': '<', '&gt;': '>', '&#39;': "'", '&#34;': '"'};

  /** Return the text that a form has for pages without scripts. */
  const sentText = (form) => {
    const markup = form.querySelector('noscript').textContent;
    const [from, to] = [markup.indexOf('>', markup.indexOf('<textarea')), markup.lastIndexOf('</textarea>')];
    return markup.slice(from + 1, to).replace(/^\n/, '').replace(/&(?:amp|lt|gt|#39|#34);/g, (sign) => SIGNS[sign]);
  };

  const milliseconds = ([hours, minutes, seconds, rest]) =>
    ((Number(hours ?? 0) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + Number(rest);

  const pad = (value, width) => String(value).padStart(width, '0');

  /** Return a time as WebVTT has it. */
  const stamp = (ms) => [
    pad(Math.floor(ms / 3600000), 2), pad(Math.floor(ms / 60000) % 60, 2), pad(Math.floor(ms / 1000) % 60, 2),
  ].join(':') + `.${pad(ms % 1000, 3)}`;

  /** Return a time as people read it: 1:02.500, or 1:01:02.500. */
  const clock = (ms) => stamp(ms).replace(/^00:0?|^0/, '');

  /** Return the milliseconds of a time that somebody has written; null if it is none. */
  const readClock = (text) => {
    const found = /^(?:(?:(\d{1,3}):)?(\d{1,3}):)?(\d{1,5})(?:[.,](\d{1,3}))?$/.exec(text.trim());
    if (!found) {
      return null;
    }
    const [, hours = 0, minutes = 0, seconds, rest = ''] = found;
    const isInPlace = (found[2] === undefined || seconds < 60) && (found[1] === undefined || minutes < 60);
    return isInPlace ? milliseconds([hours, minutes, seconds, rest.padEnd(3, '0')]) : null;
  };

  /** Return the cues of a WebVTT file; null if it has anything else, which would be lost. */
  const read = (text) => {
    const [head, ...blocks] = text.split(/\n{2,}/);
    if (!/^WEBVTT\s*$/.test(head)) {
      return null;
    }
    const cues = [];
    for (const block of blocks) {
      const [first, ...lines] = block.split('\n');
      const found = TIMES.exec(first.trim());
      if (found && !lines.some((line) => line.includes('-->'))) {
        const [start, end] = [milliseconds(found.slice(1, 5)), milliseconds(found.slice(5, 9))];
        cues.push({start, end, settings: found[9].trim(), text: lines.join('\n').trimEnd(), doubts: null});
      } else if (block.trim()) {
        return null;
      }
    }
    return cues;
  };

  /** Return a WebVTT file with cues. */
  const write = (cues) => `WEBVTT\n\n${cues.map((cue) =>
    `${`${stamp(cue.start)} --> ${stamp(cue.end)} ${cue.settings}`.trimEnd()}\n${cue.text}\n`).join('\n')}`;

  const escaped = (text) =>
    text.replace(LONE_AND, '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

  /** Return a text that somebody has written as WebVTT has it. */
  const stored = (text) => text.split(TAG).map((part, at) => (at % 2 ? part : escaped(part))).join('')
    .split('\n').map((line) => line.trimEnd()).filter((line) => line.trim()).join('\n');

  /** Return a text of WebVTT as people write it: with & and < wherever they mean the same. */
  const shown = (text) => {
    const plain = text.replace(/&(?:amp|lt|gt);/g, (sign) => SIGNS[sign]);
    return stored(plain) === text ? plain : text;
  };

  /** Return a text without tags and references, as viewers see it. */
  const seen = (text) => text.split(TAG).filter((_, at) => at % 2 === 0).join('')
    .replace(/&(?:amp|lt|gt);/g, (sign) => SIGNS[sign])
    .replaceAll('&nbsp;', '\u00a0').replaceAll(/&[lr]rm;/g, '');

  /** Return what is wrong with a cue; '' if nothing is. */
  const wrong = (cue, before, endMs) => {
    if (cue.end <= cue.start) {
      return 'It must end after it begins.';
    }
    if (before && cue.start < before.start) {
      return 'It begins before the one above it.';
    }
    if (!cue.text) {
      return 'It has no text.';
    }
    if (cue.isKept) {
      return '';
    }
    if (cue.start >= endMs) {
      return 'It begins after the end of the video.';
    }
    return cue.end > endMs ? 'It ends after the end of the video.' : '';
  };

  /** As long as captions may begin after speech, or end before it: the service says the same. */
  const MARGIN_MS = 500;

  /** Return the spans of speech in which no cue is shown. */
  const gaps = (speech, cues) => {
    const wide = [];
    for (const {start, end} of cues) {
      const last = wide.at(-1);
      if (last && start - MARGIN_MS <= last[1]) {
        last[1] = Math.max(last[1], end + MARGIN_MS);
      } else {
        wide.push([start - MARGIN_MS, end + MARGIN_MS]);
      }
    }
    const found = [];
    let first = 0;
    for (const [start, end] of speech) {
      while (first < wide.length && wide[first][1] <= start) {
        first += 1;
      }
      let at = start;
      for (let next = first; next < wide.length && wide[next][0] < end; next += 1) {
        if (at < wide[next][0]) {
          found.push([at, wide[next][0]]);
        }
        at = wide[next][1];
      }
      if (at < end) {
        found.push([at, end]);
      }
    }
    return found;
  };

  /** Return the index of the last cue that begins at a time or before; -1 if none does. */
  const lastAt = (cues, ms) => {
    let [low, high] = [0, cues.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (cues[middle].start <= ms) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  };

  /** Return the step that puts a cue in the place of one, where it belongs by its start. */
  const moved = (cues, index, cue) => {
    if (cue.start === cues[index].start) {
      return {at: index, added: [cue], then: index};
    }
    const others = cues.filter((_, at) => at !== index);
    const then = lastAt(others, cue.start) + 1;
    const [low, high] = [Math.min(then, index), Math.max(then, index)];
    const between = others.slice(low, high);
    return {at: low, added: then < index ? [cue, ...between] : [...between, cue], then};
  };

  window.hvCues = {clock, readClock, sentText, read, write, stored, shown, seen, wrong, gaps, lastAt, moved};
}
