/** Generates docs/benchmarks.md, with method, machine and figures, and the figures of the README. */
import { type Check, checksText } from "../checks.ts";
import { IN_FLIGHT_MEMORY, UPLOAD_GROWTH } from "./memory.ts";
import { PEERS, type Skipped } from "./peers.ts";
import { FIRST_CHUNK, machineText, rowsText, type Table, tableOf, tableText } from "./report.ts";
import { CHAT } from "./workloads.ts";

export interface Figures {
  tables: readonly Table[];
  checks: readonly Check[];
  skipped: readonly Skipped[];
  /** Cores of the programs. */
  how: string;
}

export function page({ tables, checks, skipped, how }: Figures): string {
  const peers = PEERS.map(
    ({ name, from, package: packed, version, note }) =>
      `- **${name}**: ${packed} ${version} from ${from}${from === "npm" ? ` on Node ${nodeVersion()}` : ""}, ${note}.\n`,
  );
  return `# Benchmarks

\`\`\`
npm run bench -- gateway
\`\`\`

This command repeats all measurements on your machine in about ten minutes; \`--quick\` runs a shorter version, and \`--save\` writes this
page and the figures of the README. It installs missing programs (nginx, HAProxy and wrk with apt, other gateways with npm, pip and Go),
uses loopback only, and stops everything that it started.

![CPU per request and added time to the first chunk](benchmarks.svg)

## Method

All contenders forward to the same two upstreams in one run: nginx for plain responses, a small Bun server for
streams, slow responses and uploads. Each warms up for five
seconds; then they alternate in five rounds of two or three seconds each. A figure is the median of the rounds. wrk generates the load,
and plain sockets for streams and uploads. CPU is the time of all processes of a gateway from \`/proc\`; memory is their peak.

- **direct**: no gateway.
- **nginx**: one worker, persistent upstream connections, no buffering. **HAProxy**: one thread.
- **bare Bun**: \`Bun.serve\` and \`fetch\`, bodies streamed in both directions without inspection.
- **Portcullis**: started with \`portcullis start\`; authentication, routing, health checks, events and logs
  are enabled, and the rate limiter with four limits.
${peers.join("")}
Machine: ${machineText()}; ${how}; Bun ${Bun.version}. Compare figures within one run; CPU per request
varies least.

${skippedText(skipped)}## Figures

${tables.map(tableText).join("\n")}
${checksText(checks)}`;
}

export const skippedText = (skipped: readonly Skipped[]): string =>
  skipped.map(({ name, reason }) => `Skipped: ${name} (${reason}).\n\n`).join("");

const START = "<!-- Written by npm run bench -- gateway --save -->\n";
const END = "<!-- End -->\n";

/** Replaces the figures between the two comments. */
export function readmeText(
  readme: string,
  tables: readonly Table[],
  checks: readonly Check[],
): string {
  const { rows, workload } = tableOf(tables, CHAT);
  const measured = (what: string) => checks.find((check) => check.what === what)?.measured;
  const figures = `
${rowsText(rows, workload.span)}

It adds ${measured(FIRST_CHUNK)} to the first chunk of a stream (median of 16 concurrent streams), grows by
${measured(UPLOAD_GROWTH)} while 1 GiB is uploaded, and holds 5,000 requests in flight in ${measured(IN_FLIGHT_MEMORY)}.
[All figures, method and targets](docs/benchmarks.md).

`;
  const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
  if (start < 0 || end < start)
    throw new Error("README.md: the comments around the figures are missing.");
  return `${readme.slice(0, start)}${START}${figures}${readme.slice(end)}`;
}

const nodeVersion = (): string =>
  Bun.spawnSync(["node", "--version"]).stdout.toString().trim().slice(1);
