/** Where does a body wait that must be sent more than once? In memory first, then in a nameless file. */
import { randomUUID } from "node:crypto";
import { mkdirSync } from "node:fs";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";

export interface Spool extends AsyncDisposable {
  /** Wait for one append before the next: that is the back-pressure. The chunk is the spool's from then on. */
  append(chunk: Uint8Array<ArrayBuffer>): Promise<void>;
  /** Everything appended so far, from the start; any number of times, also side by side. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly size: number;
}

export interface SpoolOptions {
  dir: string;
  /** Bytes kept in memory before the rest goes to disk. */
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
      const kept = [...chunks];
      const end = inFile;
      let position = 0;
      return new ReadableStream(
        {
          async pull(controller) {
            const chunk = kept.shift();
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

/** Unlinked at once: the disk space goes with the process, however it ends, and nobody else can open it. */
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

/** Gives memory back that nobody reads any more. Left to the collector, an upload piles up 50 MiB of spent chunks. */
export function releaseBuffer({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  // Part of a larger buffer, that others may still read, is left alone.
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
