/** What stands around every page: bar, side bar, gateway switcher, shared dialogs. */
import { type ReactNode, useEffect, useState } from "react";
import type { WhoAmI } from "../../contract/session.ts";
import { call } from "../api.ts";
import { gateways, session } from "../endpoints.ts";
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
import { useAction, useLoad } from "../use-load.ts";
import { GatewaySwitcher } from "./gateway-switcher.tsx";
import { SideBar } from "./side-bar.tsx";

const SAID_MS = 4000;
/** The gateway that this browser tab looked at last, for the pages whose address names none. */
const CHOSEN = "gateway";

export function Shell({ who, children }: { who: WhoAmI; children: ReactNode }) {
  const { path } = useLocation();
  const named = /^\/gateways\/([0-9a-f-]{36})/.exec(path)?.[1];
  useEffect(() => {
    if (named) sessionStorage.setItem(CHOSEN, named);
  }, [named]);
  const list = useLoad(named ?? "", (read) =>
    readAllPages((query) => read(gateways.list, { params: {}, query: { ...query, sort: "name" } })),
  );
  const [question, setQuestion] = useState<Confirmation>();
  const [revealed, setRevealed] = useState<NewSecret>();
  const [said, setSaid] = useState("");
  useEffect(() => {
    const timer = said && setTimeout(() => setSaid(""), SAID_MS);
    return () => clearTimeout(timer || undefined);
  }, [said]);

  const known = list.state === "ready" ? list.value : [];
  const chosen = named ?? sessionStorage.getItem(CHOSEN);
  const value: ConsoleSession = {
    who,
    may: (permission) => who.permissions.includes(permission),
    allGateways: who.gateway_ids === null,
    gateways: known,
    gateway: known.find(({ id }) => id === chosen) ?? known[0],
    confirm: setQuestion,
    showSecret: setRevealed,
    announce: setSaid,
  };
  return (
    <SessionContext value={value}>
      {/* With the whole address: a bare fragment would be looked for at the one in <base>. */}
      <a className="skip" href={`${location.pathname}${location.search}#main`}>
        Skip to content
      </a>
      <div className="shell">
        <header className="bar">
          <Link to="/" className="brand">
            <Icon name="gateway" /> Portcullis
          </Link>
          <GatewaySwitcher />
          <WhoIsThis who={who} />
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
      {question && <ConfirmDialog question={question} onClose={() => setQuestion(undefined)} />}
      {revealed && <SecretDialog revealed={revealed} onStored={() => setRevealed(undefined)} />}
      <div className="toast" role="status">
        {said}
      </div>
    </SessionContext>
  );
}

function WhoIsThis({ who }: { who: WhoAmI }) {
  const signOut = useAction(async () => {
    await call(session.signOut, { params: {} });
    // Loaded anew, so that nothing that was read stays in memory.
    location.assign(document.baseURI);
  });
  return (
    <div className="who">
      {signOut.error && <span role="alert">Not signed out: {signOut.error.message}</span>}
      <span className="who-name">{who.name}</span>
      <span className="badge plain">{who.role}</span>
      <button type="button" className="button small" onClick={() => void signOut.run()}>
        <Icon name="leave" /> Sign out
      </button>
    </div>
  );
}
