/*
 * Changes of captions, noted while somebody edits them: drafts.js keeps what stands in a form.
 *
 * A page that is lost (a browser that crashes, a machine that is switched off) is opened again
 * with all but what was changed in the last two seconds.
 */
'use strict';

/**
 * Return functions that note the edited captions in a field of the form soon, and that stop it.
 *
 * text: returns the captions as they are now; null if they are as they came.
 */
window.hvCueNotes = (field, text) => {
  const NOTES_EVERY_MS = 2000;
  let timer = 0;
  let isStopped = false;

  const note = () => {
    timer = 0;
    // No draft is kept of a field that is as the page has shown it.
    field.value = text() ?? field.form.elements.namedItem(`shown.${field.name}`).value;
    field.dispatchEvent(new Event('input', {bubbles: true}));
  };

  return {
    soon: () => {
      if (!timer && !isStopped) {
        timer = setTimeout(note, NOTES_EVERY_MS);
      }
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
};
