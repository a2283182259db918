/** Who is signed in decides what is shown; the address decides which page. */
import { Activity, type ReactNode, useEffect, useEffectEvent } from "react";
import type { PathParams } from "../contract/endpoint.ts";
import { events } from "./api.ts";
import { session } from "./endpoints.ts";
import { useLoad } from "./load.ts";
import { ActivityPage } from "./pages/activity.tsx";
import { ApprovalsPage } from "./pages/approvals.tsx";
import { AuditPage } from "./pages/audit.tsx";
import { CollectorPage } from "./pages/collector.tsx";
import { CollectorsPage } from "./pages/collectors.tsx";
import { ConsumerPage } from "./pages/consumer.tsx";
import { ConsumersPage } from "./pages/consumers.tsx";
import { DetectorPage } from "./pages/detector.tsx";
import { DetectorsPage } from "./pages/detectors.tsx";
import { GatewayPage } from "./pages/gateway.tsx";
import { GatewaysPage } from "./pages/gateways.tsx";
import { HomePage } from "./pages/home.tsx";
import { InstancePage } from "./pages/instance.tsx";
import { PoliciesPage } from "./pages/policies.tsx";
import { PolicyPage } from "./pages/policy.tsx";
import { RegistriesPage } from "./pages/registries.tsx";
import { RegistryPage } from "./pages/registry.tsx";
import { RequestsPage } from "./pages/requests.tsx";
import { SignInPage } from "./pages/sign-in.tsx";
import { StorePage } from "./pages/store.tsx";
import { TokensPage } from "./pages/tokens.tsx";
import { Failure, Loading, Page } from "./parts/page.tsx";
import { Shell } from "./parts/shell.tsx";
import { Link, matchPath, useLocation } from "./router.tsx";

export function App() {
  const who = useLoad("who", (read) => read(session.who, { params: {} }));
  const onSignedOut = useEffectEvent(() => {
    if (who.state === "ready") who.reload();
  });
  useEffect(() => {
    const signedOut = () => onSignedOut();
    events.addEventListener("signed-out", signedOut);
    return () => events.removeEventListener("signed-out", signedOut);
  }, []);

  if (who.state === "loading") {
    return (
      <main className="alone">
        <Loading of={who} />
      </main>
    );
  }
  const known = who.state === "ready" ? who.value : undefined;
  const signedOut = who.error?.code === "unauthorized";
  if (!known && !signedOut) {
    return (
      <main className="alone">
        <h1>Portcullis</h1>
        <Failure title="The console could not start." error={who.error} again={who.reload} />
      </main>
    );
  }
  return (
    <>
      {signedOut && <SignInPage ended={known !== undefined} />}
      {/* Out of sight, with what was typed, until the same person is back; another begins anew. */}
      {known && (
        <Activity mode={signedOut ? "hidden" : "visible"}>
          <Shell key={JSON.stringify(known)} who={known}>
            <CurrentPage />
          </Shell>
        </Activity>
      )}
    </>
  );
}

/** Undefined: the path has another form. */
type Place = (path: string) => ReactNode | undefined;

const place =
  <Path extends string>(pattern: Path, page: (params: PathParams<Path>) => ReactNode): Place =>
  (path) => {
    const params = matchPath(pattern, path);
    return params && page(params);
  };

/** `new` stands before `:id`, so that it is not taken for one. */
const PLACES: readonly Place[] = [
  place("/", () => <HomePage />),
  place("/gateways", () => <GatewaysPage />),
  place("/gateways/new", () => <GatewayPage />),
  place("/gateways/:gateway_id", (params) => <GatewayPage {...params} />),
  place("/gateways/:gateway_id/registries", (params) => <RegistriesPage {...params} />),
  place("/gateways/:gateway_id/registries/new", (params) => <RegistryPage {...params} />),
  place("/gateways/:gateway_id/registries/:registry_id", (params) => <RegistryPage {...params} />),
  place("/gateways/:gateway_id/consumers", (params) => <ConsumersPage {...params} />),
  place("/gateways/:gateway_id/consumers/new", (params) => <ConsumerPage {...params} />),
  place("/gateways/:gateway_id/consumers/:consumer_id", (params) => <ConsumerPage {...params} />),
  place("/gateways/:gateway_id/store", (params) => <StorePage {...params} />),
  place("/gateways/:gateway_id/store/instances/new", (params) => <InstancePage {...params} />),
  place("/gateways/:gateway_id/store/instances/:registry_id", (params) => (
    <InstancePage {...params} />
  )),
  place("/gateways/:gateway_id/requests", (params) => <RequestsPage {...params} />),
  place("/policies", () => <PoliciesPage />),
  place("/policies/new", () => <PolicyPage />),
  place("/policies/:policy_id", (params) => <PolicyPage {...params} />),
  place("/detectors", () => <DetectorsPage />),
  place("/detectors/new", () => <DetectorPage />),
  place("/detectors/:detector_id", (params) => <DetectorPage {...params} />),
  place("/collectors", () => <CollectorsPage />),
  place("/collectors/new", () => <CollectorPage />),
  place("/collectors/:collector_id", (params) => <CollectorPage {...params} />),
  place("/activity", () => <ActivityPage />),
  place("/approvals", () => <ApprovalsPage />),
  place("/tokens", () => <TokensPage />),
  place("/audit", () => <AuditPage />),
];

function CurrentPage() {
  const { path } = useLocation();
  for (const show of PLACES) {
    const page = show(path);
    if (page) return page;
  }
  return (
    <Page title="Not found">
      <p>
        The console has no page at <code>{path}</code>. <Link to="/">Go to the start.</Link>
      </p>
    </Page>
  );
}
