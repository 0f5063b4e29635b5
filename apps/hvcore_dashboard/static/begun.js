/*
 * Uploads that this browser has begun in an environment, and which tabs have them.
 *
 * The storage is shared by all tabs. The tab that has the file of an upload holds a lock
 * of its name while it does; no other tab sends or discards it meanwhile.
 */
'use strict';

{
  const {env, endpoint} = document.getElementById('uploads').dataset;
  const {urlStorage: storage} = tus.defaultOptions;
  const MINE = `hv-${env}-`;

  // What the former version of this page has begun; no longer needed by the next one.
  const isFormer = (key) => key.startsWith('tus::tus-br-')
    && key.replace(/::\d+$/, '').endsWith(`-${endpoint}`);

  const GONE = [403, 404, 410];

  /** Return whether the upload address itself has answered, and no proxy before it. */
  const isOurs = (answer) => answer.getHeader('Tus-Resumable') !== null;

  /** Return the name of an upload's lock: no secret, as its whole address is. */
  const lockOf = (url) => `upload ${new URL(url, location.href).pathname}`;

  window.hvBegun = {
    isOurs,

    /** Return whether the service says that there is no such upload any more. */
    saysGone: (answer) => isOurs(answer) && GONE.includes(answer.getStatus()),

    /** Return what tells a file that goes on; in another environment it begins anew. */
    fingerprintOf: ({name, type, size, lastModified}) =>
      `${MINE}${[name, type, size, lastModified].join('-')}`,

    /** Return the uploads of a file that a former version of this page has begun. */
    formerOf: ({name, type, size, lastModified}) => storage.findUploadsByFingerprint(
      ['tus-br', name, type, size, lastModified, endpoint].join('-'),
    ),

    /** Return the uploads that were begun in this environment. */
    begun: async () => (await storage.findAllUploads())
      .filter(({urlStorageKey: key}) => key.startsWith(`tus::${MINE}`) || isFormer(key)),

    /** Forget what was stored of an upload. */
    forget: async (url) => {
      for (const {uploadUrl, urlStorageKey} of await storage.findAllUploads()) {
        if (uploadUrl === url) {
          await storage.removeUpload(urlStorageKey);
        }
      }
    },

    /**
     * Hold an upload for this tab; return what lets go of it, or null if a tab has it.
     *
     * Pages that came unencrypted have no locks: the service alone refuses then.
     */
    hold: (url, options = {ifAvailable: true}) => new Promise((done, fail) => {
      if (!navigator.locks) {
        done(() => {});
        return;
      }
      navigator.locks.request(lockOf(url), options, (lock) =>
        (lock ? new Promise((release) => { done(release); }) : done(null))).catch(fail);
    }),

    /** Return whether a tab has an upload, this one included. */
    isHeld: async (url) => {
      const {held} = await navigator.locks?.query() ?? {held: []};
      return held.some(({name}) => name === lockOf(url));
    },
  };
}
