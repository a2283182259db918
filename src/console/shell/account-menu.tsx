/** Name and role of the administrator, with Preferences and Sign out. */
import type { WhoAmI } from "../../contract/session.ts";
import { call } from "../api.ts";
import { session } from "../endpoints.ts";
import { Icon } from "../ui/icon.tsx";
import { Menu } from "../ui/menu.tsx";
import { useAction } from "../use-action.ts";

interface AccountMenuProps {
  who: WhoAmI;
  onPreferences: () => void;
}

export function AccountMenu({ who, onPreferences }: AccountMenuProps) {
  const signOut = useAction(async () => {
    await call(session.signOut, { params: {} });
    // A full load clears everything in memory.
    location.assign(document.baseURI);
  });
  return (
    <div className="who">
      {signOut.error && <span role="alert">Sign-out failed: {signOut.error.message}</span>}
      <Menu
        label={`Account: ${who.name} ${who.role}`}
        className="button quiet"
        items={[
          { text: "Preferences…", icon: "settings", onSelect: onPreferences },
          { text: "Sign out", icon: "leave", onSelect: () => void signOut.run() },
        ]}
      >
        <Icon name="consumer" />
        <span className="who-name">{who.name}</span> <span className="badge plain">{who.role}</span>
      </Menu>
    </div>
  );
}
