/** Preloaded into a measured program: serves the size of its heap after a full collection. */
import { heapStats } from "bun:jsc";

const { HEAP_PORT } = process.env;
if (HEAP_PORT && Bun.isMainThread) {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: Number(HEAP_PORT),
    development: false,
    fetch() {
      Bun.gc(true);
      const { heapSize, extraMemorySize } = heapStats();
      return Response.json(heapSize + extraMemorySize);
    },
  });
  server.unref();
}
