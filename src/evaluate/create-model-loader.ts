/** Creates a function that loads a model from its weight file, at the first call, once per thread. */

/** The loader rejects if the file is damaged. A failure is not cached. */
export function createModelLoader<Model>(
  create: (bytes: Uint8Array) => Model,
  { path, sha256 }: { path: string; sha256: string },
): () => Promise<Model> {
  let loading: Promise<Model> | undefined;
  const load = async () => {
    const bytes = await Bun.file(path).bytes();
    if (new Bun.CryptoHasher("sha256").update(bytes).digest("hex") !== sha256) {
      throw new Error(`The weight file ${path} is damaged: install Portcullis again.`);
    }
    return create(bytes);
  };
  return () => {
    loading ??= load().catch((thrown: unknown) => {
      loading = undefined;
      throw thrown;
    });
    return loading;
  };
}
