/** Who is signed in decides what is shown; the address decides which page. */
import { Activity, type ReactNode, useEffect, useEffectEvent } from "react";
import type { PathParams } from "../contract/endpoint.ts";
import { ActivityPage } from "./activity/activity-page.tsx";
import { events } from "./api.ts";
import { ApprovalsPage } from "./approvals/approvals-page.tsx";
import { AuditPage } from "./audit/audit-page.tsx";
import { CollectorPage } from "./collectors/collector-page.tsx";
import { CollectorsPage } from "./collectors/collectors-page.tsx";
import { ConsumerPage } from "./consumers/consumer-page.tsx";
import { ConsumersPage } from "./consumers/consumers-page.tsx";
import { DetectorPage } from "./detectors/detector-page.tsx";
import { DetectorsPage } from "./detectors/detectors-page.tsx";
import { session } from "./endpoints.ts";
import { GatewayPage } from "./gateways/gateway-page.tsx";
import { GatewaysPage } from "./gateways/gateways-page.tsx";
import { HomePage } from "./home/home-page.tsx";
import { PoliciesPage } from "./policies/policies-page.tsx";
import { PolicyPage } from "./policies/policy-page.tsx";
import { RegistriesPage } from "./registries/registries-page.tsx";
import { RegistryPage } from "./registries/registry-page.tsx";
import { RequestsPage } from "./requests/requests-page.tsx";
import { Link, matchPath, useLocation } from "./router.tsx";
import { Shell } from "./shell/shell.tsx";
import { SignInPage } from "./shell/sign-in-page.tsx";
import { InstancePage } from "./store/instances/instance-page.tsx";
import { StorePage } from "./store/store-page.tsx";
import { TokensPage } from "./tokens/tokens-page.tsx";
import { Failure, Loading, Page } from "./ui/page.tsx";
import { useLoad } from "./use-load.ts";

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
      <main className="standalone">
        <Loading of={who} />
      </main>
    );
  }
  const known = who.state === "ready" ? who.value : undefined;
  const signedOut = who.error?.code === "unauthorized";
  if (!known && !signedOut) {
    return (
      <main className="standalone">
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
