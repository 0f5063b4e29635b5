/*
 * The editor of captions: a list of cues, the chosen one in fields, beside the player.
 *
 * It stands in the place of the form's text, which it writes when it is sent. A text that it
 * cannot read whole stays as it is.
 */
'use strict';

{
  const {clock, readClock, sentText, read, write, stored, shown, seen, wrong, gaps, lastAt, moved} = window.hvCues;
  const of = (name) => document.getElementById(name);
  const editor = of('cue-editor');
  const form = of('captions-form');
  const written = of('captions-written');

  /* What was written before a session ended is in the form again. */
  const draft = written?.value ?? '';
  const text = draft || (form ? sentText(form) : '');
  const cues = form ? read(text) : null;
  const facts = editor ? JSON.parse(editor.dataset.facts) : {};
  const STEP_MS = 2000;
  const SHORTEST_MS = 500;

  const start = () => {
    const warning = (index) => wrong(cues[index], cues[index - 1], facts.endMs);
    const list = window.hvCueList(of('cues'), cues, warning);
    const [fieldOfStart, fieldOfEnd, fieldOfText] = ['cue-start', 'cue-end', 'cue-text'].map(of);
    let chosen = -1;
    let holes = [];
    let isSent = false;
    const say = (text) => { of('said').textContent = text; };

    const showPlayed = () => {
      const {atMs, isPaused} = player.state;
      const at = atMs === null ? -1 : lastAt(cues, atMs);
      list.play(cues[at]?.end > atMs ? at : -1, of('cue-follow').checked && !isPaused);
    };

    const player = window.hvCuePlayer(of('player'), () => showPlayed());
    const {seek, state: played} = player;

    const count = () => {
      let wrongs = 0;
      let doubts = 0;
      cues.forEach((cue, index) => {
        wrongs += warning(index) ? 1 : 0;
        doubts += cue.doubts ? 1 : 0;
      });
      holes = gaps(facts.speech, cues);
      const holesMs = holes.reduce((sum, [from, to]) => sum + to - from, 0);
      const parts = [`${cues.length} ${cues.length === 1 ? 'cue' : 'cues'}`];
      if (wrongs) {
        parts.push(`${wrongs} to be fixed`);
      }
      if (doubts) {
        parts.push(`${doubts} with words in doubt`);
      }
      if (facts.speech.length) {
        parts.push(`${Math.round(holesMs / 1000)} s of speech without captions`);
      }
      of('cue-count').textContent = parts.join(' · ');
      for (const button of editor.querySelectorAll('[data-does]')) {
        const {does} = button.dataset;
        if (does === 'undo' || does === 'redo') {
          button.disabled = !(does === 'undo' ? steps.canUndo() : steps.canRedo());
        } else if (does === 'doubt' || does === 'gap') {
          button.hidden = !(does === 'doubt' ? doubts : holes.length);
        }
      }
    };

    const showWrong = () => {
      of('cue-wrong').textContent = cues[chosen] ? warning(chosen) : '';
      for (const field of [fieldOfStart, fieldOfEnd]) {
        field.removeAttribute('aria-invalid');
      }
    };

    const showChosen = () => {
      const cue = cues[chosen];
      of('cue-desk').hidden = !cue;
      if (!cue) {
        return;
      }
      fieldOfStart.value = clock(cue.start);
      fieldOfEnd.value = clock(cue.end);
      if (stored(fieldOfText.value) !== cue.text || !fieldOfText.matches(':focus')) {
        fieldOfText.value = shown(cue.text);
      }
      const characters = [...seen(cue.text)];
      const words = (cue.doubts ?? []).map(([from, to]) => `“${characters.slice(from, to).join('')}”`);
      of('cue-doubts').textContent = words.length ? `The machine was not sure of ${words.join(', ')}.` : '';
      showWrong();
    };

    const choose = (index, {seeks = true} = {}) => {
      chosen = Math.max(0, Math.min(index, cues.length - 1));
      list.choose(chosen);
      showChosen();
      if (seeks && cues[chosen]) {
        seek(cues[chosen].start);
      }
    };

    /* Changes, which can be undone. */

    const steps = window.hvCueSteps(cues, () => chosen, (then) => {
      chosen = then;
      notes.soon();
      count();
      choose(then, {seeks: false});
      showPlayed();
    });
    const {change} = steps;

    const isChanged = () => facts.isChanged || draft !== '' || steps.canUndo();
    const notes = window.hvCueNotes(written, () => (isChanged() ? write(cues) : null));

    /** Return a changed cue; one with other times must be within the video. */
    const edited = (cue, values) => {
      const made = {...cue, doubts: null, ...values};
      return {...made, isKept: cue.isKept && made.start === cue.start && made.end === cue.end};
    };

    /** Set times of the chosen cue, and move it to where it belongs by its start. */
    const setTimes = (values) => {
      const {at, added, then} = moved(cues, chosen, edited(cues[chosen], values));
      change(at, added.length, added, {then});
    };

    /** Take over times that are written in the fields; return whether they are times. */
    const takeTimes = () => {
      const cue = cues[chosen];
      if (!cue) {
        return true;
      }
      const fields = {start: fieldOfStart, end: fieldOfEnd};
      const values = {};
      for (const [name, field] of Object.entries(fields)) {
        if (field.value.trim() !== clock(cue[name])) {
          values[name] = readClock(field.value);
        }
      }
      const bad = Object.keys(values).find((name) => values[name] === null);
      if (bad) {
        fields[bad].setAttribute('aria-invalid', 'true');
        of('cue-wrong').textContent = 'Write a time such as 1:02.500.';
        fields[bad].focus();
        return false;
      }
      if (Object.keys(values).some((name) => values[name] !== cue[name])) {
        setTimes(values);
      }
      return true;
    };

    const add = () => {
      const at = played.atMs ?? cues[chosen]?.end ?? 0;
      const under = lastAt(cues, at);
      const begins = cues[under]?.end > at ? cues[under].end : at;
      const index = lastAt(cues, begins) + 1;
      const hole = holes.find(([from, to]) => from <= begins && begins < to);
      const ends = Math.min(
        hole ? hole[1] : begins + STEP_MS, cues[index]?.start ?? Infinity, Math.max(facts.endMs, begins));
      const cue = {
        start: begins, end: Math.max(ends, begins + SHORTEST_MS), settings: '', text: '', doubts: null,
      };
      change(index, 0, [cue], {then: index});
      fieldOfText.focus();
    };

    const split = () => {
      const cue = cues[chosen];
      const text = fieldOfText.value;
      const at = fieldOfText.selectionStart;
      const halves = [text.slice(0, at), text.slice(at)].map((one) => stored(one.trim()));
      if (!cue || halves.includes('')) {
        say('Put the cursor into the text, where the cue shall be split.');
        return;
      }
      const middle = cue.start + Math.round(((cue.end - cue.start) * at) / text.length);
      change(chosen, 1, [
        edited(cue, {end: middle, text: halves[0]}), edited(cue, {start: middle, text: halves[1]}),
      ], {then: chosen});
      say('Split');
    };

    const merge = () => {
      const [cue, next] = [cues[chosen], cues[chosen + 1]];
      if (!cue || !next) {
        return;
      }
      const isShort = ![cue, next].some((one) => one.text.includes('\n'));
      const text = [cue.text, next.text].filter(Boolean).join(isShort ? '\n' : ' ');
      change(chosen, 2, [edited(cue, {end: Math.max(cue.end, next.end), text})]);
      say('Merged');
    };

    const remove = () => {
      if (cues[chosen]) {
        change(chosen, 1, [], {then: Math.min(chosen, cues.length - 2)});
        say('Deleted');
      }
    };

    /** Choose the next cue, from the chosen one on and around, that meets a condition. */
    const chooseNext = (isWanted) => {
      for (let step = 1; step <= cues.length; step += 1) {
        const index = (chosen + step) % cues.length;
        if (isWanted(cues[index])) {
          choose(index);
          return true;
        }
      }
      return false;
    };

    const toGap = () => {
      const at = played.atMs ?? -1;
      const hole = holes.find(([from]) => from > at) ?? holes[0];
      if (hole) {
        seek(hole[0]);
        say(`Speech without captions at ${clock(hole[0])}. Alt+N adds a cue.`);
      }
    };

    const finder = window.hvCueFinder(cues, {chosen: () => chosen, chooseNext, edited, change});

    const DOES = {
      ...finder,
      ...steps,
      add,
      split,
      merge,
      remove,
      before: () => choose(chosen - 1),
      after: () => choose(chosen + 1),
      start: () => played.atMs !== null && cues[chosen] && setTimes({start: played.atMs}),
      end: () => played.atMs !== null && cues[chosen] && setTimes({end: played.atMs}),
      doubt: () => chooseNext((cue) => cue.doubts !== null),
      gap: toGap,
    };

    const perform = (does) => {
      if (does === 'undo' || does === 'redo' || takeTimes()) {
        DOES[does]();
      }
    };

    const KEYS = {
      KeyK: player.playOrPause,
      KeyJ: () => seek((played.atMs ?? 0) - STEP_MS),
      KeyL: () => seek((played.atMs ?? 0) + STEP_MS),
      KeyR: finder.open,
    };
    const ALT = {
      KeyI: 'start', KeyO: 'end', ArrowUp: 'before', ArrowDown: 'after', KeyN: 'add', Enter: 'split',
      KeyM: 'merge', KeyX: 'remove', KeyU: 'doubt', KeyG: 'gap',
    };

    const undoKey = (event) => {
      const key = event.key.toLowerCase();
      const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey;
      if (!isCommand || !['z', 'y'].includes(key) || event.target.closest?.('.cue-finder')) {
        return '';
      }
      return key === 'y' || event.shiftKey ? 'redo' : 'undo';
    };

    document.addEventListener('keydown', (event) => {
      const does = undoKey(event);
      if (does) {
        event.preventDefault();
        perform(does);
        return;
      }
      const isAlt = event.altKey && !event.ctrlKey && !event.metaKey && !event.shiftKey;
      if (isAlt && (ALT[event.code] || KEYS[event.code])) {
        event.preventDefault();
        if (ALT[event.code]) {
          perform(ALT[event.code]);
        } else {
          KEYS[event.code]();
        }
      }
    });

    of('cues').addEventListener('keydown', (event) => {
      if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) {
        return;
      }
      const page = list.pageLength();
      const places = {
        ArrowUp: chosen - 1, ArrowDown: chosen + 1, PageUp: chosen - page, PageDown: chosen + page,
        Home: 0, End: cues.length - 1,
      };
      if (event.key in places && takeTimes()) {
        event.preventDefault();
        choose(places[event.key]);
      } else if (event.key === 'Enter') {
        event.preventDefault();
        fieldOfText.focus();
      } else if (event.key === 'Delete') {
        event.preventDefault();
        perform('remove');
      }
    });

    of('cues').addEventListener('click', ({target}) => {
      const index = list.indexOf(target);
      if (index >= 0 && takeTimes()) {
        choose(index);
      }
    });

    editor.addEventListener('click', ({target}) => {
      const does = target.closest?.('button')?.dataset.does;
      if (does) {
        perform(does);
      }
    });

    fieldOfText.addEventListener('input', () => {
      change(chosen, 1, [edited(cues[chosen], {text: stored(fieldOfText.value)})], {kind: 'text'});
    });
    fieldOfText.addEventListener('blur', showChosen);
    [fieldOfStart, fieldOfEnd].forEach((field) => field.addEventListener('change', takeTimes));

    /* Saving, and leaving. */

    const PLACE = `cue ${location.pathname}`;

    form.addEventListener('submit', (event) => {
      if (!takeTimes()) {
        event.preventDefault();
        return;
      }
      const bad = cues.findIndex((_, index) => warning(index));
      if (bad >= 0) {
        event.preventDefault();
        choose(bad);
        fieldOfText.focus();
        window.hvDashboard.tell(`Not saved: ${of('cue-wrong').textContent}`, 'danger');
        return;
      }
      notes.stop();
      written.value = write(cues);
      isSent = true;
      try {
        sessionStorage.setItem(PLACE, cues[chosen]?.start ?? 0);
      } catch {
        // Then the first cue is chosen after it is saved.
      }
    });

    of('messages').addEventListener('click', ({target}) => {
      if (target.closest('.stays button')) {
        // The draft is discarded.
        notes.stop();
        isSent = true;
        location.reload();
      }
    });

    window.addEventListener('beforeunload', (event) => {
      if (!isSent && isChanged()) {
        event.preventDefault();
      }
    });

    const placeBefore = () => {
      try {
        return Number(sessionStorage.getItem(PLACE) ?? 0);
      } catch {
        return 0;
      }
    };

    cues.forEach((cue, index) => {
      // What nobody has changed may be behind the end of the video.
      Object.assign(cue, {doubts: (!draft && facts.doubts[index]) || null, isKept: true});
    });
    for (const name of ['cue-tools', 'cue-place']) {
      of(name).hidden = false;
    }
    count();
    const firstWrong = cues.findIndex((_, index) => warning(index));
    choose(firstWrong >= 0 ? firstWrong : Math.max(0, lastAt(cues, placeBefore())), {seeks: false});
  };

  if (form) {
    written.disabled = false;
  }
  if (cues) {
    start();
  } else if (form) {
    written.value = text;
    written.hidden = false;
  }
}
