/** Every administrative endpoint rejects every role without its permission, and no role with it. */
import { expect, test } from "bun:test";
import { isAdministrative } from "../../src/contract/endpoint.ts";
import { PERMISSIONS, ROLES } from "../../src/contract/roles.ts";
import { routes } from "../../src/server/http/routes.ts";
import { sharedKit } from "../kit/kit.ts";

const started = sharedKit();
const MISSING = "00000000-0000-7000-8000-000000000000";
const endpoints = routes
  .map(({ endpoint }) => endpoint)
  .flatMap(({ auth, method, path }) =>
    isAdministrative(auth) ? [{ auth, method, path: path.replace(/:\w+/g, MISSING) }] : [],
  );

test.each([...ROLES])(
  "the role %s may call exactly the endpoints of its permissions",
  async (role) => {
    const kit = await started();
    const { token } = await kit.make<{ token: string }>("/v1/tokens", {
      name: `role ${role}`,
      role,
    });
    const wrong: string[] = [];
    for (const { auth, method, path } of endpoints) {
      // Resources that do not exist: a call with the permission changes nothing.
      const reply = await kit.call(method, path, method === "GET" ? undefined : { unknown: true }, {
        authorization: `Bearer ${token}`,
      });
      const isStream = reply.headers.get("content-type") === "text/event-stream";
      if (isStream) await reply.body?.cancel();
      const text = isStream ? "" : await reply.text();
      const isRejected = reply.status === 403;
      const isExpected = !PERMISSIONS[role].includes(auth);
      if (isRejected !== isExpected)
        wrong.push(`${method} ${path}: ${reply.status} ${text.slice(0, 80)}`);
    }

    expect(endpoints.length).toBeGreaterThan(100);
    expect(wrong).toEqual([]);
  },
);
