/*
 * Files from this computer, in pieces: a cut off upload goes on where it was.
 *
 * What was begun is in the browser's storage, so that it is known after a reload. The
 * browser does not give the file back, though: whoever wants to go on chooses it again.
 */
'use strict';

{
  const AT_ONCE = 2;
  const TYPES = ['video/mp4', 'video/quicktime', 'video/x-msvideo', 'video/webm', 'video/x-matroska'];
  const form = document.getElementById('uploads');
  const list = document.getElementById('files-list');
  const template = document.getElementById('upload-row');
  const drop = document.getElementById('drop');
  const token = document.querySelector('meta[name="change-token"]').content;
  const {nonce} = document.querySelector('script[nonce]');
  const {endpoint, video: videoPage, state: statePart, maxBytes} = form.dataset;
  const waiting = [];
  const running = new Set();

  const size = (bytes) => new Intl.NumberFormat(undefined, {
    style: 'unit', unit: 'megabyte', maximumFractionDigits: 1,
  }).format(bytes / 1e6);

  /** A line of the list, and what it says. */
  const makeRow = (name) => {
    const row = template.content.cloneNode(true).firstElementChild;
    row.querySelector('.upload-name').textContent = name;
    const button = (act) => row.querySelector(`[data-act="${act}"]`);
    const bar = row.querySelector('progress');
    bar.setAttribute('aria-label', `Upload of ${name}`);
    list.append(row);
    return {
      row,
      say: (text) => { row.querySelector('.upload-state').textContent = text; },
      show: (done) => { bar.value = done; },
      offer: (...acts) => {
        for (const act of ['pause', 'resume', 'discard']) {
          button(act).hidden = !acts.includes(act);
        }
      },
      on: (act, what) => button(act).addEventListener('click', what),
    };
  };

  const reasonOf = (error) => {
    const answer = error.originalResponse;
    if (!answer) {
      return 'The connection was cut off.';
    }
    try {
      return JSON.parse(answer.getBody()).detail;
    } catch {
      return `The service answered ${answer.getStatus()}.`;
    }
  };

  const showVideo = (line, videoId) => {
    const place = document.createElement('div');
    place.setAttribute('hx-nonce', nonce);
    place.setAttribute('hx-get', statePart.replace('VIDEO', videoId));
    place.setAttribute('hx-trigger', 'load');
    place.setAttribute('hx-swap', 'outerHTML');
    const link = document.createElement('a');
    link.href = videoPage.replace('VIDEO', videoId);
    const name = line.row.querySelector('.upload-name');
    link.textContent = name.textContent;
    name.replaceChildren(link);
    line.row.querySelector('progress').replaceWith(place);
    line.say('');
    htmx.process(place);
  };

  const startNext = () => {
    while (running.size < AT_ONCE && waiting.length) {
      const next = waiting.shift();
      running.add(next);
      next.start();
    }
  };

  const settled = (upload) => {
    running.delete(upload);
    startNext();
  };

  const queue = (upload, line) => {
    line.offer('pause', 'discard');
    line.say('Waiting');
    waiting.push(upload);
    startNext();
  };

  const leave = (upload) => {
    const at = waiting.indexOf(upload);
    if (at >= 0) {
      waiting.splice(at, 1);
    }
  };

  const metadataOf = (file) => {
    const wanted = new FormData(form);
    const metadata = {
      fileName: file.name,
      videoQuality: wanted.get('videoQuality'),
      allowPublicAccess: String(wanted.has('allowPublicAccess')),
    };
    return TYPES.includes(file.type) ? {...metadata, contentType: file.type} : metadata;
  };

  const add = async (file) => {
    const line = makeRow(file.name);
    line.offer('discard');
    line.on('discard', () => line.row.remove());
    if (file.size === 0 || file.size > Number(maxBytes)) {
      line.row.classList.add('failed');
      line.say(file.size ? 'It is larger than the service takes.' : 'It is empty.');
      return;
    }
    let videoId = '';
    let isWhole = false;
    const upload = new tus.Upload(file, {
      endpoint,
      metadata: metadataOf(file),
      retryDelays: [0, 1000, 3000, 5000, 10000, 20000],
      removeFingerprintOnSuccess: true,
      onBeforeRequest: (request) => {
        // Only our own address gets the token; the bytes go elsewhere.
        if (request.getMethod() === 'POST') {
          request.setHeader('X-HV-Change-Token', token);
        }
      },
      onAfterResponse: (request, response) => {
        if (request.getMethod() === 'POST') {
          videoId = response.getHeader('X-Asset-Id') ?? '';
          upload.options.metadata.videoId = videoId;
        }
      },
      onProgress: (sent, total) => {
        line.show(sent / total);
        line.say(`${size(sent)} of ${size(total)}`);
      },
      onSuccess: () => {
        isWhole = true;
        line.offer('discard');
        settled(upload);
        showVideo(line, videoId);
      },
      onError: (error) => {
        line.row.classList.add('failed');
        line.say(reasonOf(error));
        line.offer('resume', 'discard');
        settled(upload);
      },
    });
    line.on('pause', () => {
      leave(upload);
      upload.abort();
      line.offer('resume', 'discard');
      line.say('Paused');
      settled(upload);
    });
    line.on('resume', () => {
      line.row.classList.remove('failed');
      queue(upload, line);
    });
    line.on('discard', () => {
      leave(upload);
      if (!isWhole) {
        // On the server, too.
        upload.abort(true).catch(() => {});
      }
      settled(upload);
    });
    const [before] = await upload.findPreviousUploads();
    if (before) {
      videoId = before.metadata.videoId ?? '';
      upload.resumeFromPreviousUpload(before);
      interrupted.get(before.urlStorageKey)?.remove();
    }
    queue(upload, line);
  };

  const interrupted = new Map();

  /** List what an earlier visit has left unfinished. */
  const listInterrupted = async () => {
    const storage = tus.defaultOptions.urlStorage;
    for (const before of await storage.findAllUploads()) {
      if (!before.urlStorageKey.includes(endpoint)) {
        continue;
      }
      const line = makeRow(before.metadata.fileName);
      interrupted.set(before.urlStorageKey, line.row);
      line.offer('discard');
      line.say('Cut off. Choose or drop the same file again, and it goes on where it was.');
      line.on('discard', () => {
        storage.removeUpload(before.urlStorageKey);
        tus.Upload.terminate(before.uploadUrl).catch(() => {});
        line.row.remove();
      });
    }
  };

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
