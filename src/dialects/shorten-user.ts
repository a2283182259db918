/** Shortens the id of an end user for OpenAI's APIs, which reject a longer one. Claude Code sends about 150 characters. */
const MAX_USER_CHARACTERS = 64;

export const shortenUser = (user: string): string =>
  user.length > MAX_USER_CHARACTERS
    ? new Bun.CryptoHasher("sha256").update(user).digest("hex")
    : user;
