const CHUNK_BYTES = 8 * 1024 * 1024;
// A dead connection holds an upload for half a minute; so long these tries last.
const UPLOAD_TRIES = 10;
// What has come of a chunk by then is kept.
const CHUNK_TIMEOUT_MS = 120_000;

/**
 * Sends a file to the address of a resumable upload, from where an earlier call has
 * stopped. Needs no key.
 */
export async function uploadTo(url, file, options = {}) {
  await new FileSender(String(url), asBlob(file), options).send();
}

/** Sends one file by tus 1.0. */
class FileSender {
  #url;
  #file;
  #options;
  #furthest = -1;

  constructor(
    url,
    file,
    {
      fetch = globalThis.fetch,
      chunkBytes = CHUNK_BYTES,
      maxTries = UPLOAD_TRIES,
      timeoutMs = CHUNK_TIMEOUT_MS,
      offset,
      onProgress,
      signal,
    },
  ) {
    this.#url = url;
    this.#file = file;
    this.#options = { fetch, chunkBytes, maxTries, timeoutMs, offset, onProgress, signal };
  }

  async send() {
    const { maxTries, signal } = this.#options;
    let { offset } = this.#options;
    let failures = 0;
    for (;;) {
      try {
        offset ??= await this.#ask();
        if (this.#report(offset)) failures = 0;
        if (offset === this.#file.size) return;
        offset = await this.#sendChunk(offset);
      } catch (error) {
        failures += 1;
        if (failures >= maxTries || !mayUploadGoOn(error)) throw error;
        await pauseAfter(error, failures, signal);
        // Only the service knows what has come.
        offset = undefined;
      }
    }
  }

  /** Tells how far it is; returns whether it is further than before. */
  #report(offset) {
    const isFurther = offset > this.#furthest;
    if (isFurther) {
      this.#furthest = offset;
      this.#options.onProgress?.({ sentBytes: offset, totalBytes: this.#file.size });
    }
    return isFurther;
  }

  async #ask() {
    const answer = await this.#request("HEAD", {});
    const offset = numberOf(answer, "Upload-Offset");
    const length = numberOf(answer, "Upload-Length");
    if (length !== this.#file.size) {
      throw new TypeError(`The upload is for a file of ${length} bytes, and this one has ${this.#file.size}.`);
    }
    return this.#checked(offset);
  }

  async #sendChunk(offset) {
    const chunk = this.#file.slice(offset, offset + this.#options.chunkBytes);
    const headers = { "Upload-Offset": String(offset), "Content-Type": "application/offset+octet-stream" };
    const answer = await this.#request("PATCH", headers, chunk);
    const reached = this.#checked(numberOf(answer, "Upload-Offset"));
    if (reached <= offset) throw new UnreachableError("uploadTo: the service took nothing of the file.");
    return reached;
  }

  /** An offset that can be: what answers may be another program. */
  #checked(offset) {
    if (offset <= this.#file.size) return offset;
    const told = `uploadTo: ${offset} bytes of ${this.#file.size} cannot have come; begin a new upload.`;
    throw new UnreachableError(told, { isFinal: true });
  }

  async #request(method, headers, body) {
    const { fetch, signal, timeoutMs } = this.#options;
    const wanted = { operation: "uploadTo", url: this.#url, method, body, signal, timeoutMs };
    const answer = await attempt(fetch, { ...wanted, headers: { "Tus-Resumable": "1.0.0", ...headers } });
    if (answer.status < 400) return answer;
    // The answer to a HEAD has no text.
    const hasEnded = method === "HEAD" && answer.status < 500 && !isBusy(answer.status);
    const detail = "There is no such upload, or it has ended; ask for a new address.";
    throw refusal("uploadTo", hasEnded ? { ...answer, text: JSON.stringify({ detail }) } : answer);
  }
}

function numberOf({ headers }, name) {
  const text = headers.get(name) ?? "";
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new UnreachableError("uploadTo: what answers there takes no resumable uploads.", { isFinal: true });
}

/** Another request is sending, or was cut off a moment ago. */
function isBusy(status) {
  return status === 409 || status === 423 || status === 429;
}

function mayUploadGoOn(error) {
  return isPassing(error) || (error instanceof ApiError && (isBusy(error.status) || error.status >= 500));
}

function asBlob(file) {
  if (file instanceof Blob) return file;
  if (file instanceof ArrayBuffer || ArrayBuffer.isView(file)) return new Blob([file]);
  throw new TypeError("A file must be a File, a Blob or bytes; in node, fs.openAsBlob(path) makes one.");
}
