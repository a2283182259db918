/** Reads the header block of a part of a multipart/form-data body (RFC 7578). */
import { declaresOtherCharset } from "./content-type.ts";

export interface PartHeaders {
  name: string;
  file: boolean;
  /** The parameters of Content-Disposition that follow the name, as sent. */
  parameters: string;
  content_type: string | undefined;
  /** The part declares an encoding other than UTF-8. */
  other_charset: boolean;
}

/** Returns undefined without a name, or when two parsers could read two names out of the headers. */
export function readPartHeaders(headers: string): PartHeaders | undefined {
  const lines = headers.split("\r\n").map((line) => HEADER.exec(line));
  if (!lines.every((line) => line !== null)) return undefined;
  const valuesOf = (wanted: string) =>
    lines.flatMap(([, name, value = ""]) => (name?.toLowerCase() === wanted ? [value.trim()] : []));

  const [disposition = "", ...others] = valuesOf("content-disposition");
  const [, quoted, bare, rest = ""] = FORM_FIELD.exec(disposition) ?? [];
  const name = quoted ?? bare;
  if (name === undefined || others.length > 0 || SECOND_NAME.test(rest)) return undefined;
  // Go decodes quoted-printable parts by itself: it would read other text than we do.
  const encoded = valuesOf("content-transfer-encoding").some((value) => !PLAIN.test(value));
  if (encoded || ENCODED_WORD.test(name)) return undefined;
  const types = valuesOf("content-type");
  // Some parsers descend into it and find fields that we do not find. RFC 7578 section 4.3 deprecates it.
  if (types.some((type) => /^multipart\//i.test(type))) return undefined;
  return {
    name,
    file: FILE_NAME.test(rest),
    parameters: rest,
    content_type: types[0],
    other_charset: types.some(declaresOtherCharset),
  };
}

/** Rejects a folded line (it starts with a space) and NUL: parsers disagree on where they end a value. */
const HEADER = /^([\w!#$%&'*+.^`|~-]+):([^\r\n\0]*)$/;
/** Every known client writes the name first; after a file name, quotes would be ambiguous. */
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
