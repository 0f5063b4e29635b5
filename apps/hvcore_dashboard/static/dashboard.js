/*
 * What pages do by themselves: dates in the reader's zone, copying, dialogs, menus.
 *
 * Elements ask for it by attributes, so that fragments that htmx brings need no calls.
 */
'use strict';

const FORMATS = {
  moment: {dateStyle: 'medium', timeStyle: 'short'},
  day: {dateStyle: 'medium'},
};
const STEPS = [['day', 86400], ['hour', 3600], ['minute', 60]];

const ago = (at) => {
  const seconds = (at - Date.now()) / 1000;
  const [unit, size] = STEPS.find(([, step]) => Math.abs(seconds) >= step) ?? ['second', 1];
  return new Intl.RelativeTimeFormat(undefined, {numeric: 'auto'})
    .format(Math.trunc(seconds / size), unit);
};

/** Show moments as the reader's clock and language have them. */
const showTimes = (root) => {
  for (const time of root.querySelectorAll('time[data-local]')) {
    const at = new Date(time.dateTime);
    const long = new Intl.DateTimeFormat(undefined, {dateStyle: 'full', timeStyle: 'long'});
    time.title = long.format(at);
    time.textContent = time.dataset.local === 'ago'
      ? ago(at)
      : new Intl.DateTimeFormat(undefined, FORMATS[time.dataset.local || 'day']).format(at);
  }
};

/** Say something where screen readers hear it and everybody sees it. */
const tell = (text, tone = 'good', choice = null) => {
  const message = document.createElement('div');
  message.className = `message ${tone}`;
  const words = document.createElement('p');
  words.textContent = text;
  message.append(words);
  if (choice) {
    message.classList.add('stays');
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'secondary';
    button.textContent = choice.text;
    button.addEventListener('click', choice.act);
    message.append(button);
  }
  // That something was not saved stays true.
  const refusal = document.querySelectorAll('#not-saved');
  document.getElementById('messages').replaceChildren(...refusal, message);
};

/** Open whatever is folded around an element. */
const unfold = (element) => {
  for (let place = element; place; place = place.parentElement) {
    if (place instanceof HTMLDetailsElement && place !== element.closest('.menu')) {
      place.open = true;
    }
  }
};

/** Show a field and put the cursor there, in its dialog if it is in one. */
const lead = (field) => {
  unfold(field);
  const dialog = field.closest('dialog');
  if (dialog && !dialog.open) {
    dialog.showModal();
  }
  field.scrollIntoView({block: 'center'});
  field.focus({preventScroll: true});
};

/** What is to be taken back of buttons that say that they have copied. */
const copied = new WeakMap();

const showCopied = (button) => {
  const before = copied.get(button);
  clearTimeout(before?.timer);
  const label = before?.label ?? button.getAttribute('aria-label');
  const said = document.getElementById('said');
  said.textContent = 'Copied';
  button.classList.add('copied');
  button.setAttribute('aria-label', 'Copied');
  const timer = setTimeout(() => {
    copied.delete(button);
    said.textContent = '';
    button.classList.remove('copied');
    if (label === null) {
      button.removeAttribute('aria-label');
    } else {
      button.setAttribute('aria-label', label);
    }
  }, 1500);
  copied.set(button, {label, timer});
};

const copy = async (button) => {
  try {
    // Without a text of its own, it copies what is written on it.
    await navigator.clipboard.writeText(button.dataset.copy || button.textContent);
  } catch {
    tell('The browser does not let this page copy. Select the text and copy it.', 'warn');
    return;
  }
  showCopied(button);
};

document.addEventListener('click', (event) => {
  const {target} = event;
  const button = target.closest?.('button');
  if (button?.dataset.copy !== undefined) {
    copy(button);
  } else if (button?.dataset.opens) {
    document.getElementById(button.dataset.opens).showModal();
  } else if (button && 'closes' in button.dataset) {
    button.closest('dialog').close();
  } else if (button && 'searches' in button.dataset) {
    document.querySelector('form[role="search"]').requestSubmit();
  } else if (button?.dataset.takes) {
    const [field] = [button.form.elements.namedItem(button.dataset.takes)].flatMap(
      (one) => (one instanceof RadioNodeList ? [...one] : [one]));
    if (field.type === 'checkbox') {
      field.checked = field.value === button.value.trim();
    } else {
      field.value = button.value.trim();
    }
    field.dispatchEvent(new Event('input', {bubbles: true}));
    button.closest('.stored').remove();
  } else if (button && 'dismisses' in button.dataset) {
    button.closest('.message').remove();
  }
  for (const menu of document.querySelectorAll('details.menu[open]')) {
    menu.open = menu.contains(target);
  }
});

