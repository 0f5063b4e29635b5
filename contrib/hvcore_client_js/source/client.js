/** The API of a service. Its methods are those of `OPERATIONS`, and those below. */
export class HvClient {
  #apiURL;
  #apiKey;
  #fetch;
  #maxTries;
  #timeoutMs;

  static {
    for (const [name, operation] of Object.entries(OPERATIONS)) {
      this.prototype[name] = function (params, options) {
        const ask = (wanted) => this.#call(name, operation, wanted, options);
        return operation.paging ? new ListRequest(ask, params ?? {}, operation.paging) : ask(params ?? {});
      };
    }
  }

  constructor({ apiURL, apiKey, fetch = globalThis.fetch, maxTries = MAX_TRIES, timeoutMs = TIMEOUT_MS } = {}) {
    // The interface's addresses end in /v1, the paths of its description begin with it.
    this.#apiURL = String(apiURL ?? ownAddress()).replace(/(\/v1(\/api)?)?\/*$/, "");
    this.#apiKey = apiKey;
    this.#fetch = fetch;
    this.#maxTries = maxTries;
    this.#timeoutMs = timeoutMs;
  }

  /** Makes an upload and sends a file to it; the video is processed from then on. */
  async upload(file, params = {}) {
    const { onProgress, onCreated, chunkBytes, signal, idempotencyKey, ...fields } = params;
    const blob = asBlob(file);
    fields.fileName ??= file.name;
    if (!fields.fileName) throw new TypeError("upload needs fileName: this file has no name.");
    const wanted = { uploadLength: blob.size, uploadMetadata: fields };
    const made = await this.createResumableUpload(wanted, { signal, idempotencyKey });
    onCreated?.(made);
    const options = { onProgress, signal, chunkBytes, fetch: this.#fetch, offset: 0 };
    await new FileSender(made.uploadURL, blob, options).send();
    return made;
  }

  /** Returns a video's details once it can be played. */
  async waitUntilReady(videoID, { orgID, timeoutS = 3600, everyS = 5, onProgress, signal } = {}) {
    const endsAt = Date.now() + timeoutS * 1000;
    for (;;) {
      let late = new StillProcessingError(videoID, timeoutS);
      let waitS = everyS;
      try {
        const details = orgID
          ? await this.getVideoDetailsInOrganization({ orgID, videoID }, { signal })
          : await this.getVideoDetails({ videoID }, { signal });
        onProgress?.(details);
        if (details.status.ready) return details;
        if (details.status.failed) {
          throw new ProcessingFailedError(videoID, details.failureReason ?? "no reason is known");
        }
      } catch (error) {
        // The video is processed all the same while the service cannot be asked.
        if (!isPassing(error)) throw error;
        late = error;
        waitS = Math.max(everyS, error.retryAfterS ?? 0);
      }
      if (Date.now() + waitS * 1000 > endsAt) throw late;
      await pause(waitS * 1000, signal);
    }
  }

  /** Asks for what is no operation here, such as a route of a plugin. */
  async request(method, path, { query, json, body, headers = {}, ...options } = {}) {
    const asked = new URLSearchParams(query).toString();
    const given = json === undefined ? {} : { "Content-Type": "application/json" };
    const wanted = {
      path: asked ? `${path}?${asked}` : path,
      headers: { ...given, ...headers },
      body: json === undefined ? body : JSON.stringify(json),
    };
    const operation = { method, isIdempotent: options.idempotencyKey !== undefined };
    const answer = await this.#send(`${method} ${path}`, operation, wanted, options);
    const isJSON = /[/+]json\b/.test(answer.headers.get("Content-Type") ?? "");
    if (!isJSON) return answer.text;
    try {
      return JSON.parse(answer.text);
    } catch (cause) {
      throw new UnreachableError(`${method} ${path}: what answers there is no JSON.`, { cause, isFinal: true });
    }
  }

  async #call(name, operation, params, options = {}) {
    try {
      const answer = await this.#send(name, operation, requestOf(name, operation, params), options);
      return resultOf(name, operation, answer);
    } catch (error) {
      const found = await foundDone(this, name, params, error, options);
      if (found === undefined) throw error;
      return found;
    }
  }

  async #send(name, { method, isOpen, isIdempotent }, { path, headers, body }, options) {
    const { signal, maxTries = this.#maxTries, timeoutMs = this.#timeoutMs } = options;
    if (this.#apiKey && !isOpen) headers["X-Api-Key"] = this.#apiKey;
    if (isIdempotent) headers["Idempotency-Key"] = options.idempotencyKey ?? (await newIdempotencyKey());
    const wanted = { operation: name, url: this.#apiURL + path, method, headers, body, signal, timeoutMs };
    const isRepeatable = isIdempotent || REPEATABLE_METHODS.has(method);
    return send(this.#fetch, wanted, { maxTries, isRepeatable });
  }
}

/** The API that serves this module. */
function ownAddress() {
  const { protocol, href } = new URL(".", import.meta.url);
  if (protocol === "http:" || protocol === "https:") return href;
  throw new TypeError("HvClient needs apiURL, such as https://api.example.com.");
}
