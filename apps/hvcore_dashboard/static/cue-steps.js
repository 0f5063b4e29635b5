/*
 * Steps of editing, which can be undone: each puts some cues in the place of others.
 */
'use strict';

/**
 * Return the steps that change an array of cues.
 *
 * chosen: returns the index of the chosen cue.
 * changed: called with the index to choose after each change.
 */
window.hvCueSteps = (cues, chosen, changed) => {
  /* A pause in writing after which the next letter is a step of its own. */
  const PAUSE_MS = 1500;
  const done = [];
  const undone = [];

  const put = (at, removed, added, then) => {
    cues.splice(at, removed.length, ...added);
    changed(then);
  };

  /** Put cues in the place of others; steps of one kind at one cue are undone together. */
  const change = (at, removedCount, added, {kind = '', then = at} = {}) => {
    const removed = cues.slice(at, at + removedCount);
    const last = done.at(-1);
    const time = performance.now();
    undone.length = 0;
    if (kind && last?.kind === kind && last.at === at && time - last.time < PAUSE_MS) {
      Object.assign(last, {added, time});
    } else {
      done.push({at, removed, added, kind, time, from: chosen(), then});
    }
    put(at, removed, added, then);
  };

  const undo = () => {
    const step = done.pop();
    if (step) {
      undone.push(step);
      put(step.at, step.added, step.removed, step.from);
    }
  };

  const redo = () => {
    const step = undone.pop();
    if (step) {
      done.push(step);
      put(step.at, step.removed, step.added, step.then);
    }
  };

  return {change, undo, redo, canUndo: () => done.length > 0, canRedo: () => undone.length > 0};
};
