/*
 * Read the captions files of the service, which all have one form: it writes them anew
 * from what was sent (hvcore/domain/videos/captions.py).
 */

const TIMES =
  /^(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})[ \t]+-->[ \t]+(?:(\d+):)?(\d\d):(\d\d)\.(\d{3})/;
const ENTITIES = { amp: "&", lt: "<", gt: ">", nbsp: "\u00a0", lrm: "\u200e", rlm: "\u200f" };

const secondsOf = (hours, minutes, seconds, rest) =>
  Number(hours ?? 0) * 3600 + Number(minutes) * 60 + Number(seconds) + Number(rest) / 1000;

/* A line that begins with a dash is of another speaker; all others go on. Blanks first become
   one: each pattern is to look at each character once, for files have up to 4 MB. */
const textOf = (lines) => lines.join("\n")
  .replace(/<[^<>]*>/g, "")
  .replace(/&(\w+);/g, (whole, name) => ENTITIES[name] ?? whole)
  .replace(/[ \t]+/g, " ")
  .replace(/ ?\n(?![-–—])/g, " ")
  .trim();

const cueOf = (block) => {
  const lines = block.split("\n");
  const at = lines.findIndex((line) => line.includes("-->"));
  const found = at < 0 ? null : TIMES.exec(lines[at]);
  return found && {
    start_s: secondsOf(...found.slice(1, 5)),
    end_s: secondsOf(...found.slice(5)),
    text: textOf(lines.slice(at + 1)),
  };
};

/** Return the cues of a file: start_s, end_s and plain text, in the order of their starts. */
export const cuesOf = (file) => file.replace(/\r\n?/g, "\n").split(/\n{2,}/)
  .map(cueOf)
  .filter((cue) => cue?.text)
  .sort((one, other) => one.start_s - other.start_s);
