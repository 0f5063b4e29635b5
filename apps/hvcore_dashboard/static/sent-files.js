/*
 * A file of this tab that is sent in pieces, and the queue of such files.
 *
 * Two are sent at a time. A cut off upload goes on where it was, also in another visit:
 * begun.js knows what was begun.
 */
'use strict';

{
  const AT_ONCE = 2;
  const TYPES = ['video/mp4', 'video/quicktime', 'video/x-msvideo', 'video/webm', 'video/x-matroska'];
  const token = document.querySelector('meta[name="change-token"]').content;
  const {nonce} = document.querySelector('script[nonce]');
  const {endpoint, settings, video: videoPage, state: statePart, gone: deletion} = document
    .getElementById('uploads').dataset;
  const {fingerprintOf, forget, formerOf, hold, isOurs, saysGone} = window.hvBegun;
  const {makeEstimate} = window.hvUploadChecks;
  const waiting = [];
  const running = new Set();

  const size = (bytes) => new Intl.NumberFormat(undefined, {
    style: 'unit', unit: 'megabyte', maximumFractionDigits: 1,
  }).format(bytes / 1e6);

  /** Return what the service says of it; something else may have answered in its place. */
  const detailOf = (status, {detail}) => detail ?? `The service answered ${status}.`;

  const reasonOf = (error) => {
    const answer = error.originalResponse;
    if (!answer) {
      return 'The connection was cut off.';
    }
    try {
      return detailOf(answer.getStatus(), JSON.parse(answer.getBody()));
    } catch {
      return detailOf(answer.getStatus(), {});
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
      next.begin();
    }
  };

  const leave = (one) => {
    const at = waiting.indexOf(one);
    if (at >= 0) {
      waiting.splice(at, 1);
    }
    running.delete(one);
    startNext();
  };

  const wantedOf = (file, line) => {
    const metadata = {fileName: file.name, ...line.settings(), ...line.texts({onlyTouched: false})};
    return TYPES.includes(file.type) ? {...metadata, contentType: file.type} : metadata;
  };

  const post = (address, fields) => fetch(address, {
    method: 'POST',
    headers: {'X-HV-Change-Token': token},
    body: new URLSearchParams(fields),
  });

  /** Have the service make of a begun upload what is wanted by now; return its answer. */
  const setAnew = (videoId, line) => post(
    settings.replace('VIDEO', videoId),
    // Others may have written a text since: only those of this page are sent.
    {...line.settings(), ...line.texts({onlyTouched: true})},
  );

  /** The rows of uploads that this tab has no file of, by their keys in the browser's storage. */
  const interrupted = new Map();

  /**
   * A file of this tab, from its choice until it is whole or discarded.
   *
   * `addAnew` lists a file once more, which begins from the start.
   */
  class SentFile {
    constructor(file, line, addAnew) {
      this.file = file;
      this.line = line;
      this.addAnew = addAnew;
      this.videoId = '';
      this.isWhole = false;
      this.isGone = false;
      this.isOver = false;
      this.isOutage = false;
      this.isElsewhere = false;
      this.release = () => {};
      this.creation = Promise.resolve();
      this.turn = 0;
      this.estimate = makeEstimate();
      this.upload = this.makeUpload();
      line.onEdit(() => this.edited());
      line.on('pause', () => this.pause());
      line.on('resume', () => this.resume());
      line.on('discard', () => this.discard());
    }

    makeUpload() {
      const {file, line} = this;
      return new tus.Upload(file, {
        endpoint,
        fingerprint: async () => fingerprintOf(file),
        retryDelays: [0, 1000, 3000, 5000, 10000, 20000],
        removeFingerprintOnSuccess: true,
        onBeforeRequest: (request) => {
          // Only our own address gets the token; the bytes go elsewhere.
          if (request.getMethod() === 'POST') {
            request.setHeader('X-HV-Change-Token', token);
            this.awaitCreation(request);
          }
        },
        onAfterResponse: (request, response) => this.noteAnswer(request, response),
        onShouldRetry: (...about) => !this.isOver
          && (this.isOutage || tus.defaultOptions.onShouldRetry(...about)),
        onProgress: (sent, total) => {
          line.show(sent / total);
          const left = this.estimate(sent, total);
          line.say(`${size(sent)} of ${size(total)}${left && ` · ${left}`}`);
        },
        onSuccess: () => {
          this.isWhole = true;
          this.release();
          line.offer('discard');
          line.keepQuality();
          line.watch();
          leave(this);
          showVideo(line, this.videoId);
        },
        onError: (error) => this.fail(reasonOf(error)),
      });
    }

    /**
     * Let the request that makes the video come to its end, whatever is pressed meanwhile.
     *
     * The service may have made the video before the answer is here: of a request that is
     * cut off nobody could discard it, and to go on would make another one.
     */
    awaitCreation(request) {
      request.abort = async () => {};
      this.creation = new Promise((done) => {
        // Once the library has seen to the end of the request: before, it would take a
        // start for one of its own, and try the request again beside it.
        this.endCreation = () => setTimeout(done);
        request.getUnderlyingObject().addEventListener('error', this.endCreation);
      });
    }

    async noteCreation(response) {
      const url = response.getHeader('Location');
      if (response.getStatus() === 201 && url) {
        this.videoId = response.getHeader('X-Asset-Id');
        this.upload.options.metadata = {...this.wanted, videoId: this.videoId};
        // The library does so only after this; whoever waits for the creation needs it.
        this.upload.url = url;
        // Before other tabs read of it.
        this.release = await hold(url) ?? this.release;
      }
    }

    async noteAnswer(request, response) {
      const [method, status] = [request.getMethod(), response.getStatus()];
      if (method === 'POST') {
        await this.noteCreation(response).finally(this.endCreation);
        return;
      }
      this.isOutage = !isOurs(response);
      this.isGone = saysGone(response);
      this.isOver = this.isGone || (method === 'DELETE' && status === 409);
      // Else the library would begin again from 0, as a new video, and say nothing.
      if (method === 'HEAD' && status >= 400 && status !== 423) {
        throw new Error(`The service answered ${status}.`);
      }
    }

    /** Take up what an earlier visit has begun of the file, and send it. */
    async add() {
      this.line.offer();
      const [before] = [...await this.upload.findPreviousUploads(), ...await formerOf(this.file)];
      if (before) {
        const release = await hold(before.uploadUrl);
        if (!release) {
          this.isElsewhere = true;
          this.fail('Another tab has this upload. Go on there, or close that tab.');
          return;
        }
        this.release = release;
        this.videoId = before.metadata.videoId ?? '';
        this.line.recall(before.metadata);
        this.upload.resumeFromPreviousUpload(before);
        interrupted.get(before.urlStorageKey)?.remove();
      }
      this.queue();
    }

    queue() {
      this.line.follow();
      this.estimate = makeEstimate();
      this.line.offer('pause', 'discard');
      this.line.say('Waiting');
      waiting.push(this);
      startNext();
    }

    async begin() {
      this.turn += 1;
      const own = this.turn;
      // It may have been paused before the service had made its video.
      await this.creation;
      if (own !== this.turn) {
        return;
      }
      if (this.upload.url === null) {
        this.wanted = wantedOf(this.file, this.line);
        this.upload.options.metadata = this.wanted;
        this.line.tell(this.wanted);
        this.upload.start();
        return;
      }
      try {
        const answer = await setAnew(this.videoId, this.line);
        const said = await answer.json().catch(() => ({}));
        // A proxy, and a process of a version without this address, know nothing of it.
        this.isGone = said.code === 'video_not_found';
        // It may have been paused while this was asked.
        if (own !== this.turn) {
          return;
        }
        if (!said.videoQuality) {
          this.fail(detailOf(answer.status, said));
          return;
        }
        this.line.tell(said);
        this.upload.start();
      } catch {
        if (own === this.turn) {
          this.fail('The connection was cut off.');
        }
      }
    }

    /** Tell the service of what was written into the line, once it has made the video. */
    async edited() {
      await this.creation;
      if (!this.videoId || this.isElsewhere || this.isGone) {
        return;
      }
      try {
        const answer = await setAnew(this.videoId, this.line);
        const said = await answer.json().catch(() => ({}));
        this.line.note(said.videoQuality ? 'Saved.' : `Not saved: ${detailOf(answer.status, said)}`);
        if (said.videoQuality) {
          this.line.tell(said);
        }
      } catch {
        this.line.note('Not saved: the connection was cut off.');
      }
    }

    stop() {
      this.turn += 1;
      leave(this);
    }

    fail(reason) {
      this.stop();
      this.line.offer('resume', 'discard');
      this.line.fail(this.isGone
        ? 'It has ended: it was discarded elsewhere, or its time was over. “Go on” sends it from the start.'
        : reason);
    }

    pause() {
      this.stop();
      this.upload.abort();
      this.line.offer('resume', 'discard');
      this.line.say('Paused');
    }

    async resume() {
      if (this.isGone) {
        this.line.offer();
        await forget(this.upload.url);
        this.release();
      }
      if (this.isGone || this.isElsewhere) {
        this.line.row.remove();
        this.addAnew(this.file);
        return;
      }
      this.queue();
    }

    async discard() {
      if (this.isWhole && this.line.hasFailed) {
        await post(deletion.replace('VIDEO', this.videoId), {reason: 'user_request'}).catch(() => {});
      }
      this.stop();
      this.upload.abort();
      this.line.offer();
      this.line.say('Discarding');
      await this.creation;
      if (!this.isWhole && !this.isElsewhere && this.upload.url) {
        try {
          // On the server, too.
          await this.upload.abort(true);
        } catch (error) {
          if (!this.isGone) {
            this.fail(reasonOf(error));
            return;
          }
          await forget(this.upload.url);
        }
      }
      this.release();
      this.line.row.remove();
    }
  }

  window.hvSentFiles = {SentFile, interrupted, reasonOf, running, waiting};
}
