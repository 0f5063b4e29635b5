/*
 * A page that shows a secret is the answer to a form: a reload would send the form
 * again and make a second secret. It leads to the page behind it instead.
 */
'use strict';

const shown = document.querySelector('[data-once]');
if (shown) {
  history.replaceState(null, '', shown.dataset.once);
}
