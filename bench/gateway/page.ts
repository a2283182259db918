/** Generates docs/benchmarks.md: method, machine and figures. */
import { PORTKEY_VERSION } from "./install.ts";
import { machineText } from "./report.ts";

export function page(tables: string, limits: boolean): string {
  return `# Benchmarks

\`\`\`
npm run bench -- gateway
\`\`\`

This command repeats all measurements on your machine in about six minutes; \`--quick\` runs a shorter version, and \`--save\` writes this
page. It installs missing programs (nginx, HAProxy and wrk with apt, Portkey with npm), uses loopback only, and stops everything that it
started.

![CPU per request and added time to the first chunk](benchmarks.svg)

## Method

All contenders forward to the same two upstreams in one run: nginx for plain responses, a small Bun server for
streams, slow responses and uploads. Each warms up for five
seconds; then they alternate in five rounds of two or three seconds each. A figure is the median of the rounds. wrk generates the load,
and plain sockets for streams and uploads. CPU is the time of all processes of a gateway from \`/proc\`; memory is their peak.

- **direct**: no gateway.
- **nginx**: one worker, persistent upstream connections, no buffering. **HAProxy**: one thread.
- **bare Bun**: \`Bun.serve\` and \`fetch\`, bodies streamed in both directions without inspection.
- **Portkey**: @portkey-ai/gateway ${PORTKEY_VERSION} on Node ${nodeVersion()}, without its log viewer.
- **Portcullis**: started with \`portcullis start\`; authentication, routing, health checks, events and logs
  are enabled${limits ? ", and the rate limiter with four limits" : "; there is no rate limiter in this build"}.

Machine: ${machineText()}; Bun ${Bun.version}. Load generator, upstream and
gateway share it, so compare figures within one run; CPU per request varies least.

## Figures

${tables}`;
}

const nodeVersion = (): string =>
  Bun.spawnSync(["node", "--version"]).stdout.toString().trim().slice(1);
