/** A load generator of bench/workers.ts: sends requests on many connections; exits with 1 when one fails. */
const { url, headers, requests } = JSON.parse(process.argv[2] ?? "{}") as {
  url: string;
  headers: Record<string, string>;
  requests: number;
};
const CONNECTIONS = 32;
const content = "y".repeat(900);
const request = {
  method: "POST",
  headers: { ...headers, "content-type": "application/json" },
  body: JSON.stringify({ model: "m", messages: [{ role: "user", content }] }),
};

let left = requests;
await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    while (left > 0) {
      left -= 1;
      const reply = await fetch(url, request);
      await reply.arrayBuffer();
      if (!reply.ok) throw new Error(`The status is ${reply.status}.`);
    }
  }),
);
