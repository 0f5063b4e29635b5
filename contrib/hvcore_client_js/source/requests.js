/** The request of an operation: what is sent, and where to. */
function requestOf(name, operation, params) {
  const left = new Map(Object.entries(params).filter(([, value]) => value !== undefined));
  const path = operation.path.replace(/\{(\w+)\}/g, (_, argument) => segment(name, argument, take(left, argument)));
  const query = new URLSearchParams();
  for (const argument of operation.query ?? []) {
    const value = take(left, argument) ?? [];
    for (const one of Array.isArray(value) ? value : [value]) query.append(argument, String(one));
  }
  const headers = { ...operation.fixed };
  for (const [argument, header] of Object.entries(operation.headers ?? {})) {
    const value = take(left, argument);
    if (value === undefined) throw new TypeError(`${name} needs ${argument}.`);
    headers[header] = typeof value === "object" ? uploadMetadata(value) : String(value);
  }
  for (const [argument, header] of Object.entries(operation.optionalHeaders ?? {})) {
    const value = take(left, argument);
    if (value !== undefined && value !== null) headers[header] = String(value);
  }
  const body = bodyOf(name, operation, left, headers);
  const asked = query.toString();
  return { path: asked ? `${path}?${asked}` : path, headers, body };
}

function take(left, argument) {
  const value = left.get(argument);
  left.delete(argument);
  return value;
}

function segment(name, argument, value) {
  const text = String(value ?? "");
  // Dots would lead to another address.
  if (text === "" || text === "." || text === "..") throw new TypeError(`${name} needs ${argument}.`);
  return encodeURIComponent(text);
}

function bodyOf(name, operation, left, headers) {
  if (operation.content && left.has("body")) {
    const body = take(left, "body");
    headers["Content-Type"] = take(left, "contentType") ?? (body.type || typeOf(body, operation.content));
    refuseOthers(name, left);
    return body;
  }
  if (!operation.json) {
    refuseOthers(name, left);
    if (operation.content) throw new TypeError(`${name} needs body.`);
    return undefined;
  }
  const members = [...left].filter(([member]) => operation.members.includes(member));
  members.forEach(([member]) => left.delete(member));
  refuseOthers(name, left);
  if (members.length === 0 && operation.json === "optional") return undefined;
  headers["Content-Type"] = "application/json";
  return JSON.stringify(Object.fromEntries(members));
}

// With what files begin that have a type of their own.
const STARTS = { "WEBVTT": "text/vtt", "\ufeffWEBVTT": "text/vtt", "\u00ef\u00bb\u00bfWEBVTT": "text/vtt", "\u0089PNG": "image/png" };
const ANY_FILE = "application/octet-stream";

/** What a body is by its first bytes; the service knows text files. */
function typeOf(body, types) {
  const isBytes = body instanceof ArrayBuffer || ArrayBuffer.isView(body);
  const start = isBytes ? String.fromCharCode(...bytesOf(body).subarray(0, 9)) : String(body).slice(0, 9);
  const found = Object.keys(STARTS).find((one) => start.startsWith(one));
  if (found && types.includes(STARTS[found])) return STARTS[found];
  return types.includes(ANY_FILE) ? ANY_FILE : types[0];
}

function refuseOthers(name, left) {
  if (left.size > 0) throw new TypeError(`${name} takes no ${[...left.keys()].join(", ")}.`);
}

/** What an operation returns of an answer. */
function resultOf(name, operation, { status, headers, text }) {
  if (operation.hasNoAnswer && status === 204) return undefined;
  const type = (headers.get("Content-Type") ?? "").split(";")[0].trim();
  if (operation.texts?.includes(type)) return text;
  try {
    const answered = JSON.parse(text);
    const result = operation.bare ? answered : answered.body;
    const etag = headers.get("ETag");
    if (operation.hasETag && etag !== null) result.etag = etag;
    if (result !== undefined) return result;
  } catch {
    // Said below.
  }
  throw new UnreachableError(`${name}: what answers there is not the API.`, { isFinal: true });
}

/** Fields as the header `Upload-Metadata` of tus has them. */
function uploadMetadata(fields) {
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name} ${base64(utf8(fieldText(value)))}`)
    .join(",");
}

function fieldText(value) {
  if (Array.isArray(value)) return value.join(",");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
