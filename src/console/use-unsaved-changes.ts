/** Asks for confirmation before unsaved changes are lost by a link, the Back button or a closed tab. */
import { useEffect, useEffectEvent } from "react";
import { updateAddress } from "./router.tsx";

export function useUnsavedChanges(
  unsaved: boolean,
  discards: (to: URL) => boolean = () => true,
): void {
  const keepsChanges = useEffectEvent((to: URL) => !discards(to));
  useEffect(() => {
    if (!unsaved) return;
    let leaving = false;
    const onNavigate = (event: NavigateEvent) => {
      const { destination, hashChange, navigationType } = event;
      // For another document, `beforeunload` asks.
      if (leaving || !event.cancelable || !destination.sameDocument || hashChange) return;
      if (keepsChanges(new URL(destination.url))) return;
      event.preventDefault();
      // After the event: a dialog during a history traversal crashes the browser.
      setTimeout(() => {
        leaving = confirm("You have unsaved changes. Leave without saving?");
        if (!leaving) return;
        if (navigationType === "traverse") navigation.traverseTo(destination.key);
        else updateAddress(destination.url, "push");
      });
    };
    const onUnload = (event: BeforeUnloadEvent) => event.preventDefault();
    // Browsers without the Navigation API ask only before the tab is closed.
    window.navigation?.addEventListener("navigate", onNavigate);
    addEventListener("beforeunload", onUnload);
    return () => {
      window.navigation?.removeEventListener("navigate", onNavigate);
      removeEventListener("beforeunload", onUnload);
    };
  }, [unsaved]);
}
