/** Version, documents and time zone, below every page. */
import { version } from "../../../package.json" with { type: "json" };
import { ROOT_URL } from "../api.ts";
import { timeZone } from "../preferences.ts";

export function Footer({ onPreferences }: { onPreferences: () => void }) {
  return (
    <footer className="foot">
      <span>Portcullis {version}</span>
      <a href={new URL("docs/guides/first-steps", ROOT_URL).href} target="_blank" rel="noopener">
        Guides
      </a>
      <a href={new URL("docs", ROOT_URL).href} target="_blank" rel="noopener">
        API reference
      </a>
      <button type="button" className="link" onClick={onPreferences}>
        Time zone: {timeZone()}
      </button>
    </footer>
  );
}
