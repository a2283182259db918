/** Shows the sign-in page, or the page that the address names. */
import {
  Activity,
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useEffectEvent,
} from "react";
import type { PathParams } from "../contract/endpoint.ts";
import { ActivityPage } from "./activity/activity-page.tsx";
import { events } from "./api.ts";
import { ApprovalsPage } from "./approvals/approvals-page.tsx";
import { AuditPage } from "./audit/audit-page.tsx";
import { CollectorPage } from "./collectors/collector-page.tsx";
import { CollectorsPage } from "./collectors/collectors-page.tsx";
import { ConsumerPage } from "./consumers/consumer-page.tsx";
import { ConsumersPage } from "./consumers/consumers-page.tsx";
import { DetectorsPage } from "./detectors/detectors-page.tsx";
import { session } from "./endpoints.ts";
import { GatewayPage } from "./gateways/gateway-page.tsx";
import { GatewaysPage } from "./gateways/gateways-page.tsx";
import { HomePage } from "./home/home-page.tsx";
import { ModelsPage } from "./models/models-page.tsx";
import { PoliciesPage } from "./policies/policies-page.tsx";
import { usePreferences } from "./preferences.ts";
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

/** Loads a page on demand. */
const lazyPage = <Props extends object>(load: () => Promise<ComponentType<Props>>) =>
  lazy<ComponentType<Props>>(async () => ({
    default: await load().catch(() => PageUnavailable),
  }));

/** Shown if the file of a page is missing, as after an upgrade of the server. */
const PageUnavailable = () => (
  <Page title="This page could not be loaded">
    <p>The server may have been upgraded. Reload the console.</p>
    <button type="button" className="button" onClick={() => location.reload()}>
      Reload
    </button>
  </Page>
);

const PlaygroundPage = lazyPage(
  async () => (await import("./playground/playground-page.tsx")).PlaygroundPage,
);
const PolicyPage = lazyPage(async () => (await import("./policies/policy-page.tsx")).PolicyPage);
const DetectorPage = lazyPage(
  async () => (await import("./detectors/detector-page.tsx")).DetectorPage,
);

export function App() {
  // Renders everything again after a change: times are formatted in the selected zone.
  usePreferences();
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
  const account = who.state === "ready" ? who.value : undefined;
  const signedOut = who.error?.code === "unauthorized";
  if (!account && !signedOut) {
    return (
      <main className="standalone">
        <h1>Portcullis</h1>
        <Failure title="The console could not start." error={who.error} onRetry={who.reload} />
      </main>
    );
  }
  return (
    <>
      {signedOut && <SignInPage expired={account !== undefined} />}
      {/* Hidden with its unsaved drafts until the same administrator signs in again. */}
      {account && (
        <Activity mode={signedOut ? "hidden" : "visible"}>
          <Shell key={JSON.stringify(account)} who={account}>
            <CurrentPage />
          </Shell>
        </Activity>
      )}
    </>
  );
}

/** Returns the page of a path, or undefined if the path does not match. */
type Route = (path: string) => ReactNode | undefined;

const route =
  <Path extends string>(pattern: Path, page: (params: PathParams<Path>) => ReactNode): Route =>
  (path) => {
    const params = matchPath(pattern, path);
    return params && page(params);
  };

/** In order: `new` comes before `:id`, which would match it. */
const ROUTES: readonly Route[] = [
  route("/", () => <HomePage />),
  route("/gateways", () => <GatewaysPage />),
  route("/gateways/new", () => <GatewayPage />),
  route("/gateways/:gateway_id", (params) => <GatewayPage {...params} />),
  route("/gateways/:gateway_id/registries", (params) => <RegistriesPage {...params} />),
  route("/gateways/:gateway_id/registries/new", (params) => <RegistryPage {...params} />),
  route("/gateways/:gateway_id/registries/:registry_id", (params) => <RegistryPage {...params} />),
  route("/gateways/:gateway_id/consumers", (params) => <ConsumersPage {...params} />),
  route("/gateways/:gateway_id/consumers/new", (params) => <ConsumerPage {...params} />),
  route("/gateways/:gateway_id/consumers/:consumer_id", (params) => <ConsumerPage {...params} />),
  route("/gateways/:gateway_id/store", (params) => <StorePage {...params} />),
  route("/gateways/:gateway_id/store/instances/new", (params) => <InstancePage {...params} />),
  route("/gateways/:gateway_id/store/instances/:registry_id", (params) => (
    <InstancePage {...params} />
  )),
  route("/gateways/:gateway_id/requests", (params) => <RequestsPage {...params} />),
  route("/models", () => <ModelsPage />),
  route("/gateways/:gateway_id/playground", (params) => <PlaygroundPage {...params} />),
  route("/policies", () => <PoliciesPage />),
  route("/policies/new", () => <PolicyPage />),
  route("/policies/:policy_id", (params) => <PolicyPage {...params} />),
  route("/detectors", () => <DetectorsPage />),
  route("/detectors/new", () => <DetectorPage />),
  route("/detectors/:detector_id", (params) => <DetectorPage {...params} />),
  route("/collectors", () => <CollectorsPage />),
  route("/collectors/new", () => <CollectorPage />),
  route("/collectors/:collector_id", (params) => <CollectorPage {...params} />),
  route("/activity", () => <ActivityPage />),
  route("/approvals", () => <ApprovalsPage />),
  route("/tokens", () => <TokensPage />),
  route("/audit", () => <AuditPage />),
];

function CurrentPage() {
  const { path } = useLocation();
  for (const render of ROUTES) {
    const page = render(path);
    if (page) return <Suspense fallback={<p className="loading">Loading…</p>}>{page}</Suspense>;
  }
  return (
    <Page title="Not found">
      <p>
        The console has no page at <code>{path}</code>. <Link to="/">Go to Home.</Link>
      </p>
    </Page>
  );
}
