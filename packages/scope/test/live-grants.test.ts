/** What the user grants a Pod beyond its scope: from when on it counts, for whom, and that it is never lent. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Loan, Scope, ScopeRule } from "@yoi/base";
import { LiveScope, permissionAt, scopeRulesMax } from "../src/index.ts";

const rule = (target: string, permission: "read" | "write" = "write"): ScopeRule => ({
  target,
  permission,
  recursive: true,
});
const own: Scope = { allow: [rule("/w")], deny: [rule("/w/secret", "read")] };

test("a grant counts until it is revoked, in what is held and in the ceiling; what is lendable never has it", () => {
  const live = new LiveScope(own);
  assert.equal(live.revokeGrant("a"), false);
  live.grant("a", rule("/data"));
  assert.deepEqual(
    [live.current, live.ceiling, live.lendable, live.own].map((scope) => permissionAt(scope, "/data/x")),
    ["write", "write", "none", "none"],
  );
  live.grant("a", rule("/data", "read"));
  assert.equal(permissionAt(live.current, "/data/x"), "read");
  assert.deepEqual([...live.grants], [["a", rule("/data", "read")]]);
  assert.deepEqual([live.revokeGrant("a"), live.revokeGrant("a")], [true, false]);
  assert.deepEqual([live.current, live.ceiling], [own, own]);
});

test("no grant lifts a deny, nor gives back what is lent", () => {
  const loan: Loan = { id: "l", scope: { allow: [rule("/w/lent")], deny: [] } };
  const live = new LiveScope(own, [loan]);
  live.grant("a", rule("/w/secret"));
  live.grant("b", rule("/w/lent"));
  assert.deepEqual(
    ["/w/secret/x", "/w/lent/x", "/w/x"].map((path) => permissionAt(live.current, path)),
    ["none", "read", "write"],
  );
  live.takeBack("l");
  assert.equal(permissionAt(live.current, "/w/lent/x"), "write");
});

test("a rule for one call is seen by what that call begins, and by nothing beside it", async () => {
  const live = new LiveScope(own);
  const seen: string[] = [];
  const look = (who: string) => seen.push(`${who}: ${permissionAt(live.current, "/data/x")}`);
  const gate = Promise.withResolvers<void>();
  const call = live.during(rule("/data"), async () => {
    look("call");
    await gate.promise;
    look("call, later");
    live.grant("a", rule("/other"));
    assert.equal(permissionAt(live.current, "/other"), "write");
  });
  look("beside");
  gate.resolve();
  await call;
  look("after");
  assert.deepEqual(seen, ["call: write", "beside: none", "call, later: write", "after: none"]);
  live.during(rule("/data"), () => assert.equal(live.current, live.current));
});

test("what is granted is marked as such in what is held, for the protection of the home directory", async () => {
  const live = new LiveScope(own);
  live.grant("a", rule("/data"));
  const marked = { ...rule("/data"), granted: true };
  assert.deepEqual(live.current.allow, [rule("/w"), marked]);
  live.during(rule("/more"), () => {
    assert.deepEqual(live.current.allow, [rule("/w"), marked, { ...rule("/more"), granted: true }]);
  });
});

test("the end of the work that goes on: of all of it, and of nothing that begins later", async () => {
  const live = new LiveScope(own);
  assert.equal(live.ended(), null);
  const [first, second] = [live.enter("one"), live.enter("two")];
  let isOver = false;
  const over = live.ended()?.then(() => (isOver = true));
  live.enter("three");
  first();
  await Promise.resolve();
  assert.equal(isOver, false);
  second();
  await over;
});

test("a scope of 1,024 rules takes no grant more", () => {
  const allow = Array.from({ length: scopeRulesMax - 1 }, (_, n) => rule(`/w/${n}`));
  const live = new LiveScope({ allow, deny: [] });
  live.grant("a", rule("/a"));
  assert.throws(() => live.grant("b", rule("/b")), { code: "limit_exceeded" });
  live.grant("a", rule("/b"));
  assert.equal(permissionAt(live.current, "/b"), "write");
});
