/** Opens the console of a kit in Chromium, and records page errors and requests to other hosts. */
import { afterAll } from "bun:test";
import { type Browser, chromium, type Page } from "playwright-core";
import { type Kit, OWNER_TOKEN } from "../kit/kit.ts";

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // A microphone that plays a tone, and permission to use it.
  "--use-fake-device-for-media-stream",
  "--use-fake-ui-for-media-stream",
];
/** Without windows, a page takes less than half the CPU time. */
const CHROMIUM =
  Bun.which("chromium-headless-shell") ?? Bun.which("chromium") ?? "/usr/bin/chromium";
const WAIT_MS = 10_000;

export interface Opened extends AsyncDisposable {
  page: Page;
  /** Console errors, exceptions and requests to other hosts. */
  violations: string[];
  /** Loads a page of the console and waits until it is complete. */
  go: (path: string) => Promise<void>;
  /** Navigates within the loaded document, which is faster. */
  move: (path: string) => Promise<void>;
  heading: () => Promise<string>;
}

export interface OpenOptions {
  /** Undefined: the owner's token. null: not signed in. */
  token?: string | null;
  scheme?: "light" | "dark";
  /** URL of a proxy in front of the console. */
  url?: string;
  width?: number;
}

/** Returns a function that opens a page, in one browser for all tests of a file. */
export function sharedBrowser() {
  let started: Promise<Browser> | undefined;
  afterAll(async () => {
    await (await started)?.close();
  });
  return async (kit: Kit, options: OpenOptions = {}): Promise<Opened> => {
    started ??= launchBrowser();
    return await openPage(await started, kit, options);
  };
}

export const launchBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: FLAGS });

export async function openPage(browser: Browser, kit: Kit, options: OpenOptions): Promise<Opened> {
  const { token = OWNER_TOKEN, scheme = "light", url = kit.url, width = 1280 } = options;
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: { width, height: 800 },
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(WAIT_MS);
  if (token !== null) await context.addCookies([await sessionCookie(kit, token)]);
  const page = await context.newPage();
  const violations: string[] = [];
  page.on("pageerror", (error) => violations.push(`thrown: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(new URL(url).origin))
      violations.push(`request to ${request.url()}`);
  });
  page.on("console", (message) => {
    // Some tests expect 4xx responses.
    if (message.type() === "error" && !/Failed to load resource/.test(message.text())) {
      violations.push(message.text());
    }
  });
  // Most tests leave unsaved changes on purpose.
  page.on("dialog", (dialog) => void dialog.accept());
  const complete = async () => {
    await page.locator("h1").waitFor();
    await page.locator("body:not(:has([aria-busy=true]))").waitFor();
  };
  const heading = async () => (await page.locator("h1").textContent()) ?? "";
  return {
    page,
    violations,
    heading,
    go: async (path) => {
      await page.goto(`${url}/console${path}`);
      await complete();
    },
    move: async (path) => {
      await page.evaluate((to) => {
        history.pushState(null, "", to);
        dispatchEvent(new PopStateEvent("popstate"));
      }, `${url}/console${path}`);
      await complete();
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

async function sessionCookie(kit: Kit, token: string) {
  const response = await fetch(`${kit.url}/v1/session`, {
    method: "POST",
    body: JSON.stringify({ token }),
  });
  const [pair = ""] = (response.headers.get("set-cookie") ?? "").split(";");
  const at = pair.indexOf("=");
  const { hostname } = new URL(kit.url);
  return { name: pair.slice(0, at), value: pair.slice(at + 1), domain: hostname, path: "/" };
}
