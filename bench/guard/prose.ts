/** Ordinary text of a wanted length: sentences as people write them to assistants, none like the other. */
const WORDS = (
  "the customer asked whether her order could arrive before friday because the party is on saturday and she " +
  "would rather pick it up at the shop than wait for another delivery please write a short friendly answer that " +
  "offers both options explains what each costs and mentions our opening hours we also need a table comparing the " +
  "three plans by price storage support and contract length with a summary for people who do not read tables can " +
  "you check why the report for march shows fewer visits than february although the campaign ran all month long"
).split(" ");

export function proseOf(characters: number, seed: number): string {
  let state = seed + 1;
  let text = "";
  while (text.length < characters) {
    const words = Array.from({ length: 8 + (state % 9) }, () => {
      state = (state * 1103515245 + 12345) % 2147483648;
      return WORDS[state % WORDS.length] ?? "";
    });
    const sentence = words.join(" ");
    text += `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}. `;
  }
  return text.slice(0, characters);
}
