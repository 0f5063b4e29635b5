/*
 * The page of uploads: the files that are chosen or dropped, and those of earlier visits.
 *
 * What was begun is in the browser's storage, so that it is known after a reload. The
 * browser does not give the file back, though: whoever wants to go on chooses it again.
 */
'use strict';

{
  const form = document.getElementById('uploads');
  const drop = document.getElementById('drop');
  const {maxBytes} = form.dataset;
  const {begun, forget, hold, isHeld, saysGone} = window.hvBegun;
  const {makeRow} = window.hvUploadRows;
  const {refusalOf} = window.hvUploadChecks;
  const {SentFile, interrupted, reasonOf, running, waiting} = window.hvSentFiles;

  const add = async (file) => {
    const line = makeRow(file.name);
    line.offer();
    const refusal = await refusalOf(file, Number(maxBytes));
    if (!refusal) {
      new SentFile(file, line, add).add();
      return;
    }
    line.offer('discard');
    line.offerSettings(false);
    line.on('discard', () => line.row.remove());
    line.fail(refusal);
  };

  // Those that have not begun follow the settings above, unless they have their own.
  form.addEventListener('change', () => waiting.forEach(({line}) => line.follow()));

  /** Say how an upload is that this tab has no file of, until it is over. */
  const watch = async ({uploadUrl, urlStorageKey}, line) => {
    if (await isHeld(uploadUrl)) {
      line.offer();
      line.say('Another tab sends it.');
      (await hold(uploadUrl, {}))();
    }
    // It may have come to its end there.
    if (!(await begun()).some((one) => one.urlStorageKey === urlStorageKey)) {
      line.row.remove();
      return;
    }
    line.offer('discard');
    line.say('Cut off. Choose or drop the same file again, and it goes on where it was.');
  };

  const discardBegun = async (before, line) => {
    const release = await hold(before.uploadUrl);
    if (!release) {
      watch(before, line);
      return;
    }
    try {
      await tus.Upload.terminate(before.uploadUrl, {retryDelays: []});
    } catch (error) {
      // 409: it is whole, and so no upload any more.
      const answer = error.originalResponse;
      if (!answer || !(saysGone(answer) || answer.getStatus() === 409)) {
        line.fail(reasonOf(error));
        return;
      }
    } finally {
      release();
    }
    await forget(before.uploadUrl);
    line.row.remove();
  };

  /** List what an earlier visit has left unfinished, and what other tabs send. */
  const listInterrupted = async () => {
    for (const before of await begun()) {
      const line = makeRow(before.metadata.fileName);
      line.offerSettings(false);
      interrupted.set(before.urlStorageKey, line.row);
      line.on('discard', () => discardBegun(before, line));
      watch(before, line);
    }
  };

  // Another tab has come to the end of it; its lock may be heard of before.
  window.addEventListener('storage', ({key, newValue}) => {
    if (newValue === null) {
      interrupted.get(key)?.remove();
    }
  });
  document.getElementById('files').addEventListener('change', ({target}) => {
    [...target.files].forEach(add);
    target.value = '';
  });
  // A file that misses the place must not take the page away.
  for (const name of ['dragover', 'drop']) {
    document.addEventListener(name, (event) => event.preventDefault());
  }
  document.addEventListener('dragover', () => drop.classList.add('over'));
  document.addEventListener('dragleave', ({relatedTarget}) => {
    drop.classList.toggle('over', relatedTarget !== null);
  });
  document.addEventListener('drop', ({dataTransfer}) => {
    drop.classList.remove('over');
    [...dataTransfer.files].forEach(add);
  });
  window.addEventListener('beforeunload', (event) => {
    if (running.size) {
      event.preventDefault();
    }
  });
  listInterrupted();
}
