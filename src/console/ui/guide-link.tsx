/** Link to the guide about the current page. */
import { ROOT_URL } from "../api.ts";
import { useLocation } from "../router.tsx";
import { Icon } from "./icon.tsx";

/** Guides by path and tab; the first match applies. */
const GUIDES: readonly (readonly [RegExp, path: string, title: string])[] = [
  [/^\/gateways\/[^/]+\/registries/, "guides/first-steps#connect-a-provider", "Connect a provider"],
  [/^\/gateways\/[^/]+\/consumers.*\?models$/, "guides/any-model", "Any SDK with any model"],
  [
    /^\/gateways\/[^/]+\/consumers/,
    "guides/first-steps#give-an-application-a-key",
    "Give an application a key",
  ],
  [/^\/gateways\/[^/]+\/requests/, "guides/failed-requests", "Why a request failed"],
  [/^\/gateways\/[^/]+\/store/, "guides/store-administrators", "The MCP Store"],
  [/^\/gateways\/[^/]+\?(limits|usage|blocks)$/, "guides/rate-limits", "Rate limits"],
  [/^\/gateways\/[\da-f-]{36}\?$/, "guides/inline-guard", "Inline guard"],
  [/^\/models/, "guides/any-model", "Any SDK with any model"],
  [/^\/policies/, "guides/guard#create-a-policy", "Create a policy"],
  [/^\/detectors/, "detectors", "Detectors"],
  [/^\/collectors.*\?agents$/, "guides/coding-agents#hooks", "Hooks of coding agents"],
  [/^\/collectors.*\?observed$/, "guides/inline-guard#observe-for-a-week", "Observe first"],
  [/^\/collectors.*\?calibration$/, "guides/guard#calibrate-a-detector", "Calibrate a detector"],
  [/^\/collectors/, "guides/guard", "Guard an application"],
  [/^\/activity/, "guides/guard#activity", "Activity"],
  [/^\/approvals/, "guides/guard#approvals", "Approvals"],
  [/^\/tokens/, "permissions", "Permissions of each role"],
  [/^\/audit/, "guides/store-administrators#audit-log", "Audit log"],
];
const OTHERWISE = [/./, "guides/first-steps", "First steps"] as const;

export function GuideLink() {
  const { path, search } = useLocation();
  const address = `${path}?${search.get("tab") ?? ""}`;
  const [, target, title] = GUIDES.find(([pattern]) => pattern.test(address)) ?? OTHERWISE;
  return (
    // In a new tab, so that drafts on this page are kept.
    <a
      className="guide"
      href={new URL(`docs/${target}`, ROOT_URL).href}
      target="_blank"
      rel="noopener"
    >
      <Icon name="guide" /> Guide: {title}
    </a>
  );
}
