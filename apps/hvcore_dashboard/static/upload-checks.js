/*
 * What the upload page finds out about files and uploads: whether a file is a video by its
 * first bytes, how long an upload still takes, and when a browser is to say so.
 */
'use strict';

{
  // As the service reads them: services/uploads/source_checks.py.
  const HEAD_BYTES = 12;
  const BOXES = ['ftyp', 'moov', 'mdat', 'wide', 'free', 'skip', 'pnot', 'styp'];
  const EBML = '\x1a\x45\xdf\xa3';
  const NO_VIDEO = 'It is no video: its first bytes are not those of MP4, QuickTime, AVI, WebM or Matroska.';

  /** Return why a file is not sent; empty if it may be a video. */
  const refusalOf = async (file, maxBytes) => {
    if (!file.size) {
      return 'It is empty.';
    }
    if (file.size > maxBytes) {
      return 'It is larger than the service takes.';
    }
    let head;
    try {
      head = String.fromCharCode(...new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer()));
    } catch {
      return 'It cannot be read. It may have been moved, or it is a folder.';
    }
    const isVideo = BOXES.includes(head.slice(4, 8)) || head.startsWith(EBML)
      || (head.startsWith('RIFF') && head.slice(8, 12) === 'AVI ');
    return isVideo ? '' : NO_VIDEO;
  };

  const SPAN_MS = 10_000;
  const MINUTE_S = 60;
  const HOUR_S = 3600;

  const worded = (seconds) => {
    if (seconds < MINUTE_S) {
      return `${Math.max(1, Math.round(seconds))} s left`;
    }
    return seconds < HOUR_S
      ? `${Math.round(seconds / MINUTE_S)} min left`
      : `${(seconds / HOUR_S).toFixed(1)} h left`;
  };

  /** Return a function that is told how much is sent, and says how long the rest takes. */
  const makeEstimate = () => {
    let seen = [];
    return (sent, total) => {
      const now = performance.now();
      seen = [...seen.filter(({at}) => now - at < SPAN_MS), {at: now, sent}];
      const [first] = seen;
      const took = (now - first.at) / 1000;
      // Of a second nobody can tell.
      return took < 1 || sent <= first.sent
        ? ''
        : worded((total - sent) * took / (sent - first.sent));
    };
  };

  const WANTED = 'hv-notify';
  const box = document.getElementById('notify');
  const stored = () => {
    try {
      return localStorage.getItem(WANTED) === 'yes';
    } catch {
      return false;
    }
  };

  if (box && 'Notification' in window) {
    box.checked = stored() && Notification.permission === 'granted';
    box.addEventListener('change', async () => {
      if (box.checked && await Notification.requestPermission() !== 'granted') {
        box.checked = false;
        document.getElementById('notify-about').textContent = 'The browser does not allow it for this page.';
      }
      try {
        localStorage.setItem(WANTED, box.checked ? 'yes' : 'no');
      } catch {
        // Not allowed: it is asked for again with the next page.
      }
    });
    box.closest('.field').hidden = false;
  }

  /** Say by the browser what has become of a video, if that is wanted. */
  const notify = (name, body) => {
    if (box?.checked && Notification.permission === 'granted') {
      new Notification(name, {body, tag: name});
    }
  };

  window.hvUploadChecks = {refusalOf, makeEstimate, notify};
}
