/** Removes encoded images, audio and video from text: in their random characters, detectors look in vain for words and numbers. */
import { isMedia } from "../../lib/documents/file-kind.ts";
import { decodeRun } from "./decode-base64-and-hex.ts";
import { findPaddingEnd, readRunBytes, visitRuns } from "./encoded-runs.ts";
import { createSourceMapBuilder, type SourceMap } from "./source-map.ts";

/**
 * Returns the text without the runs of base64 that begin as a media file; undefined if there are none. Keeps a run that
 * decodes to text, and one that spells words or long numbers itself, since a model reads its characters.
 */
export function dropMedia(text: string): SourceMap | undefined {
  const out = createSourceMapBuilder();
  let done = 0;
  visitRuns(text, MIN_MEDIA_CHARACTERS, (run) => {
    if (run.alphabet === "hex") return;
    if (!isMedia(readRunBytes(text, run, HEAD_CHARACTERS), MIN_SIGNATURE_BYTES)) return;
    if (decodeRun(text, run) !== undefined) return;
    const characters = text.slice(run.start, run.end);
    if (WORDS.some((pattern) => pattern.test(characters))) return;
    out.append(text.slice(done, run.start), done, run.start);
    // The last line may be the first word of the text after media without padding.
    const lastLine = Math.max(characters.lastIndexOf("\n"), characters.lastIndexOf("\\"));
    done = lastLine < 0 ? findPaddingEnd(text, run) : run.start + lastLine;
  });
  if (done === 0) return undefined;
  out.append(text.slice(done), done, text.length);
  return out.build();
}

/** Smaller files are inspected in a millisecond. */
const MIN_MEDIA_CHARACTERS = 4096;
const HEAD_CHARACTERS = 64;
const MIN_SIGNATURE_BYTES = 3;
/** Less than one in a hundred images of 2 MB contains them by chance. Several patterns are faster than one. */
const WORDS = [
  ...[/[-_]/, /\d{12}/, /[a-z]{24}/],
  ...[/\/(?:[A-Za-z][a-z]+\/){4}/, /\+(?:[A-Za-z][a-z]+\+){4}/],
];
