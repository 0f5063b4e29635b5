/*
 * Begin a view of a share link.
 *
 * Each load of the playlist without a session begins one and uses up a view.
 * Players load a playlist as often as they like, so it is begun here, once.
 */

/** What the service answered instead of a playlist. */
export class NoSession extends Error {
  constructor(status, requestId) {
    super(`status ${status}`);
    Object.assign(this, { status, requestId });
  }
}

/** Return the address of the playlist with the token of a new session. */
export const openSession = async (playlist, signal) => {
  const answer = await fetch(playlist, { cache: "no-store", signal });
  if (!answer.ok) {
    throw new NoSession(answer.status, answer.headers.get("X-Request-Id") ?? "");
  }
  const session = /[?&]token=([\w.-]+)/.exec(await answer.text());
  const address = new URL(playlist);
  address.searchParams.set("token", session[1]);
  return address.href;
};
