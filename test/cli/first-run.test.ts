/** The first minute of a new user: start in an empty folder and paste the commands of the banner. */
import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adminClient } from "../kit/admin-client.ts";
import { OWNER_TOKEN } from "../kit/kit.ts";
import { runProgram, startProgram } from "../kit/program.ts";
import { freshDatabase } from "../kit/services.ts";
import { until } from "../kit/until.ts";

const emptyFolder = () => mkdtempSync(join(tmpdir(), "portcullis-first-"));

/** The commands in the banner, as a person would paste them: a line that ends in \ goes on. */
function pasteable(printed: string): string[] {
  return printed
    .replaceAll("\\\n", "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.startsWith("curl "));
}

async function paste(command: string): Promise<Record<string, unknown>> {
  const child = Bun.spawn(["sh", "-c", `${command} --silent --show-error --fail-with-body`], {
    stdout: "pipe",
  });
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return JSON.parse(text);
}

test("the banner's curl lines work as printed, and the token is shown once", async () => {
  const dir = emptyFolder();
  const settings = {
    PORTCULLIS_DATA_DIR: dir,
    PORTCULLIS_DEMO: "true",
    PORTCULLIS_ADMIN_TOKEN: "",
  };
  const first = await startProgram({ settings });

  const responses = await Promise.all(pasteable(first.printed()).map(paste));
  await first.stop();
  await using second = await startProgram({ settings });

  expect(responses).toMatchObject([
    {
      object: "chat.completion",
      choices: [{ message: { content: expect.stringContaining("My card is [MASKED_CC].") } }],
    },
    { data: [{ b64_json: expect.stringMatching(/^iVBOR/) }] },
    { status: "block", findings: [{ source: { plugin: "prompt_guard" } }] },
    { items: [{ slug: "demo" }] },
  ]);
  expect(first.printed()).toMatch(/\n {2}pa_[\w-]{43}\n/);
  expect(second.printed()).not.toContain("pa_");
  expect(second.printed()).toContain("Portcullis is ready at http://127.0.0.1:");
  rmSync(dir, { recursive: true, force: true });
});

test("a new installation is ready only when its first token works", async () => {
  await using database = await freshDatabase("postgres");
  const held = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const url = `http://127.0.0.1:${held.port}`;
  held.stop(true);
  const settings = { PORTCULLIS_LISTEN: url.slice("http://".length), DATABASE_URL: database.url };
  const starting = startProgram({ settings: { ...settings, PORTCULLIS_DEMO: "true" } });

  await until(() => fetch(`${url}/readyz`).then(isOk, () => false));
  const listed = await adminClient(url, OWNER_TOKEN).call("GET", "/v1/gateways");

  await using _program = await starting;
  expect(listed.status).toBe(200);
});

const isOk = ({ ok }: Response) => ok;

test("the database and the key file are private to their owner", async () => {
  const dir = join(emptyFolder(), "new");
  await using program = await startProgram({ settings: { PORTCULLIS_DATA_DIR: dir } });

  expect(statSync(dir).mode & 0o077).toBe(0);
  expect(statSync(join(dir, "keys")).mode & 0o777).toBe(0o600);
  expect(program.url).not.toBe("");
});

test("in a world-readable folder the database and backups are private", async () => {
  const dir = emptyFolder();
  chmodSync(dir, 0o755);
  const settings = { PORTCULLIS_DATA_DIR: dir };
  await using program = await startProgram({ settings });
  await runProgram(["backup", "--output", join(dir, "backup")], settings);

  const open = readdirSync(dir).filter((name) => statSync(join(dir, name)).mode & 0o077);

  expect(program.url).not.toBe("");
  expect(readdirSync(dir)).toContain("backup");
  expect(open).toEqual([]);
  rmSync(dir, { recursive: true, force: true });
});

test("PORTCULLIS_ADMIN_TOKEN becomes the first owner token, and is not printed", async () => {
  await using program = await startProgram();

  const reply = await program.admin("GET", "/v1/whoami");

  expect(await reply.json()).toMatchObject({ name: "First owner", role: "owner" });
  expect(program.printed()).toContain("Bearer $PORTCULLIS_ADMIN_TOKEN");
  expect(program.printed()).not.toContain(OWNER_TOKEN);
});

test("--json prints the addresses and the created keys", async () => {
  await using program = await startProgram({
    args: ["--json"],
    settings: { PORTCULLIS_DEMO: "true", PORTCULLIS_ADMIN_TOKEN: "" },
  });

  const printed = JSON.parse(program.printed().split("\n")[0] ?? "");

  expect(printed).toMatchObject({
    urls: { admin: expect.stringContaining("http://127.0.0.1:"), gateway: expect.any(String) },
    first_run: {
      admin_token: expect.stringMatching(/^pa_/),
      demo: { consumer: "demo", key: expect.stringMatching(/^ag_/) },
    },
  });
});

test("the starter policy allows ordinary messages of a conversation", async () => {
  await using program = await startProgram({
    args: ["--json"],
    settings: { PORTCULLIS_DEMO: "true" },
  });
  const { urls, first_run } = JSON.parse(program.printed().split("\n")[0] ?? "");
  const evaluate = async (content: string) => {
    const reply = await fetch(`${urls.admin}/v1/evaluate`, {
      method: "POST",
      headers: { authorization: `Bearer ${first_run.demo.collector.key}` },
      body: JSON.stringify({
        direction: "input",
        payload: { messages: [{ role: "user", content }] },
      }),
    });
    return ((await reply.json()) as { status: string }).status;
  };

  const statuses = await Promise.all(
    [
      "only the code, no explanation this time",
      "What was the name of the glue you mentioned at the start?",
      "Two of the links you gave are the same.",
      "What were the three options you listed first?",
    ].map(evaluate),
  );

  expect(statuses).toEqual(["allow", "allow", "allow", "allow"]);
});

test("two nodes that start at once on a new database create one installation", async () => {
  const dir = emptyFolder();
  const settings = { PORTCULLIS_DATA_DIR: dir, PORTCULLIS_DEMO: "true" };

  const [one, other] = await Promise.all([startProgram({ settings }), startProgram({ settings })]);

  const { items } = (await (await one.admin("GET", "/v1/gateways")).json()) as { items: unknown[] };
  expect(items).toHaveLength(1);
  await Promise.all([one.stop(), other.stop()]);
  rmSync(dir, { recursive: true, force: true });
});

test("a signal to npm start stops the program", async () => {
  const dir = emptyFolder();
  const child = Bun.spawn(["npm", "start", "--silent", "--", "--json"], {
    env: {
      PATH: process.env.PATH ?? "",
      PORTCULLIS_LISTEN: "127.0.0.1:0",
      PORTCULLIS_DATA_DIR: dir,
    },
    stdout: "pipe",
    stderr: "ignore",
  });
  const { value = "" } = await child.stdout.pipeThrough(new TextDecoderStream()).getReader().read();
  const { urls } = JSON.parse(value) as { urls: { admin: string } };
  const running = await fetch(`${urls.admin}/healthz`);

  child.kill("SIGTERM");
  await child.exited;
  const gone = fetch(`${urls.admin}/healthz`);

  expect(running.status).toBe(200);
  expect(gone).rejects.toThrow();
  await gone.catch(() => {});
  rmSync(dir, { recursive: true, force: true });
});
