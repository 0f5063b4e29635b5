/*
 * Which of some tracks is in the language that somebody wants.
 *
 * No module of this build imports it. While processes of two builds answer, a player whose
 * modules came from the build before asks for it: without an answer it would not be there.
 */

const parts = (tag) => {
  try {
    // zh-TW is written as zh-Hant is, and zh-CN is not.
    const { language, script, region } = new Intl.Locale(tag).maximize();
    return { language, script, region };
  } catch {
    return { language: tag.toLowerCase(), script: "", region: "" };
  }
};

const nearness = (tag, wanted) => {
  if (tag.toLowerCase() === wanted.toLowerCase()) {
    return 3;
  }
  const [one, other] = [parts(tag), parts(wanted)];
  if (one.language !== other.language || one.script !== other.script) {
    return 0;
  }
  return one.region === other.region ? 2 : 1;
};

/** Return the track whose language is closest to a wanted one, or undefined. */
export const closest = (tracks, wanted) => {
  const near = tracks.map(({ language }) => nearness(language, wanted));
  const most = Math.max(0, ...near);
  return most > 0 ? tracks[near.indexOf(most)] : undefined;
};
