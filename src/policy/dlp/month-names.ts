/** Names and abbreviations of months in several languages, in lower case. Longer names precede their beginnings. */
export const MONTH_NAMES: readonly string[] = (
  "january february march april may june july august september october november december sept " +
  "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre " +
  "janvier février fevrier mars avril mai juin juillet août aout septembre octobre novembre décembre " +
  "januar februar märz juni juli oktober dezember jänner januari februari maart mei augustus " +
  "gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre " +
  "janeiro fevereiro março maio junho julho setembro outubro novembro dezembro " +
  "jan feb mar apr jun jul aug sep oct nov dec"
)
  .split(" ")
  .sort((one, other) => other.length - one.length);
