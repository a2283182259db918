/** Tabs of a page. Each has its own address, so they are links, not ARIA tabs. */
import { Link, useLocation } from "../router.tsx";

/** The first tab has an empty name: it is the default. */
type TabList<Name extends string> = readonly (readonly [name: Name | "", text: string])[];

export function Tabs<Name extends string>({ label, tabs }: { label: string; tabs: TabList<Name> }) {
  const { path } = useLocation();
  const current = useTab(tabs);
  return (
    <nav className="tabs" aria-label={label}>
      {tabs.map(([name, text]) => (
        <Link
          key={name}
          to={name ? `${path}?tab=${name}` : path}
          aria-current={name === current ? "page" : undefined}
        >
          {text}
        </Link>
      ))}
    </nav>
  );
}

export function useTab<Name extends string>(tabs: TabList<Name>): Name | "" {
  const current = useLocation().search.get("tab");
  return tabs.find(([name]) => name === current)?.[0] ?? "";
}
