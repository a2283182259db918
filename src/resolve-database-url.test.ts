import { expect, test } from "bun:test";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings } from "./settings.ts";

test("the password of Postgres is read from a file, with any characters", () => {
  const file = join(mkdtempSync(join(tmpdir(), "portcullis-settings-")), "password");
  writeFileSync(file, "s/e@c#r%e t\n");

  const { DATABASE_URL } = loadSettings({
    DATABASE_URL: "postgres://portcullis@postgres/portcullis",
    DATABASE_PASSWORD_FILE: file,
  });

  const { username, password, host } = new URL(DATABASE_URL);
  expect({ username, password: decodeURIComponent(password), host }).toEqual({
    username: "portcullis",
    password: "s/e@c#r%e t",
    host: "postgres",
  });
});
