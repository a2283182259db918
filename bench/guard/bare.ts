/** The baseline: a Bun server that reads the request and allows it. */
Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.argv[2]),
  development: false,
  fetch: async (request) => {
    const { direction } = (await request.json()) as { direction: string };
    return Response.json({ status: "allow", findings: [], direction });
  },
});

export {};
