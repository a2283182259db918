/** Starts the console in the browser. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const root = document.getElementById("root");
if (root) {
  const onUncaughtError = (thrown: unknown) => {
    reportError(thrown);
    // React has emptied the page.
    root.textContent = "The console crashed. Reload the page. Nothing was changed on the server.";
  };
  createRoot(root, { onUncaughtError }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
