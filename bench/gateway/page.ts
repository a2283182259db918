/** The page docs/benchmarks.md: how the figures were made, on what, and how to make them again. */
import { PORTKEY_VERSION } from "./install.ts";
import { machineText } from "./report.ts";

export function page(tables: string, limits: boolean): string {
  return `# Benchmarks

\`\`\`
npm run bench -- gateway
\`\`\`

repeats all of this on your machine in about six minutes; \`--quick\` for a first look, \`--save\` to write this
page. It installs what it compares with when that is missing (nginx, HAProxy and wrk with apt, Portkey with
npm), uses loopback only, and removes everything that it started.

![CPU per request and added time to the first chunk](benchmarks.svg)

## Method

All contenders forward to the same two upstreams in one run: nginx for plain answers, a small Bun server for
streams, slow answers and uploads. Each warms up for five
seconds, then they take turns in five rounds of two or three seconds each; a figure is the
median of the rounds. Load comes from wrk, and from plain sockets for streams and uploads. CPU is the time of all
processes of a gateway from \`/proc\`; memory is their peak.

- **direct**: no gateway.
- **nginx**: one worker, connections to the upstream kept open, no buffering. **HAProxy**: one thread.
- **bare Bun**: \`Bun.serve\` and \`fetch\`, bodies streamed both ways and nothing looked at.
- **Portkey**: @portkey-ai/gateway ${PORTKEY_VERSION} on Node ${nodeVersion()}, without its log viewer.
- **Portcullis**: started with \`portcullis start\`; key check, routing, health, events and logs
  are on${limits ? ", and the rate limiter with four limits" : "; there is no rate limiter in this build"}.

Machine: ${machineText()}; Bun ${Bun.version}. Load, upstream and
gateway share it, so compare figures inside one run; CPU per request is the steadiest of them.

## Figures

${tables}`;
}

const nodeVersion = (): string =>
  Bun.spawnSync(["node", "--version"]).stdout.toString().trim().slice(1);
