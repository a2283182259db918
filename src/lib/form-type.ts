/** Reads the Content-Type of a multipart/form-data body: its boundary and its charset. */

/** Returns the boundary; undefined without one, or when two parsers could read two. */
export function boundaryOf(contentType: string | null | undefined): string | undefined {
  const [, parameters] = /^multipart\/form-data[ \t]*(;.*)$/i.exec(contentType?.trim() ?? "") ?? [];
  if (!parameters) return undefined;
  const [boundary = "", ...others] = valuesOf(parameters, "boundary");
  // Two boundaries, or text that we cannot read, would let the upstream split the body elsewhere.
  const clear = others.length === 0 && /^[; \t]*$/.test(parameters.replace(PARAMETER, ""));
  return clear && BOUNDARY.test(boundary) ? boundary : undefined;
}

/** Returns whether names and values may be in an encoding other than UTF-8. */
export const hasOtherCharset = (contentType: string): boolean =>
  valuesOf(contentType, "charset").some((charset) => !/^(utf-?8|us-ascii)$/i.test(charset));

function valuesOf(text: string, parameter: string): string[] {
  return [...text.matchAll(PARAMETER)].flatMap(([, name, quoted, bare]) =>
    name?.toLowerCase() === parameter ? [quoted ?? bare ?? ""] : [],
  );
}

const PARAMETER = /;[ \t]*([\w!#$%&'*+.^`|~-]+)=(?:"([^"\\]*)"|([^\s";]+))[ \t]*/g;
/** RFC 2046 section 5.1.1: at most 70 of these characters, and no space at the end. */
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/;