/** Put the cursor into the page's search, unless somebody is writing or a dialog is open. */
const goToSearch = (event) => {
  const field = document.querySelector('form[role="search"] input[type="search"]');
  const isWriting = event.target.closest?.('input, select, textarea, [contenteditable]');
  if (field && !isWriting && !document.querySelector('dialog[open]')) {
    event.preventDefault();
    field.focus();
    field.select();
  }
};

document.addEventListener('keydown', (event) => {
  const isSave = event.key.toLowerCase() === 's' && (event.ctrlKey || event.metaKey)
    && !event.altKey && !event.shiftKey;
  const form = isSave ? document.querySelector('form[data-saved-by-key]') : null;
  if (form && !document.querySelector('dialog[open]')) {
    event.preventDefault();
    // A second press while it is sent sends nothing.
    const button = form.querySelector('button:not([type])');
    if (!event.repeat && !button.disabled) {
      form.requestSubmit(button);
    }
    return;
  }
  if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey) {
    goToSearch(event);
    return;
  }
  if (event.key !== 'Escape') {
    return;
  }
  const menu = document.querySelector('details.menu[open]');
  if (menu) {
    menu.open = false;
    menu.querySelector('summary').focus();
  }
});

const PICTURE_AGAIN_MS = 2000;
const askedAgain = new WeakSet();

// A picture that is not there yet; errors of pictures do not bubble.
document.addEventListener('error', ({target: picture}) => {
  if (!(picture instanceof HTMLImageElement)) {
    return;
  }
  picture.hidden = true;
  if (askedAgain.has(picture)) {
    return;
  }
  askedAgain.add(picture);
  // Of a whole list, more are wanted at once than the service draws: not all again together.
  setTimeout(() => {
    // A browser loads no lazy picture that is hidden.
    picture.hidden = false;
    picture.src = picture.getAttribute('src');
  }, PICTURE_AGAIN_MS * (1 + Math.random()));
}, true);

// Nothing is sent twice by an impatient click.
document.addEventListener('submit', (event) => {
  if (event.defaultPrevented || event.target.method === 'get') {
    return;
  }
  setTimeout(() => {
    for (const button of event.target.querySelectorAll('button:not([type])')) {
      button.disabled = true;
    }
  });
});
window.addEventListener('pageshow', (event) => {
  if (event.persisted) {
    // Back from another page: what it shows may be old.
    location.reload();
  }
});

/** Return whether an answer with an error is for this page, and not a proxy's. */
const isOurs = (ctx) => ['HX-Retarget', 'HX-Redirect'].some((name) =>
  ctx?.response?.headers.has(name));

const LAST = Symbol('number of the last request for this element');
const questions = new WeakMap();
let asked = 0;

/** Return whether the same place, or one around it, was asked for again since. */
const isOvertaken = (ctx) => {
  const {number, target} = questions.get(ctx) ?? {};
  for (let place = target; place; place = place.parentElement) {
    if (place[LAST] > number) {
      return true;
    }
  }
  return false;
};

/** Requests for another page of a list; after the answer, their links are gone. */
const turned = new WeakSet();

document.addEventListener('htmx:before:request', ({detail: {ctx}}) => {
  if (ctx.sourceElement?.closest?.('.pages')) {
    turned.add(ctx);
  }
  if (ctx.target instanceof Element) {
    asked += 1;
    questions.set(ctx, {number: asked, target: ctx.target});
    ctx.target[LAST] = asked;
    if (!asksByItself(ctx.sourceElement)) {
      beginWaiting(ctx);
    }
  }
});
document.addEventListener('htmx:finally:request', ({detail: {ctx}}) => {
  waiting.get(ctx)?.();
});

/** Return whether an element asks by itself, without anybody who presses anything. */
const asksByItself = (source) =>
  /every|load/.test(source?.getAttribute?.('hx-trigger') ?? '');

const SLOW_MS = 500;
const VERY_SLOW_MS = 8000;
const waiting = new WeakMap();

