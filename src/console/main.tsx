/** Where the console begins in the browser. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";

const root = document.getElementById("root");
if (root) {
  const onUncaughtError = (thrown: unknown) => {
    reportError(thrown);
    // React has emptied the page: say so instead of leaving it blank.
    root.textContent = "The console broke. Reload the page; nothing on the server was changed.";
  };
  createRoot(root, { onUncaughtError }).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}
