/*
 * The lines of the list of uploads: what each says, and what it offers to press.
 */
'use strict';

{
  const list = document.getElementById('files-list');
  const template = document.getElementById('upload-row');
  const QUALITIES = {standard: 'Standard', high: 'High', ultra: 'Ultra'};

  /** Add a line to the list; return what it can say and offer. */
  const makeRow = (name) => {
    const row = template.content.cloneNode(true).firstElementChild;
    row.querySelector('.upload-name').textContent = name;
    const button = (act) => row.querySelector(`[data-act="${act}"]`);
    const bar = row.querySelector('progress');
    bar.setAttribute('aria-label', `Upload of ${name}`);
    list.append(row);
    return {
      row,
      tell: ({videoQuality, allowPublicAccess}) => {
        const access = allowPublicAccess === 'true' ? 'Public' : 'Private';
        row.querySelector('.upload-set').textContent = `${access} · ${QUALITIES[videoQuality]}`;
      },
      fail: (text) => {
        row.classList.add('failed');
        row.querySelector('.upload-state').textContent = text;
      },
      say: (text) => {
        row.classList.remove('failed');
        row.querySelector('.upload-state').textContent = text;
      },
      show: (done) => { bar.value = done; },
      offer: (...acts) => {
        for (const act of ['pause', 'resume', 'discard']) {
          button(act).hidden = !acts.includes(act);
        }
      },
      on: (act, what) => button(act).addEventListener('click', what),
    };
  };

  window.hvUploadRows = {makeRow};
}
