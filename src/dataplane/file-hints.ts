/** Which registry answered with this file id before? A hint learned from answers, never the truth. */

export interface FileHints {
  /** Registry id. */
  find(fileId: string): string | undefined;
  remember(fileId: string, registryId: string): void;
  forget(fileId: string): void;
}

const MOST_HINTS = 50_000;

export function createFileHints(most = MOST_HINTS): FileHints {
  const hints = new Map<string, string>(); // least recently used first
  return {
    find(fileId) {
      const registryId = hints.get(fileId);
      if (registryId === undefined) return undefined;
      hints.delete(fileId);
      hints.set(fileId, registryId);
      return registryId;
    },
    remember(fileId, registryId) {
      hints.delete(fileId);
      hints.set(fileId, registryId);
      if (hints.size <= most) return;
      const [oldest] = hints.keys();
      if (oldest !== undefined) hints.delete(oldest);
    },
    forget(fileId) {
      hints.delete(fileId);
    },
  };
}

/** Ids that fit here are longer than any provider's. */
const ID = /"id"\s*:\s*"([\w.:~-]{1,256})"/g;

/** The ids of an upload's or a list's answer. Only its first bytes are looked at: a hint is all we want. */
export const fileIdsIn = (json: string): string[] =>
  [...json.matchAll(ID)].flatMap(([, id]) => (id === undefined ? [] : [id]));
