/** Finds the end of a JSON object that arrives in parts. */

/** Returns a function that takes the next part of the text, and returns whether the object has ended. Does not validate the text. */
export function createObjectScan(): (text: string) => boolean {
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let isOver = false;
  return (text) => {
    for (let at = 0; at < text.length && !isOver; at++) {
      const character = text[at];
      if (isEscaped) isEscaped = false;
      else if (isInString) {
        isEscaped = character === "\\";
        isInString = character !== '"';
      } else if (character === '"') isInString = true;
      else if (character === "{") depth += 1;
      else if (character === "}") isOver = --depth === 0;
    }
    return isOver;
  };
}
