/*
 * The player beside the cues: where it is, and what it is told.
 */
'use strict';

/**
 * Return the player in a frame; without a frame it stays where it is told to be.
 *
 * moved: called whenever its time changes.
 */
window.hvCuePlayer = (frame, moved) => {
  const state = {atMs: null, isPaused: true};
  /* Whether the player has spoken, and where it is to go once it has. */
  let isHeard = false;
  let wantedMs = null;

  const call = (method, ...args) => {
    if (isHeard) {
      const id = `${method}-${performance.now()}`;
      const {origin} = new URL(frame.src);
      frame.contentWindow.postMessage({type: 'hv-player:call', id, method, args}, origin);
    }
  };

  const seek = (ms) => {
    state.atMs = Math.max(0, ms);
    wantedMs = state.atMs;
    call('seek', state.atMs / 1000);
    moved();
  };

  const playOrPause = () => call(state.isPaused ? 'play' : 'pause');

  window.addEventListener('message', ({data, source, origin}) => {
    if (!frame || source !== frame.contentWindow || origin !== new URL(frame.src).origin
      || !Number.isFinite(data?.state?.currentTime)) {
      return;
    }
    state.atMs = Math.round(data.state.currentTime * 1000);
    state.isPaused = data.state.paused;
    const isFirst = !isHeard;
    isHeard = true;
    if (isFirst && wantedMs !== null) {
      seek(wantedMs);
    }
    moved();
  });

  return {state, seek, playOrPause};
};
