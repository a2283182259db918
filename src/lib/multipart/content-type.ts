/** Reads the Content-Type of a multipart/form-data body: its boundary and its charset. */

/** Returns the boundary; undefined without one, or when two parsers could read two. */
export function readBoundary(contentType: string | null | undefined): string | undefined {
  const [, parameters] = /^multipart\/form-data[ \t]*(;.*)$/i.exec(contentType?.trim() ?? "") ?? [];
  if (!parameters) return undefined;
  // Two boundaries, or text that we cannot read, would let the upstream split the body elsewhere.
  // PHP takes the first `boundary` of the text (`xboundary=…`), Go prefers `boundary*=…`.
  const named = parametersOf(parameters).filter((each) => /boundary/i.test(each.join("=")));
  const [[name = "", boundary = ""] = [], ...others] = named;
  const clear = others.length === 0 && /^[; \t]*$/.test(parameters.replace(PARAMETER, ""));
  return clear && /^boundary$/i.test(name) && BOUNDARY.test(boundary) ? boundary : undefined;
}

/** Returns whether the content may be in another encoding than UTF-8. Python also reads `charset*=…` and `charset =…`. */
export const declaresOtherCharset = (contentType: string): boolean =>
  /charset/i.test(contentType.replace(UTF8_CHARSET, ""));
const UTF8_CHARSET = /;[ \t]*charset=(?:(?:utf-?8|us-ascii)|"(?:utf-?8|us-ascii)")[ \t]*(?=;|$)/gi;

const parametersOf = (text: string): [name: string, value: string][] =>
  Array.from(text.matchAll(PARAMETER), ([, name = "", quoted, bare = ""]) => [
    name,
    quoted ?? bare,
  ]);

/** PHP ends a value without quotes at a comma. */
const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([^\s";,]+))[ \t]*/g;
/** RFC 2046 section 5.1.1: at most 70 of these characters, and no space at the end. */
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
