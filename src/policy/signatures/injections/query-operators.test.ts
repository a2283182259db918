import { expect, test } from "bun:test";
import { isHostileOperator } from "./query-operators.ts";

test.each<[string, unknown, string]>([
  ["$where", "this.a == this.b", "filter"],
  ["$where", null, ""],
  ["$function", { body: "x" }, "project"],
  ["$ne", null, "name"],
  ["$gt", "", "name"],
  ["$regex", ".*", "name"],
  ["$regex", "^", "name"],
  ["$nin", [], "role"],
  ["$gte", -1, "id"],
  ["$ne", 1, "password"],
  ["$regex", "^a", "Password"],
  ["$exists", true, "api_key"],
])("%s: %p under %p is hostile", (name, value, under) => {
  expect(isHostileOperator(name, value, under)).toBe(true);
});

test.each<[string, unknown, string]>([
  ["$gt", 18, "age"],
  ["$in", ["a", "b"], "status"],
  ["$regex", "^a.*z$", "name"],
  ["$exists", true, "email"],
  ["$and", [], "filter"],
  ["$set", { a: null }, "update"],
  ["$schema", "", ""],
  ["$ref", "", "token"],
  ["$id", null, ""],
  ["$defs", {}, ""],
  ["$price", null, "item"],
  ["$new", null, "item"],
  ["ne", null, "password"],
])("%s: %p under %p is not hostile", (name, value, under) => {
  expect(isHostileOperator(name, value, under)).toBe(false);
});
