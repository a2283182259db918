/** Finds the runs of text in binary fields, such as the extra fields of an archive. */
export const findText = (bytes: Uint8Array): string[] =>
  new TextDecoder().decode(bytes).match(RUN) ?? [];

/** Shorter runs are in timestamps too, and hide neither prose nor a card. */
const RUN = /[^\p{C}\uFFFD]{8,}/gu;
