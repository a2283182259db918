/** What a person sees when the program starts: where it is, and lines to paste that work as printed. */
import type { FirstRun } from "./first-run.ts";
import type { Listening } from "./listen.ts";

export function banner(urls: Listening["urls"], first: FirstRun | undefined): string {
  const lines = [`Portcullis is ready${addresses(urls)}`];
  if (urls.admin) {
    lines.push(`Console        ${urls.admin}/console`, `API reference  ${urls.admin}/docs`);
  }
  if (first?.admin_token) {
    lines.push("", "Administrator token, shown this once:", "", `  ${first.admin_token}`);
  }
  if (first?.demo && urls.gateway) {
    const { consumer, key } = first.demo;
    lines.push("", "A first request, answered by the built-in demo provider:", "");
    lines.push(...chatLines(`${urls.gateway}/${consumer}`, key));
  }
  if (first?.demo && urls.guard) {
    lines.push("", "A first evaluation, by the policy the demo collector starts with:", "");
    lines.push(...evaluateLines(urls.guard, first.demo.collector.key));
  }
  if (first && urls.admin) {
    lines.push("", "What is configured:", "");
    const token = first.admin_token ?? "$PORTCULLIS_ADMIN_TOKEN";
    lines.push(`  curl ${urls.admin}/v1/gateways -H "Authorization: Bearer ${token}"`);
  }
  return `${lines.join("\n")}\n`;
}

function addresses(urls: Listening["urls"]): string {
  const places = new Set(Object.values(urls));
  if (places.size === 1) return ` at ${[...places][0]}`;
  return `:\n${Object.entries(urls)
    .map(([plane, url]) => `  ${plane.padEnd(8)} ${url}`)
    .join("\n")}`;
}

function chatLines(address: string, key: string): string[] {
  return [
    `  curl ${address}/v1/chat/completions \\`,
    `    -H 'X-AG-API-Key: ${key}' -H 'Content-Type: application/json' \\`,
    `    -d '{"messages": [{"role": "user", "content": "Hello!"}]}'`,
    "",
    `  curl ${address}/v1/images/generations \\`,
    `    -H 'X-AG-API-Key: ${key}' -H 'Content-Type: application/json' \\`,
    `    -d '{"model": "demo-image", "prompt": "a castle gate", "size": "256x256"}'`,
  ];
}

function evaluateLines(address: string, key: string): string[] {
  return [
    `  curl ${address}/v1/evaluate \\`,
    `    -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' \\`,
    `    -d '{"payload": {"input": "My card is 4111 1111 1111 1111."}}'`,
  ];
}
