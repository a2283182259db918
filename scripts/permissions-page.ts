/** Generates the page of roles and the endpoints that they may call. */
import { isAdministrative } from "../src/contract/endpoint.ts";
import { PERMISSIONS, ROLES } from "../src/contract/roles.ts";
import { routes } from "../src/server/http/routes.ts";

export function permissionsPage(): string {
  const rows = routes
    .map(({ endpoint }) => endpoint)
    .flatMap(({ auth, method, path }) =>
      isAdministrative(auth)
        ? [{ auth, call: `${method} ${path.replace(/:(\w+)/g, "{$1}")}` }]
        : [],
    )
    .map(({ auth, call }) => {
      const marks = ROLES.map((role) => (PERMISSIONS[role].includes(auth) ? "yes" : "no"));
      return `| \`${call}\` | ${auth} | ${marks.join(" | ")} |`;
    })
    .sort();
  return `# Roles and endpoints

Generated from the endpoint table by \`npm run docs\`. \`test/http/role-matrix.test.ts\` calls every endpoint with every role. A token that
is limited to gateways gets 403 for endpoints that name no gateway, except for a few that every administrator needs,
and may neither set \`allow_private\` nor use the identity of the machine, even with the role owner.

| Endpoint | Permission | ${ROLES.join(" | ")} |
|---|---|${ROLES.map(() => "---").join("|")}|
${rows.join("\n")}
`;
}
