/** Reads the field name of a part of a multipart/form-data body from its headers (RFC 7578). */
import { declaresOtherCharset } from "./content-type.ts";

export interface PartHeaders {
  name: string;
  file: boolean;
  /** The part declares an encoding other than UTF-8. */
  other_charset: boolean;
}

/** Undefined when there is no name, or when two parsers could read two names out of the headers. */
export function readPartHeaders(headers: string): PartHeaders | undefined {
  const lines = headers.split("\r\n").map((line) => HEADER.exec(line));
  if (!lines.every((line) => line !== null)) return undefined;
  const valuesOf = (wanted: string) =>
    lines.flatMap(([, name, value = ""]) => (name?.toLowerCase() === wanted ? [value.trim()] : []));

  const [disposition = "", ...others] = valuesOf("content-disposition");
  const [, quoted, bare, rest = ""] = FORM_FIELD.exec(disposition) ?? [];
  const name = quoted ?? bare;
  if (name === undefined || others.length > 0 || SECOND_NAME.test(rest)) return undefined;
  // Go decodes quoted-printable parts by itself: it would read another text than we do.
  const encoded = valuesOf("content-transfer-encoding").some((value) => !PLAIN.test(value));
  if (encoded || ENCODED_WORD.test(name)) return undefined;
  const types = valuesOf("content-type");
  // Some parsers descend into it and find fields that we do not see. RFC 7578 section 4.3 deprecates it.
  if (types.some((type) => /^multipart\//i.test(type))) return undefined;
  const other_charset = types.some(declaresOtherCharset);
  return { name, file: FILE_NAME.test(rest), other_charset };
}

/** No folded line (it starts with a space) and no NUL: parsers disagree on what they end. */
const HEADER = /^([\w!#$%&'*+.^`|~-]+):([^\r\n\0]*)$/;
/** Every known client writes the name first; behind a file name, quotes could be read two ways. */
const FORM_FIELD = /^form-data[ \t]*;[ \t]*name=(?:"([^"\\]*)"|([^\s";,\\]+))[ \t]*(;.*)?$/is;
/**
 * Also rejects a file called `a; name=b`: where its quotes end is ambiguous. Before `name`, parsers
 * skip any white space (Werkzeug: a vertical tab, a no-break space).
 */
const SECOND_NAME = /;[^\w;]*name[^a-z;="]*=/i;
/** RFC 2047: some parsers decode it in parameters. */
const ENCODED_WORD = /=\?/;
const FILE_NAME = /;[ \t]*filename\*?[ \t]*=/i;
const PLAIN = /^(7bit|8bit|binary)$/i;
