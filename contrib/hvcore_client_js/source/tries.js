const MAX_TRIES = 4;
const TIMEOUT_MS = 60_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
// Of a wait that the service asks for. A caller that shall wait longer decides itself.
const LONGEST_WAIT_TOLD_MS = 120_000;
// Who waits for so long is told.
const LONG_WAIT_MS = 5000;
const REPEATABLE_METHODS = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);
const PASSING_STATUSES = new Set([429, 502, 503, 504]);

/** One try: the answer with its text, whatever its status is. */
async function attempt(fetch, { operation, url, method, headers, body, signal, timeoutMs }) {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), timeoutMs);
  const abort = () => stop.abort();
  signal?.addEventListener("abort", abort, { once: true });
  let response, text;
  try {
    response = await fetch(url, {
      method,
      headers,
      body,
      signal: stop.signal,
      credentials: "omit",
      // Followed, a redirect would carry the key to another server.
      redirect: "manual",
    });
    text = await response.text();
  } catch (cause) {
    signal?.throwIfAborted();
    // Only the server is named: an address of an upload is a secret.
    const server = new URL(url).origin;
    const problem = stop.signal.aborted ? `did not answer within ${timeoutMs} ms` : "cannot be reached";
    throw new UnreachableError(`${operation}: ${server} ${problem}.`, { cause });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    const told = `${operation}: ${new URL(url).origin} redirects; name the address to which it leads.`;
    throw new UnreachableError(told, { isFinal: true });
  }
  return { status: response.status, headers: response.headers, text };
}

/** Tries until there is a success, or an error that stays. */
async function send(fetch, wanted, { maxTries, isRepeatable }) {
  let mayBeDone = false;
  for (let tries = 1; ; tries += 1) {
    let error;
    try {
      const answer = await attempt(fetch, wanted);
      if (answer.status < 400) return answer;
      error = refusal(wanted.operation, answer);
    } catch (caught) {
      if (!(caught instanceof UnreachableError)) throw caught;
      error = caught;
    }
    const mayPass = isPassing(error) || (tries > 1 && isFirstTryRunning(error));
    if (!isRepeatable || !mayPass || tries >= maxTries) {
      if (error instanceof ApiError) error.followsLostAnswer = mayBeDone;
      throw error;
    }
    // What 429 refuses is certainly not done.
    mayBeDone ||= error.status !== 429;
    await pauseAfter(error, tries, wanted.signal);
  }
}

function refusal(operation, { status, headers, text }) {
  const afterMs = retryAfterMs(headers);
  const problem = problemOf(text);
  const Refused = REFUSED[problem.code] ?? ApiError;
  return new Refused({
    operation,
    status,
    problem,
    requestID: headers.get("X-Request-Id") ?? undefined,
    retryAfterS: afterMs === undefined ? undefined : afterMs / 1000,
    answeredAt: momentOf(headers.get("Date")),
  });
}

function problemOf(text) {
  try {
    const problem = JSON.parse(text);
    return problem !== null && typeof problem === "object" ? problem : {};
  } catch {
    // Of a proxy in between.
    return {};
  }
}

function isPassing(error) {
  if (error instanceof ApiError) return PASSING_STATUSES.has(error.status);
  return error instanceof UnreachableError && !error.isFinal;
}

/** Whether the try before, whose answer was lost, still runs. */
function isFirstTryRunning(error) {
  return error.status === 409 && error.errors.some((one) => one?.location === "header.Idempotency-Key");
}

/** What `Retry-After` asks for: seconds, or a date by the server's own clock. */
function retryAfterMs(headers) {
  const text = headers.get("Retry-After")?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const moment = momentOf(text);
  if (moment === undefined) return undefined;
  return Math.max(0, moment - (momentOf(headers.get("Date")) ?? Date.now()));
}

function momentOf(text) {
  const moment = new Date(text ?? "");
  return Number.isNaN(moment.getTime()) ? undefined : moment;
}

/** Waits before another try; throws the error if the service asks for a longer wait. */
async function pauseAfter(error, tries, signal) {
  const longest = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (tries - 1));
  // Many clients that failed together come back one by one.
  const own = longest * (0.5 + Math.random() / 2);
  const told = (error.retryAfterS ?? 0) * 1000;
  if (told > LONGEST_WAIT_TOLD_MS) throw error;
  const wait = Math.max(own, told);
  if (wait >= LONG_WAIT_MS) console.warn(`${error.message} Waits ${Math.round(wait / 1000)} s, then tries again.`);
  await pause(wait, signal);
}

function pause(ms, signal) {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
  });
}
