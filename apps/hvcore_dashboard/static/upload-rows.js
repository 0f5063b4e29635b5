/*
 * The lines of the list of uploads: what each says, what it offers to press, and the
 * settings of its video.
 */
'use strict';

{
  const list = document.getElementById('files-list');
  const template = document.getElementById('upload-row');
  const defaults = document.getElementById('uploads');
  const QUALITIES = {standard: 'Standard', high: 'High', ultra: 'Ultra'};
  const {notify} = window.hvUploadChecks;
  const watched = new Map();

  /** Return the settings above the list, which hold for files without their own. */
  const defaultsNow = () => {
    const sent = new FormData(defaults);
    return {
      videoQuality: sent.get('videoQuality'),
      allowPublicAccess: String(sent.has('allowPublicAccess')),
      tags: sent.get('tags') ?? '',
    };
  };

  /** Add a line to the list; return what it can say and offer. */
  const makeRow = (name) => {
    const row = template.content.cloneNode(true).firstElementChild;
    row.querySelector('.upload-name').textContent = name;
    const button = (act) => row.querySelector(`[data-act="${act}"]`);
    const bar = row.querySelector('progress');
    bar.setAttribute('aria-label', `Upload of ${name}`);
    const editor = row.querySelector('.upload-edit');
    editor.querySelector('.unseen').textContent = ` of ${name}`;
    const fields = new Map([...editor.querySelectorAll('[data-field]')]
      .map((field) => [field.dataset.field, field]));
    const touched = new Set();
    editor.addEventListener('input', ({target}) => touched.add(target.dataset.field));
    fields.get('videoName').value = name.replace(/(?!^)\.[^.]*$/, '');

    const line = {
      row,
      /** Take over the settings above, as far as nobody has set others here. */
      follow: () => {
        for (const [field, value] of Object.entries(defaultsNow())) {
          if (!touched.has(field)) {
            fields.get(field).value = value;
          }
        }
      },
      /** Take over the texts of an upload that was begun before. */
      recall: (metadata) => {
        for (const field of ['videoName', 'tags', 'description']) {
          if (!touched.has(field) && metadata[field] !== undefined) {
            fields.get(field).value = metadata[field];
          }
        }
      },
      settings: () => ({
        videoQuality: fields.get('videoQuality').value,
        allowPublicAccess: fields.get('allowPublicAccess').value,
      }),
      /** Return the texts: all that there are, or those that were written here. */
      texts: ({onlyTouched}) => Object.fromEntries(['videoName', 'tags', 'description']
        .filter((field) => (onlyTouched ? touched.has(field) : fields.get(field).value.trim()))
        .filter((field) => onlyTouched || field !== 'videoName' || touched.has(field))
        .map((field) => [field, fields.get(field).value.trim()])),
      onEdit: (act) => editor.addEventListener('change', act),
      offerSettings: (isOffered) => { editor.hidden = !isOffered; },
      keepQuality: () => { fields.get('videoQuality').disabled = true; },
      note: (text) => { editor.querySelector('.upload-noted').textContent = text; },
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
      /** Watch what becomes of the video, and say it once. */
      watch: () => { watched.set(row, name); },
      get hasFailed() {
        return row.querySelector('.video-state .badge.danger') !== null;
      },
    };
    line.follow();
    list.append(row);
    return line;
  };

  document.addEventListener('htmx:after:swap', () => {
    for (const [row, name] of watched) {
      const end = row.querySelector('.video-state .badge.good, .video-state .badge.danger');
      if (end || !row.isConnected) {
        watched.delete(row);
      }
      if (end && row.isConnected) {
        const why = row.querySelector('.video-state .field-error')?.textContent;
        notify(name, why ?? end.textContent);
      }
    }
  });

  window.hvUploadRows = {makeRow};
}
