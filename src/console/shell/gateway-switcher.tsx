/** Which gateway is looked at? Choosing another one stays on the same kind of page. */
import { navigate, useLocation } from "../router.tsx";
import { useSession } from "../session.ts";

export function GatewaySwitcher() {
  const { gateways, gateway } = useSession();
  const { path } = useLocation();
  if (!gateway) return <div className="switcher" />;
  const choose = (id: string) => {
    const part = /^\/gateways\/[^/]+(\/\w+)?/.exec(path)?.[1] ?? "";
    navigate(id ? `/gateways/${id}${part}` : "/gateways");
  };
  return (
    <div className="switcher">
      <label htmlFor="gateway">Gateway</label>
      <select id="gateway" value={gateway.id} onChange={(event) => choose(event.target.value)}>
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
