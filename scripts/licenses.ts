/** Prints the license texts of the packages that the executables contain. */
import { globSync, readFileSync } from "node:fs";
import { $ } from "bun";

const listed = await $`npm ls --omit=dev --all --parseable`.quiet().text();
const [, ...folders] = listed.trim().split("\n");
for (const folder of folders.sort()) {
  const { name, version, license } = await Bun.file(`${folder}/package.json`).json();
  const texts = globSync(`${folder}/{licen,LICEN}*`).map((file) => readFileSync(file, "utf8"));
  console.log([`== ${name} ${version} (${license})`, ...texts].join("\n\n"));
}
