/** The parts of one page, each with an address of its own: links, not ARIA tabs. */
import { Link, useLocation } from "../router.tsx";

interface TabsProps {
  /** What the parts belong to. */
  label: string;
  /** The first has the empty name: it is shown when the address names none. */
  tabs: readonly (readonly [name: string, text: string])[];
}

export function Tabs({ label, tabs }: TabsProps) {
  const { path, search } = useLocation();
  const current = search.get("tab") ?? "";
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
