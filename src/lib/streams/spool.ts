/** Buffers a body that may be sent more than once: in memory first, then in an unlinked file. */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";

export interface Spool extends AsyncDisposable {
  /** Await each append before the next: that is the back-pressure. The spool takes ownership of the chunk. */
  append(chunk: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Returns everything appended so far, from the start. May be called any number of times, also concurrently. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly size: number;
}

export interface SpoolOptions {
  dir: string;
  /** Bytes held in memory; the rest is written to disk. */
  memoryLimit: number;
}

const READ_SIZE = 64 * 1024;

export function createSpool({ dir, memoryLimit }: SpoolOptions): Spool {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let inMemory = 0;
  let inFile = 0;
  let file: FileHandle | undefined;

  return {
    async append(chunk) {
      if (!file && inMemory + chunk.length <= memoryLimit) {
        chunks.push(chunk);
        inMemory += chunk.length;
        return;
      }
      file ??= await openUnlinkedFile(dir);
      await writeAll(file, chunk, inFile);
      inFile += chunk.length;
      releaseBuffer(chunk);
    },

    stream() {
      const inMemoryChunks = [...chunks];
      const end = inFile;
      let position = 0;
      return new ReadableStream(
        {
          async pull(controller) {
            const chunk = inMemoryChunks.shift();
            if (chunk) return controller.enqueue(chunk);
            if (!file || position === end) return controller.close();
            const buffer = new Uint8Array(Math.min(READ_SIZE, end - position));
            const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
            if (bytesRead === 0)
              throw new Error("The spool file is shorter than what was written.");
            position += bytesRead;
            controller.enqueue(buffer.subarray(0, bytesRead));
          },
        },
        { highWaterMark: 0 },
      );
    },

    get size() {
      return inMemory + inFile;
    },

    async [Symbol.asyncDispose]() {
      chunks.length = 0;
      await file?.close();
    },
  };
}

/** Unlinks the file at once: its space is freed when the process ends, and no other process can open it. */
async function openUnlinkedFile(dir: string): Promise<FileHandle> {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, `spool-${randomUUID()}`);
  const file = await open(path, "wx+", 0o600);
  await unlink(path);
  return file;
}

async function writeAll(file: FileHandle, chunk: Uint8Array, position: number): Promise<void> {
  for (let done = 0; done < chunk.length; ) {
    const { bytesWritten } = await file.write(chunk, done, chunk.length - done, position + done);
    done += bytesWritten;
  }
}

/** Frees the memory of a chunk at once. Left to the garbage collector, an upload accumulates 50 MiB of chunks. */
export function releaseBuffer({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  // A view of a larger buffer is not freed: other views may still be read.
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
