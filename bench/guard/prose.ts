/** Ordinary text of a wanted length: what people write to assistants, in another order for each seed. */
const SENTENCES = [
  "The customer asked whether her order could arrive before Friday, because the party is on Saturday.",
  "She would rather pick it up at the shop than wait for another delivery.",
  "Please write a short, friendly answer that offers both options and explains what each of them costs.",
  "Mention that we are open from 9:30 to 18:00 on weekdays, and that parking is free for the first two hours!",
  "We also need a table comparing the three plans by price, storage, support and contract length.",
  "Add a summary below it for people who don't read tables; 3 or 4 sentences are enough.",
  "Can you check why the report for March shows fewer visits than February (about 12% less)?",
  "The campaign ran all month long, and we spent 1,250 euros on it.",
  "Last year the same campaign brought in 4,800 visitors, although it only ran for 14 days.",
  "I think the numbers in column C are wrong, since they add up to more than the total in row 27.",
  "Here is what our lead engineer wrote: the service restarts every night at 02:15 and then takes 40 seconds to warm up.",
  "Is that a problem for users in Asia, where it is already morning?",
  "Translate the following paragraph into Spanish, keep the tone polite, and leave product names as they are.",
  "Thank you for your patience while we looked into this; your new headphones should be with you by the end of next week.",
  "If you would rather have a refund, just reply to this message and we'll take care of it within five working days.",
  "Explain to a ten-year-old how a refrigerator keeps food cold, using an example from everyday life.",
  "Then give me three questions that a curious child might ask next, with good answers.",
  "My son is learning about fractions: how would you show him that 3/4 is larger than 2/3?",
  "We are planning a trip to Lisbon in October with two children, one of whom gets seasick on boats.",
  "Suggest a plan for four days, with something indoors for each afternoon in case of rain.",
  "The meeting on Tuesday has to move, because Ana is at the dentist and Bo has not read the document yet.",
  "What about Thursday, either at 11 or right after lunch?",
  "Rewrite this so that it sounds less angry: I have told you twice already that the invoice was paid!",
  "In version 2.4 the export button is gray until a date is chosen, which many people take for a bug.",
  "Could we select today by default, or at least say what is missing?",
  "A reader wrote that chapter 7 contradicts chapter 3; find the passage she means and propose a correction.",
  "The recipe serves six, but we will be fourteen, and two of our guests do not eat nuts.",
  "List everything that I have to buy, sorted by the part of the supermarket where I'll find it.",
  "According to the survey, 68 of 100 people open the app at least once a day, mostly between 7 and 8 in the evening.",
  "Draft an announcement of at most 120 words that tells the team about the new office, its address comes later.",
];

export function proseOf(characters: number, seed: number): string {
  let state = seed;
  let text = "";
  while (text.length < characters) {
    // Numerical Recipes' generator; the product of two plain numbers would lose its low digits.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    text += `${SENTENCES[(state >>> 8) % SENTENCES.length]} `;
  }
  return text.slice(0, characters);
}
