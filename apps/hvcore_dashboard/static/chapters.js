/*
 * The rows of chapters: added, removed, and set to the player's time.
 */
'use strict';

{
  const list = document.getElementById('chapter-list');
  /* What the player last said; it says something whenever its time changes. */
  let playedS = 0;

  const clock = (atS) => {
    const [hours, minutes, seconds] = [atS / 3600, (atS / 60) % 60, atS % 60].map(Math.floor);
    return [hours, ...[minutes, seconds].map((part) => String(part).padStart(2, '0'))].join(':');
  };

  window.addEventListener('message', ({data, source, origin}) => {
    const frame = document.getElementById('player');
    const isPlayer = frame && source === frame.contentWindow
      && origin === new URL(frame.src).origin;
    if (isPlayer && Number.isFinite(data?.state?.currentTime)) {
      playedS = data.state.currentTime;
    }
  });

  /** Give a row another number, in all names that screen readers and the service see. */
  const number = (row, to) => {
    for (const element of row.querySelectorAll('*')) {
      for (const name of ['id', 'name', 'for', 'aria-label']) {
        const text = element.getAttribute(name);
        if (text !== null) {
          element.setAttribute(name, text.replace(/[0-9]+$/, to));
        }
      }
    }
    const labels = row.querySelectorAll('label');
    labels.forEach((label) => { label.textContent = label.textContent.replace(/[0-9]+$/, to); });
  };

  const startOf = (row) => row.querySelector('.chapter-start input');

  const numberOf = (row) => Number(startOf(row).name.split('-')[1]);

  const add = () => {
    const rows = [...list.children];
    const row = rows.at(-1).cloneNode(true);
    for (const field of row.querySelectorAll('input')) {
      field.removeAttribute('value');
      field.value = '';
      field.removeAttribute('aria-invalid');
      field.removeAttribute('aria-describedby');
    }
    row.querySelectorAll('.field-error').forEach((error) => error.remove());
    number(row, Math.max(...rows.map(numberOf)) + 1);
    list.append(row);
    return row;
  };

  const remove = (row) => {
    const next = row.nextElementSibling ?? row.previousElementSibling ?? add();
    const {form} = startOf(row);
    row.remove();
    startOf(next).focus();
    startOf(next).dispatchEvent(new Event('input', {bubbles: true}));
    return form;
  };

  document.addEventListener('click', ({target}) => {
    const button = target.closest?.('button');
    const row = button?.closest('.chapter');
    if (button && 'adds' in button.dataset) {
      startOf(add()).focus();
    } else if (row && 'removes' in button.dataset) {
      remove(row);
    } else if (row && 'playerTime' in button.dataset) {
      const field = startOf(row);
      field.value = clock(playedS);
      field.dispatchEvent(new Event('input', {bubbles: true}));
      row.querySelector('.chapter-title input').focus();
    }
  });
}
