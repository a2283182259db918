/** Writes screenshots of every page of the console, with data, to docs/screens. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { launchBrowser, openPage } from "../test/console/browser.ts";
import { makePages } from "../test/console/pages.ts";
import { type Kit, startKit } from "../test/kit/kit.ts";

const FOLDER = "docs/screens";
const HEIGHT = 800;
const SETS = [
  { name: "desktop-light", width: 1280, scheme: "light" },
  { name: "desktop-dark", width: 1280, scheme: "dark" },
  { name: "phone-light", width: 360, scheme: "light" },
  { name: "phone-dark", width: 360, scheme: "dark" },
] as const;

/** Arguments select sets: `npm run screens -- desktop-light`. */
async function main(selected: readonly string[]): Promise<void> {
  await using kit = await startKit({ settings: { PORTCULLIS_DEMO: "true" } });
  const paths = await makePages(kit);
  const browser = await launchBrowser();
  const encoder = await browser.newPage();
  for (const set of SETS) {
    if (selected.length > 0 && !selected.includes(set.name)) continue;
    await writeSet(browser, encoder, kit, paths, set);
  }
  await browser.close();
}

async function writeSet(
  browser: Browser,
  encoder: Page,
  kit: Kit,
  paths: readonly string[],
  { name, width, scheme }: (typeof SETS)[number],
): Promise<void> {
  const folder = join(FOLDER, name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await using opened = await openPage(browser, kit, { width, scheme });
  const { page, go, move } = opened;
  await go("");
  let bytes = 0;
  for (const path of paths) {
    await move(path);
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height: Math.min(Math.max(height, HEIGHT), 2 * HEIGHT) });
    // Charts are drawn after the page.
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    const webp = await toWebp(encoder, await page.screenshot());
    await Bun.write(join(folder, `${fileName(path)}.webp`), webp);
    await page.setViewportSize({ width, height: HEIGHT });
    bytes += webp.byteLength;
  }
  console.log(`${folder}: ${paths.length} pages, ${Math.round(bytes / 1024)} KiB`);
}

/** Returns `gateways-consumers-keys` for `/gateways/{id}/consumers/{id}?tab=keys`. */
const fileName = (path: string): string =>
  path
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, (id) => (id.startsWith("00000000") ? "unknown" : "one"))
    .replace(/[?&](\w+)=/g, (_, name: string) => (name === "tab" ? "-" : `-${name}-`))
    .replace(/[^\w.-]+/g, "-")
    .replace(/^-|-$/g, "") || "home";

/** Converts a PNG in the browser: WebP is a third of its size. */
async function toWebp(encoder: Page, png: Buffer): Promise<Uint8Array> {
  const url = await encoder.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = image.width;
    canvas.height = image.height;
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.7);
  }, png.toString("base64"));
  return Buffer.from(url.slice(url.indexOf(",") + 1), "base64");
}

await main(process.argv.slice(2));
