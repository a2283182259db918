/** Lists the elements of HTML by their default display and content. */

const toNames = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));
/** Elements of HTML that are shown within a line. */
export const INLINE_ELEMENTS = toNames(`
  a abbr acronym b bdi bdo big button canvas cite code data del dfn em font i img input ins kbd label map mark meter
  nobr object output picture progress q rb rp rt ruby s samp script slot small span strike strong style sub sup svg
  time tt u var wbr
`);
/** Elements of HTML that begin and end a line. */
export const BLOCK_ELEMENTS = toNames(`
  address area article aside audio base blockquote body br caption center col colgroup dd details dialog dir div dl dt
  embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html iframe
  legend li link main marquee menu meta nav noembed noframes noscript ol optgroup option p param plaintext pre search
  section select source summary table tbody td template textarea tfoot th thead title tr track ul video xmp
`);

/** Elements of HTML whose white space is shown as it is. */
export const PREFORMATTED_ELEMENTS = toNames("listing plaintext pre textarea xmp");

/** Elements of HTML that have no content, and no closing tag. */
export const VOID_ELEMENTS = toNames(
  "area base br col embed hr img input link meta param source track wbr",
);
