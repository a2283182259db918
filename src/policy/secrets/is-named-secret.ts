/** Distinguishes a secret that only its name indicates from identifiers and paths in code. */

/** Names of metadata about a secret: `secret_name`, `credentialsId`, `token_url`. */
const METADATA_NAME =
  /(?:ids?|name|url|uri|path|file|length|size|types?|version|count|field|index|endpoint|host|prefix|expir\w{0,6}|policy|variable)["'`\\\s]{0,6}[:=,>]|csrf|public|pubkey/i;

export function isNamedSecret(value: string, name: string): boolean {
  const digits = value.replace(/\D/g, "").length;
  if (digits === 0 || !/[A-Za-z]/.test(value) || METADATA_NAME.test(name)) return false;
  // a.b.c, a::b
  if (digits < 4 && /^[A-Za-z_$][\w$]*(?:(?:\.|->|::)[A-Za-z_$][\w$]*)+$/.test(value)) return false;
  // some-words-2, some_name_2, SomeName2, some-library-1.2.3
  if (/^[A-Za-z]+(?:[-_.][A-Za-z]+\d?)*[-_.]?\d{0,3}(?:\.\d{1,3}){0,3}$/.test(value)) return false;
  return !/^(?:https?|file|arn|urn):|^[.~]?\/|\/\//.test(value);
}
