/** Matches results to function calls: Gemini often sends no ids, so they are matched by name and order. */

export interface CallMatcher {
  /** Returns the id of a call; a stable one if it has none. */
  addCall: (name: string, id: string | undefined) => string;
  /** Returns the id of the call that a result belongs to; undefined if there is none. */
  takeCall: (name: string, id: string | undefined) => string | undefined;
}

export function createCallMatcher(): CallMatcher {
  /** Calls without a result, in order. */
  const open: { name: string; id: string }[] = [];
  let count = 0;
  return {
    addCall(name, id = `call_${count}`) {
      count += 1;
      open.push({ name, id });
      return id;
    },
    takeCall(name, id) {
      const matches = (call: (typeof open)[number]) =>
        id === undefined ? call.name === name : call.id === id;
      const at = open.findIndex(matches);
      return at < 0 ? undefined : open.splice(at, 1)[0]?.id;
    },
  };
}
