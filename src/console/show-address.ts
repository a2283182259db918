/** Puts an address into the bar and tells the page; nothing is loaded. */
export function updateAddress(address: string | URL, how: "push" | "replace"): void {
  history[`${how}State`](null, "", address);
  dispatchEvent(new PopStateEvent("popstate"));
}
