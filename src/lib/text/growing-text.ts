/** Text that grows in small parts, without keeping an object in memory for each part. */

export interface GrowingText {
  add: (part: string) => void;
  read: () => string;
}

/** Smaller parts are not joined before this many characters have been added. */
const MIN_JOINED_CHARACTERS = 256;

export function createGrowingText(): GrowingText {
  let text = "";
  let parts: string[] = [];
  let added = 0;

  function read(): string {
    if (parts.length > 0) {
      // A concatenation by + would keep every part.
      text = [text, ...parts].join("");
      parts = [];
      added = 0;
    }
    return text;
  }

  return {
    add(part) {
      parts.push(part);
      added += part.length;
      if (added > Math.max(MIN_JOINED_CHARACTERS, text.length / 8)) read();
    },
    read,
  };
}