/** Say in the place that is being asked for that its answer takes time. */
const beginWaiting = (ctx) => {
  const note = document.createElement('p');
  note.className = 'muted waiting';
  note.setAttribute('role', 'status');
  const say = (text) => {
    ctx.target.prepend(note);
    note.textContent = text;
  };
  const timers = [
    setTimeout(say, SLOW_MS, 'Waiting for the service…'),
    setTimeout(say, VERY_SLOW_MS, 'The service takes longer than usual. Still waiting…'),
  ];
  waiting.set(ctx, () => {
    timers.forEach(clearTimeout);
    note.remove();
  });
};

/** Say in the place that was asked for that no answer came, with a button to ask again. */
const sayFailure = ({target, sourceElement: source}) => {
  const text = 'The service did not answer. What is here is as it was before.';
  if (!(target instanceof Element) || !target.isConnected) {
    tell('The service did not answer. Look at the connection, and try again.', 'danger');
    return;
  }
  target.querySelector(':scope > .unanswered')?.remove();
  const note = document.createElement('div');
  note.className = 'complaint unanswered';
  note.setAttribute('role', 'alert');
  const words = document.createElement('p');
  words.textContent = text;
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'secondary';
  button.textContent = 'Try again';
  button.addEventListener('click', () => {
    if (source instanceof HTMLFormElement) {
      source.requestSubmit();
    } else {
      source.click();
    }
  });
  note.append(words, button);
  target.prepend(note);
  note.scrollIntoView({block: 'nearest'});
};

/** Leave no list below a word that it was not searched for; say what did not come. */
const noteFailure = ({detail: {ctx}}) => {
  if (isOvertaken(ctx)) {
    return;
  }
  const source = ctx?.sourceElement;
  const isSearch = source?.matches?.('form[role="search"]');
  if (isSearch) {
    const failed = document.getElementById('search-failed').content.cloneNode(true);
    document.getElementById('results').replaceChildren(failed);
  }
  // What moves by itself asks again; our own errors say it themselves.
  if (!isSearch && !asksByItself(source) && !isOurs(ctx)) {
    sayFailure(ctx);
  }
};
document.addEventListener('htmx:response:error', noteFailure);
document.addEventListener('htmx:error', noteFailure);
document.addEventListener('htmx:before:swap', (event) => {
  const {ctx} = event.detail;
  if (isOvertaken(ctx) || (ctx?.response?.status >= 400 && !isOurs(ctx))) {
    event.preventDefault();
  }
});

// What moves by itself stands still once what it shows is gone.
document.addEventListener('htmx:finally:request', ({detail: {ctx}}) => {
  const {sourceElement: source, response} = ctx;
  // A proxy's own answers say nothing of it.
  if (![403, 404, 410].includes(response?.status) || !isOurs(ctx) || !asksByItself(source)) {
    return;
  }
  const still = source.cloneNode(true);
  for (const name of still.getAttributeNames()) {
    if (/^(hx-|data-h(x-|tmx))/.test(name)) {
      still.removeAttribute(name);
    }
  }
  // Its timer ends with it.
  source.replaceWith(still);
  tell('What this page shows was removed meanwhile, or you may not see it any more.', 'warn');
});

document.addEventListener('htmx:after:swap', ({detail}) => {
  showTimes(document);
  const results = document.getElementById('results');
  if (results && turned.has(detail.ctx)) {
    results.focus({preventScroll: true});
    results.scrollIntoView();
  }
});
showTimes(document);

window.hvDashboard = {tell, showTimes, lead};

/** Show what a link leads to, if it is folded. */
const unfoldTarget = () => {
  const target = location.hash ? document.getElementById(location.hash.slice(1)) : null;
  if (target?.closest('details')) {
    unfold(target);
    target.scrollIntoView();
  }
};
window.addEventListener('hashchange', unfoldTarget);
unfoldTarget();

if (document.getElementById('not-saved')) {
  const wrong = document.querySelector('main [aria-invalid="true"], main [data-wrong]')
    ?? document.querySelector('main .complaint');
  if (wrong) {
    lead(wrong);
  }
}

// What is typed is searched for at once. The event that comes later, when the field is
// left, would replace what the reader is clicking at this moment.
for (const field of document.querySelectorAll('input[type="search"]')) {
  field.addEventListener('change', (event) => event.stopPropagation());
}
