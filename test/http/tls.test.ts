/** The TLS listener: versions, invalid files, and certificates that are replaced while it runs. */
import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, type SecureVersion } from "node:tls";
import { adminClient } from "../kit/admin-client.ts";
import { makeConsumer } from "../kit/dataplane.ts";
import { OWNER_TOKEN, sharedKit, startKit } from "../kit/kit.ts";
import { runProgram } from "../kit/program.ts";
import { until } from "../kit/until.ts";
import { startUpstream } from "../kit/upstream.ts";
import { OTHER, PLACES, UPSTREAM } from "../net/certificates.ts";

const folder = mkdtempSync(join(tmpdir(), "portcullis-tls-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const settings = {
  TLS_CERT_FILE: join(folder, "cert.pem"),
  TLS_KEY_FILE: join(folder, "key.pem"),
};
const write = ({ cert, key }: { cert: string; key: string }) => {
  writeFileSync(settings.TLS_CERT_FILE, cert);
  writeFileSync(settings.TLS_KEY_FILE, key);
};
write(PLACES);
const started = sharedKit({ settings });
const tls = { rejectUnauthorized: false };

/** Returns the name in the certificate of a new connection, or the error. */
async function certificateName(url: string, version: SecureVersion = "TLSv1.2"): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const versions = { minVersion: version, maxVersion: version };
  return await new Promise((resolve) => {
    const socket = connect({ ...tls, ...versions, host, port: Number(port) }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on("error", ({ message }) => resolve(message));
  });
}

test("the listener serves https, with TLS 1.2 and 1.3 only", async () => {
  const { url } = await started();

  const reply = await fetch(`${url}/healthz`, { tls: { ca: PLACES.cert } });

  expect([url.slice(0, 6), reply.status]).toEqual(["https:", 200]);
  expect(await certificateName(url, "TLSv1.2")).toBe("places.test");
  expect(await certificateName(url, "TLSv1.3")).toBe("places.test");
  expect(await certificateName(url, "TLSv1.1")).toContain("PROTOCOL_VERSION");
});

test("portcullis ready asks over https", async () => {
  const { host } = new URL((await started()).url);

  const { code, out } = await runProgram(["ready"], { ...settings, PORTCULLIS_LISTEN: host });

  expect([code, out.trim()]).toEqual([0, `ready at https://${host}/readyz`]);
});

test("changed files are used for new connections, and running streams finish", async () => {
  const { url, lines } = await started();
  const rest = Promise.withResolvers<void>();
  await using upstream = startUpstream({
    headers: { "content-type": "text/event-stream" },
    chunks: ["data: 1\n\n", rest.promise, "data: [DONE]\n\n"],
  });
  const admin = adminClient(url, OWNER_TOKEN, tls);
  const { slug, key } = await makeConsumer(admin, [{ provider: "openai", url: upstream.url }]);
  const stream = await fetch(`${url}/${slug}/v1/chat/completions`, {
    method: "POST",
    tls,
    headers: { "x-ag-api-key": key, "content-type": "application/json" },
    body: '{"model":"m","stream":true}',
  });

  write(OTHER);
  await until(async () => (await certificateName(url)) === "other.test");
  rest.resolve();

  expect(await stream.text()).toBe("data: 1\n\ndata: [DONE]\n\n");
  expect(lines.filter((line) => line.includes("tls_certificate_replaced")).length).toBe(1);
});

test("an invalid pair is logged, and the old one stays in use", async () => {
  const { url, lines } = await started();
  const before = await certificateName(url);

  write({ cert: UPSTREAM.cert, key: OTHER.key });
  await until(() => lines.some((line) => line.includes("tls_certificate_rejected")));

  expect(await certificateName(url)).toBe(before);
  expect(lines.join("")).toContain("TLS_KEY_FILE: does not belong to the first certificate");
  write(UPSTREAM);
  await until(async () => (await certificateName(url)) === "upstream.test");
});

test.each([
  ["TLS_CERT_FILE: must be a PEM file with a certificate.", "nothing", PLACES.key],
  ["TLS_KEY_FILE: must be a PEM file with an unencrypted private key.", PLACES.cert, "nothing"],
  ["TLS_KEY_FILE: does not belong to the first certificate", PLACES.cert, OTHER.key],
])("the start fails with %s", async (message, cert, key) => {
  const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(folder, "wrong-cert"), join(folder, "wrong-key")];
  writeFileSync(TLS_CERT_FILE, cert);
  writeFileSync(TLS_KEY_FILE, key);

  const failed = startKit({ settings: { TLS_CERT_FILE, TLS_KEY_FILE } });

  await expect(failed).rejects.toThrow(message);
});

test("the start fails when a file is missing, or only one is set", async () => {
  const missing = { ...settings, TLS_KEY_FILE: join(folder, "missing") };
  await expect(startKit({ settings: missing })).rejects.toThrow("TLS_KEY_FILE: cannot be read: ");

  const single = { TLS_CERT_FILE: settings.TLS_CERT_FILE };
  await expect(startKit({ settings: single })).rejects.toThrow("TLS_KEY_FILE: is required with");
});
