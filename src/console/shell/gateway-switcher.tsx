/** Selects the gateway, and stays on the same kind of page. */
import { navigate, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";

export function GatewaySwitcher() {
  const { gateways, gateway } = useSession();
  const { path } = useLocation();
  if (!gateway) return <div className="switcher" />;
  const select = (id: string) => {
    const section = /^\/gateways\/[^/]+(\/\w+)?/.exec(path)?.[1] ?? "";
    navigate(id ? `/gateways/${id}${section}` : "/gateways");
  };
  return (
    <div className="switcher">
      <label htmlFor="gateway">Gateway</label>
      <select id="gateway" value={gateway.id} onChange={(event) => select(event.target.value)}>
        {gateways.map(({ id, name, slug }) => (
          <option key={id} value={id}>
            {name} ({slug})
          </option>
        ))}
        <option value="">All gateways…</option>
      </select>
    </div>
  );
}
