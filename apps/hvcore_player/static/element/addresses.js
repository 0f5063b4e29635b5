/*
 * Tokens in addresses, and how long they are good for.
 */

const TOKEN = /([?&]token=)[^&#]*/;

const decoded = (text) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/** Return the token of an address, or null. */
export const tokenOf = (address) => {
  const found = TOKEN.exec(address);
  return found ? decoded(found[0].slice(found[1].length)) : null;
};

/** Return a whole address, or "" if it is none. */
export const absolute = (address, from = document.baseURI) => {
  try {
    return new URL(address, from).href;
  } catch {
    return "";
  }
};

/** Tell whether two addresses are of the same host. */
export const isNear = (one, other) => new URL(one).origin === new URL(other).origin;

/** Return an address with a token in place of the one that it has, if any. */
export const withToken = (address, token) => {
  if (!token) {
    return address;
  }
  const value = encodeURIComponent(token);
  if (TOKEN.test(address)) {
    // Not by URL.searchParams, which writes the rest of the query anew.
    return address.replace(TOKEN, (_all, name) => name + value);
  }
  const [place, fragment] = address.split("#", 2);
  const joint = place.includes("?") ? "&" : "?";
  return `${place}${joint}token=${value}${fragment ? `#${fragment}` : ""}`;
};

/** Return an address to compare with others whose tokens do not matter. */
export const withoutToken = (address) => withToken(address, "-");

/** Return the address of a file beside another one, with its token. */
export const beside = (address, name) => {
  const found = name ? absolute(name, address) : "";
  return found && isNear(found, address) && !tokenOf(found)
    ? withToken(found, tokenOf(address))
    : found;
};

/**
 * Return when a token was issued and when it expires (Unix seconds), or null
 * if that cannot be read.
 */
export const timesOf = (token) => {
  try {
    const payload = token.split(".")[1].replace(/-/g, "+").replace(/_/g, "/");
    const { iat, exp } = JSON.parse(atob(payload));
    return Number.isFinite(exp) ? { issued: Number.isFinite(iat) ? iat : null, expires: exp } : null;
  } catch {
    return null;
  }
};
