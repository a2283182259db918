/** The files in `deploy`, the Dockerfile and compose.yaml fit the program: settings, paths, versions and values exist. */
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { parse } from "yaml";
import { version } from "../../package.json";
import { loadCommands } from "../../src/cli/commands/all.ts";
import { Settings } from "../../src/settings.ts";

const CHART = "deploy/helm/portcullis";
const read = (file: string) => readFileSync(file, "utf8");
const templates = readdirSync(join(CHART, "templates")).map((name) => ({
  name,
  text: read(join(CHART, "templates", name)),
}));
const all = templates.map(({ text }) => text).join("\n");
type Json = Record<string, unknown>;

/** Returns the paths of all leaves, such as `image.tag`. */
const leaves = (value: Json, path: string[] = []): string[] =>
  Object.entries(value).flatMap(([name, each]) =>
    typeof each === "object" &&
    each !== null &&
    !Array.isArray(each) &&
    Object.keys(each).length > 0
      ? leaves(each as Json, [...path, name])
      : [[...path, name].join(".")],
  );

test("every value of the chart is used, declared in its schema, and every used value exists", () => {
  const values = parse(read(join(CHART, "values.yaml"))) as Json;
  const used = new Set([...all.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = ""]) => path));
  const exists = (path: string) =>
    path.split(".").reduce<unknown>((at, name) => (at as Json | undefined)?.[name], values) !==
    undefined;

  expect([...used].filter((path) => !exists(path))).toEqual([]);
  const isUsed = (leaf: string) => [...used].some((path) => `${leaf}.`.startsWith(`${path}.`));
  expect(leaves(values).filter((leaf) => !isUsed(leaf))).toEqual([]);
  const { properties } = JSON.parse(read(join(CHART, "values.schema.json"))) as {
    properties: Json;
  };
  expect(Object.keys(values).filter((name) => !(name in properties))).toEqual([]);
});

test("blocks of every template are closed, and tabs are not used", () => {
  for (const { name, text } of templates) {
    const opened = text.match(/\{\{-? *(if|with|range|define)\b/g) ?? [];
    const closed = text.match(/\{\{-? *end\b/g) ?? [];
    expect({ name, blocks: closed.length, tabs: text.includes("\t") }).toEqual({
      name,
      blocks: opened.length,
      tabs: false,
    });
  }
});

test("every setting in a deployment file is a setting of the program or of its memory allocator", () => {
  const compose = parse(read("compose.yaml")) as {
    services: { portcullis: { environment: Json } };
  };
  const named = [
    ...Object.keys(compose.services.portcullis.environment),
    ...[...read("Dockerfile").matchAll(/^(?:ENV|) +([A-Z_]+)=/gm)].map(([, name = ""]) => name),
    ...[...all.matchAll(/- name: ([A-Z_]+)/g)].map(([, name = ""]) => name),
    ...[...read("deploy/systemd/portcullis.service").matchAll(/\b([A-Z][A-Z_]{5,})=/g)].map(
      ([, name = ""]) => name,
    ),
  ];

  expect(named.length).toBeGreaterThan(8);
  const [, ofAllocator = ""] = /^export ([A-Z_]+)=/m.exec(read("bin/portcullis")) ?? [];
  expect(named.filter((name) => !(name in Settings.shape))).toEqual([ofAllocator, ofAllocator]);
});

test("health checks use commands and paths that exist", async () => {
  const [, command = ""] =
    /HEALTHCHECK .*CMD \["portcullis", "(\w+)"\]/.exec(read("Dockerfile")) ?? [];
  const handlers = read("src/server/http/create-handlers.ts");

  expect((await loadCommands()).map(({ name }) => name)).toContain(command);
  const paths = [...all.matchAll(/path: (\/\S+)/g)].map(([, path = ""]) => path);
  expect(paths.length).toBe(3);
  expect(paths.filter((path) => !handlers.includes(`"${path}"`))).toEqual([]);
});

test("with a TLS secret its files are mounted where the settings name them, and all probes use https", () => {
  const text = read(join(CHART, "templates/deployment.yaml"));
  const [, folder] = /- name: tls\n +mountPath: (\S+)/.exec(text) ?? [];
  const files = [...text.matchAll(/- name: TLS_\w+\n +value: (\S+)/g)].map(([, file]) => file);
  const probes = text.match(
    /httpGet:\n +path: \S+\n +port: \w+\n(?= +scheme: .*tlsSecret.*HTTPS)/g,
  );

  expect(files).toEqual([`${folder}/tls.crt`, `${folder}/tls.key`]);
  expect(probes?.length).toBe(text.split("httpGet:").length - 1);
});

test("Kubernetes adds no variables to the pods, because those of our service look like settings", () => {
  const { spec } = parse(
    read(join(CHART, "templates/deployment.yaml")).replace(/\{\{.*\}\}/g, ""),
  ) as { spec: { template: { spec: Json } } };

  expect(spec.template.spec.enableServiceLinks).toBe(false);
});

test("the release tags the image as the chart names it, and can run the commands of each platform", async () => {
  const { jobs } = parse(read(".github/workflows/release.yaml")) as {
    jobs: { image: { steps: { run?: string; uses?: string; with?: Record<string, string> }[] } };
  };
  const { steps } = jobs.image;
  const build = steps.find(({ uses }) => uses?.startsWith("docker/build-push-action@"))?.with;
  const commands = steps.flatMap(({ run }) => run ?? []);
  const script = ["GITHUB_ENV=$(mktemp)", ...commands, 'cat "$GITHUB_ENV"; rm "$GITHUB_ENV"'].join(
    "\n",
  );
  const variables = await Bun.$`sh -c ${script}`.env({ GITHUB_REF_NAME: `v${version}` }).text();

  expect(variables).toBe(`VERSION=${version}\n`);
  expect(build?.tags).toEndWith(":$" + "{{ env.VERSION }}");
  expect(build?.platforms).toContain("linux/arm64");
  expect(steps.some(({ uses }) => uses?.startsWith("docker/setup-qemu-action@"))).toBe(true);
});

test("the chart has the version of the program", () => {
  const chart = parse(read(join(CHART, "Chart.yaml"))) as Json;

  expect([chart.version, chart.appVersion]).toEqual([version, version]);
});

test("releases and the image contain the license texts of all packages", async () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Json };

  const printed = await $`${process.execPath} scripts/licenses.ts`.quiet().text();

  for (const name of Object.keys(dependencies)) expect(printed).toContain(`== ${name} `);
  expect(printed.match(/^(MIT License|The MIT License)/gim)?.length).toBeGreaterThan(8);
  for (const file of ["scripts/release", "Dockerfile"]) {
    expect(read(file)).toMatch(/licenses\.ts > ?\S*THIRD-PARTY-LICENSES/);
  }
});
