/** Creates a function that loads a model from its weight file, at the first call, once per thread. */
import { basename } from "node:path";
import { AppError } from "../contract/errors.ts";

/** The loader rejects if the file is missing or damaged. A failure is not cached. */
export function createModelLoader<Model>(
  create: (bytes: Uint8Array) => Model,
  { path, sha256 }: { path: string; sha256: string },
): () => Promise<Model> {
  let loading: Promise<Model> | undefined;
  const load = async () => {
    try {
      const bytes = await Bun.file(path).bytes();
      const found = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
      if (found !== sha256) throw new Error(`The SHA-256 hash of ${path} is ${found}.`);
      return create(bytes);
    } catch (cause) {
      const text = `The weight file ${basename(path)} is missing or damaged. Install Portcullis again.`;
      throw new AppError("internal", text, { cause });
    }
  };
  return () => {
    loading ??= load().catch((thrown: unknown) => {
      loading = undefined;
      throw thrown;
    });
    return loading;
  };
}
