/*
 * What is written into forms, kept in this tab until it is saved.
 *
 * A session may end while somebody writes. What was changed is put into the form again
 * once the person is back, with what the form had shown: if somebody else has changed
 * the same meanwhile, the service asks.
 */
'use strict';

{
  const KEY = 'drafts';
  const SENT = 'sent-form';
  const WRITTEN = 'input:not([type="hidden"], [type="file"], [type="password"]), select, textarea';
  const person = document.querySelector('meta[name="person"]')?.content;
  // Pages of another environment have the same path.
  const placeOf = (address) => {
    const env = address.searchParams.get('env');
    return env ? `${address.pathname}?env=${env}` : address.pathname;
  };
  const here = placeOf(new URL(location.href));

  const read = () => {
    try {
      return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
    } catch {
      return {};
    }
  };

  const store = (drafts) => {
    try {
      if (Object.keys(drafts).length) {
        sessionStorage.setItem(KEY, JSON.stringify(drafts));
      } else {
        sessionStorage.removeItem(KEY);
      }
    } catch {
      // Full, or not allowed: what is written is lost with the page, as without this.
    }
  };

  const nameOf = (form) => `${placeOf(new URL(form.action))}#${form.id}`;

  /** Return the name of the form that this tab has sent last. */
  const sentLast = () => {
    try {
      return sessionStorage.getItem(SENT);
    } catch {
      return null;
    }
  };

  /** Return the fields of a form that people write into, by name. */
  const fieldsOf = (form) => {
    const found = new Map();
    for (const field of form.elements) {
      if (field.name && field.matches(WRITTEN)) {
        found.set(field.name, [...(found.get(field.name) ?? []), field]);
      }
    }
    return found;
  };

  const isTicked = (field) => field.type === 'checkbox' || field.type === 'radio';

  const optionsOf = (select, isFirst) => {
    const chosen = [...select.options].filter((one) =>
      (isFirst ? one.defaultSelected : one.selected));
    return (chosen.length ? chosen : [...select.options].slice(0, 1)).map((one) => one.value);
  };

  /** Return what stands in fields of one name, or what stood there at first. */
  const valuesOf = (fields, isFirst = false) => fields.flatMap((field) => {
    if (isTicked(field)) {
      return (isFirst ? field.defaultChecked : field.checked) ? [field.value] : [];
    }
    if (field instanceof HTMLSelectElement) {
      return optionsOf(field, isFirst);
    }
    return [isFirst ? field.defaultValue : field.value];
  });

  const shownOf = (form, name) => form.elements.namedItem(`shown.${name}`);

  /** Return what a form's page had shown in fields of one name. */
  const shownIn = (found, shown) =>
    (isTicked(found[0])
      ? found.map((one) => one.value).filter((one) => one === shown.value)
      : [shown.value]);

  const areSame = (some, others) =>
    JSON.stringify(some.map((one) => one.trim())) === JSON.stringify(others.map((one) => one.trim()));

  /** Keep what a form has that it did not show. */
  const note = (form, isSent = false) => {
    const fields = {};
    for (const [name, found] of fieldsOf(form)) {
      const shown = shownOf(form, name);
      const values = valuesOf(found);
      if (!areSame(values, shown ? shownIn(found, shown) : valuesOf(found, true))) {
        fields[name] = {values, shown: shown?.value ?? null};
      }
    }
    const drafts = read();
    delete drafts[nameOf(form)];
    if (Object.keys(fields).length) {
      drafts[nameOf(form)] = {page: here, person, isSent, fields};
    }
    store(drafts);
  };

  const put = (fields, values) => {
    for (const field of fields) {
      if (isTicked(field)) {
        field.checked = values.includes(field.value);
      } else {
        [field.value] = values;
      }
    }
  };

  /** Put values into a form; return the fields that have others now, and how they were. */
  const fill = (form, draft) => {
    const fields = fieldsOf(form);
    const filled = [];
    for (const [name, {values, shown}] of Object.entries(draft.fields)) {
      const found = fields.get(name);
      if (!found || areSame(valuesOf(found), values)) {
        continue;
      }
      const before = shownOf(form, name);
      filled.push({found, sent: valuesOf(found, true), before, shown: before?.value});
      put(found, values);
      if (before && shown !== null) {
        before.value = shown;
      }
    }
    return filled;
  };

  /** Have forms as they came, and keep nothing of them. */
  const discard = (forms, filled) => {
    const names = forms.map(nameOf);
    store(Object.fromEntries(Object.entries(read()).filter(([name]) => !names.includes(name))));
    for (const {found, sent, before, shown} of filled) {
      put(found, sent);
      if (before) {
        before.value = shown;
      }
    }
    document.querySelector('#messages > .stays').remove();
  };

  const draftForms = () => [...document.querySelectorAll('form[data-draft]')];

  /** Fill in what was written; a form that was refused has it already. */
  const restore = () => {
    const drafts = read();
    const isRefused = document.getElementById('not-saved') !== null;
    const sent = isRefused ? sentLast() : null;
    const forms = draftForms().filter((form) => nameOf(form) !== sent && drafts[nameOf(form)]);
    const filled = forms.flatMap((form) => fill(form, drafts[nameOf(form)]));
    if (!filled.length) {
      return;
    }
    window.hvDashboard.tell(
      isRefused
        ? 'What you wrote into other forms here is in them again. It is not saved yet.'
        : 'What you wrote here is in the form again. It is not saved yet.',
      'warn',
      {text: 'Discard it', act: () => discard(forms, filled)},
    );
    if (!isRefused) {
      window.hvDashboard.lead(filled[0].found[0]);
    }
  };

  /** Forget what was saved, what belongs to somebody else, and what was left behind. */
  const tidy = () => {
    const isDone = document.querySelector('[data-done]') !== null;
    // Of several drafts, what was done is that of the form that was sent last.
    const sent = isDone ? sentLast() : null;
    // A form that was refused is shown at its own address, beside others of the page.
    const shown = draftForms().map(nameOf);
    const drafts = Object.entries(read()).filter(([name, draft]) => draft.person === person
      && name !== sent && (draft.isSent || draft.page === here || shown.includes(name)));
    store(Object.fromEntries(drafts));
  };

  if (document.querySelector('[data-forgets-drafts]')) {
    store({});
  } else if (person === undefined) {
    // Signing in comes between: the page that is opened next may be another one.
    const kept = Object.entries(read()).map(([name, draft]) => [name, {...draft, isSent: true}]);
    store(Object.fromEntries(kept));
  } else {
    tidy();
    restore();
    for (const kind of ['input', 'change']) {
      document.addEventListener(kind, ({target}) => {
        if (target.form?.matches('form[data-draft]')) {
          note(target.form);
        }
      });
    }
    document.addEventListener('submit', (event) => {
      if (event.defaultPrevented) {
        return;
      }
      try {
        sessionStorage.setItem(SENT, nameOf(event.target));
      } catch {
        // As in store().
      }
      if (event.target.matches('form[data-draft]')) {
        note(event.target, true);
      }
    });
  }
}
