/** Path of a weight file, which executables contain. */
declare module "*.weights" {
  const path: string;
  export = path;
}
