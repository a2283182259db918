/** The least a guard on Bun can do: reads what it is asked, and allows it. */
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
