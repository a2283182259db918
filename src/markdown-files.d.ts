/** Text of a document, which executables contain. */
declare module "*.md" {
  const text: string;
  export = text;
}
