/** Asks before what was typed gets lost: by a link, by Back, by closing the tab. */
import { useEffect, useEffectEvent } from "react";
import { updateAddress } from "./show-address.ts";

export function useUnsavedChanges(
  unsaved: boolean,
  isLost: (to: URL) => boolean = () => true,
): void {
  const isKept = useEffectEvent((to: URL) => !isLost(to));
  useEffect(() => {
    if (!unsaved) return;
    let leaving = false;
    const leave = (event: NavigateEvent) => {
      const { destination, hashChange, navigationType } = event;
      // Another document asks by `beforeunload`.
      if (leaving || !event.cancelable || !destination.sameDocument || hashChange) return;
      if (isKept(new URL(destination.url))) return;
      event.preventDefault();
      // Not before the event is over: a question amid going back ends the browser.
      setTimeout(() => {
        leaving = confirm("What you typed here is not saved. Leave it?");
        if (!leaving) return;
        if (navigationType === "traverse") navigation.traverseTo(destination.key);
        else updateAddress(destination.url, "push");
      });
    };
    const unload = (event: BeforeUnloadEvent) => event.preventDefault();
    // Older browsers have none: there, only closing the tab is asked about.
    window.navigation?.addEventListener("navigate", leave);
    addEventListener("beforeunload", unload);
    return () => {
      window.navigation?.removeEventListener("navigate", leave);
      removeEventListener("beforeunload", unload);
    };
  }, [unsaved]);
}
