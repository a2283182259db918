/** Is a stored time over? What has no end never is. */
export const hasEnded = (time: string | null, at: Date): boolean =>
  time !== null && Date.parse(time) <= at.getTime();
