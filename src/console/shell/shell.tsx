/** Frame around every page: header, side bar, gateway switcher and shared dialogs. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { WhoAmI } from "../../contract/session.ts";
import { gateways } from "../endpoints.ts";
import { useLiveStream } from "../live/live-stream.ts";
import { readAllPages } from "../read-all-pages.ts";
import { Link, useLocation } from "../router.tsx";
import {
  type Confirmation,
  type ConsoleSession,
  type NewSecret,
  SessionContext,
} from "../session.ts";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Ready } from "../ui/page.tsx";
import { SecretDialog } from "../ui/secret-dialog.tsx";
import { showHidden } from "../ui/show-hidden.ts";
import { useShortcut } from "../ui/use-shortcut.ts";
import { useLoad } from "../use-load.ts";
import { AccountMenu } from "./account-menu.tsx";
import { CommandPalette } from "./command-palette.tsx";
import { Footer } from "./footer.tsx";
import { GatewaySwitcher } from "./gateway-switcher.tsx";
import { PreferencesDialog } from "./preferences-dialog.tsx";
import { NAVIGATION_ID, SideBar } from "./side-bar.tsx";

const TOAST_MS = 4000;
/** Session storage key of the last gateway, for pages whose address has none. */
const GATEWAY_KEY = "gateway";

export function Shell({ who, children }: { who: WhoAmI; children: ReactNode }) {
  const { path } = useLocation();
  const gatewayInPath = /^\/gateways\/([0-9a-f-]{36})/.exec(path)?.[1];
  useEffect(() => {
    if (gatewayInPath) sessionStorage.setItem(GATEWAY_KEY, gatewayInPath);
  }, [gatewayInPath]);
  const list = useLoad(gatewayInPath ?? "", (read) =>
    readAllPages((query) => read(gateways.list, { params: {}, query: { ...query, sort: "name" } })),
  );
  const [confirmation, setConfirmation] = useState<Confirmation>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link in the dialog leads to another page
  useEffect(() => setConfirmation(undefined), [path]);
  const [secret, setSecret] = useState<NewSecret>();
  const [preferences, setPreferences] = useState(false);
  const openPreferences = () => setPreferences(true);
  const [palette, setPalette] = useState(false);
  useShortcut("k", () => setPalette(true));
  const [toast, setToast] = useState("");
  const toastBox = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // A popover shown now is above dialogs that were opened before.
    toastBox.current?.togglePopover(false);
    if (toast) toastBox.current?.togglePopover(true);
    const timer = toast && setTimeout(() => setToast(""), TOAST_MS);
    return () => clearTimeout(timer || undefined);
  }, [toast]);

  const all = list.state === "ready" ? list.value : [];
  const selected = gatewayInPath ?? sessionStorage.getItem(GATEWAY_KEY);
  const value: ConsoleSession = {
    who,
    may: (permission) => who.permissions.includes(permission),
    allGateways: who.gateway_ids === null,
    gateways: all,
    gateway: all.find(({ id }) => id === selected) ?? all[0],
    confirm: setConfirmation,
    showSecret: setSecret,
    announce: setToast,
  };
  useLiveStream(value.gateway?.id);
  return (
    <SessionContext value={value}>
      {/* With the full path: a bare fragment would be relative to <base>. */}
      <a className="skip" href={`${location.pathname}${location.search}#main`}>
        Skip to content
      </a>
      <div className="shell">
        <header className="bar">
          <button
            type="button"
            className="button quiet drawer-button"
            popoverTarget={NAVIGATION_ID}
            aria-label="Navigation"
          >
            <Icon name="menu" />
          </button>
          <Link to="/" className="brand">
            <Icon name="gateway" /> Portcullis
          </Link>
          <GatewaySwitcher />
          <button
            type="button"
            className="button small go-to"
            aria-keyshortcuts="Control+K"
            onClick={() => setPalette(true)}
          >
            <Icon name="search" />
            <span>Go to</span> <kbd>Ctrl K</kbd>
          </button>
          <AccountMenu who={who} onPreferences={openPreferences} />
        </header>
        <SideBar />
        <main id="main" tabIndex={-1} key={path}>
          {list.state === "ready" ? (
            children
          ) : (
            <Ready of={list} what="The gateways">
              {() => children}
            </Ready>
          )}
        </main>
        <Footer onPreferences={openPreferences} />
      </div>
      {palette && <CommandPalette onClose={() => setPalette(false)} />}
      {preferences && <PreferencesDialog onClose={() => setPreferences(false)} />}
      {confirmation && (
        <ConfirmDialog confirmation={confirmation} onClose={() => setConfirmation(undefined)} />
      )}
      {secret && <SecretDialog secret={secret} onStored={() => setSecret(undefined)} />}
      <div className="toast" role="status" popover="manual" ref={toastBox}>
        {showHidden(toast)}
      </div>
    </SessionContext>
  );
}
