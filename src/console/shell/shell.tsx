/** Frame around every page: header, side bar, gateway switcher and shared dialogs. */
import { type ReactNode, useEffect, useRef, useState } from "react";
import type { WhoAmI } from "../../contract/session.ts";
import { call } from "../api.ts";
import { gateways, session } from "../endpoints.ts";
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
import { useAction } from "../use-action.ts";
import { useLoad } from "../use-load.ts";
import { GatewaySwitcher } from "./gateway-switcher.tsx";
import { SideBar } from "./side-bar.tsx";

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
  const [secret, setSecret] = useState<NewSecret>();
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
          <Link to="/" className="brand">
            <Icon name="gateway" /> Portcullis
          </Link>
          <GatewaySwitcher />
          <Account who={who} />
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
      </div>
      {confirmation && (
        <ConfirmDialog confirmation={confirmation} onClose={() => setConfirmation(undefined)} />
      )}
      {secret && <SecretDialog secret={secret} onStored={() => setSecret(undefined)} />}
      <div className="toast" role="status" popover="manual" ref={toastBox}>
        {toast}
      </div>
    </SessionContext>
  );
}

function Account({ who }: { who: WhoAmI }) {
  const signOut = useAction(async () => {
    await call(session.signOut, { params: {} });
    // A full load clears everything in memory.
    location.assign(document.baseURI);
  });
  return (
    <div className="who">
      {signOut.error && <span role="alert">Sign-out failed: {signOut.error.message}</span>}
      <span className="who-name">{who.name}</span>
      <span className="badge plain">{who.role}</span>
      <button type="button" className="button small" onClick={() => void signOut.run()}>
        <Icon name="leave" /> Sign out
      </button>
    </div>
  );
}
