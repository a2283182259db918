/** What stands around every page: bar, side bar, gateway switcher, shared dialogs. */
import { type ReactNode, useEffect, useState } from "react";
import type { WhoAmI } from "../../contract/session.ts";
import { call } from "../api.ts";
import { gateways, session } from "../endpoints.ts";
import { everyPage } from "../read-all-pages.ts";
import { Link, useLocation } from "../router.tsx";
import { type Question, type Revealed, type Session, SessionContext } from "../session.ts";
import { Confirm } from "../ui/confirm-dialog.tsx";
import { Icon } from "../ui/icon.tsx";
import { Ready } from "../ui/page.tsx";
import { Reveal } from "../ui/secret-dialog.tsx";
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
    everyPage((query) => read(gateways.list, { params: {}, query: { ...query, sort: "name" } })),
  );
  const [question, setQuestion] = useState<Question>();
  const [revealed, setRevealed] = useState<Revealed>();
  const [said, setSaid] = useState("");
  useEffect(() => {
    const timer = said && setTimeout(() => setSaid(""), SAID_MS);
    return () => clearTimeout(timer || undefined);
  }, [said]);

  const known = list.state === "ready" ? list.value : [];
  const chosen = named ?? sessionStorage.getItem(CHOSEN);
  const value: Session = {
    who,
    may: (permission) => who.permissions.includes(permission),
    everywhere: who.gateway_ids === null,
    gateways: known,
    gateway: known.find(({ id }) => id === chosen) ?? known[0],
    ask: setQuestion,
    reveal: setRevealed,
    say: setSaid,
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
      {question && <Confirm question={question} onClose={() => setQuestion(undefined)} />}
      {revealed && <Reveal revealed={revealed} onStored={() => setRevealed(undefined)} />}
      <div className="said" role="status">
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
      <span className="mark plain">{who.role}</span>
      <button type="button" className="button small" onClick={() => void signOut.run()}>
        <Icon name="leave" /> Sign out
      </button>
    </div>
  );
}
