/** Who a ticket command acts for, and that none of a Pod's does. */
import assert from "node:assert/strict";
import { userInfo } from "node:os";
import { test } from "node:test";
import { type Environment, readEnvironment } from "../../src/environment.ts";
import { exitCode } from "../../src/exit-code.ts";
import { failureOf } from "../../src/failure.ts";
import { personOf, refuseInPod } from "../../src/tickets/person.ts";

function environment(variables: Environment["variables"]): Environment {
  return { ...readEnvironment(), variables };
}

test("the author is who is named, else who the environment says the user is, else the account", () => {
  const rows = [
    [{ USER: "ada" }, "hare", "hare"],
    [{ USER: "ada", LOGNAME: "bob" }, undefined, "ada"],
    [{ USER: " ", LOGNAME: "bob" }, undefined, "bob"],
    [{}, undefined, userInfo().username],
  ] as const;
  assert.deepEqual(
    rows.map(([variables, author]) => personOf(author, environment(variables))),
    rows.map(([, , author]) => ({ author, role: "user" })),
  );
});

test("whatever a Pod runs writes no ticket as a person", () => {
  for (const variables of [{ YOI_CALL: "p/1" }, { YOI_POD: "p" }, { YOI_CALL: "p/1", YOI_POD: "p" }])
    assert.throws(
      () => refuseInPod(environment(variables)),
      (error: unknown) => {
        const { code, exitCode: exit, message } = failureOf(error);
        assert.deepEqual([code, exit], ["ticket_refused", exitCode.permission]);
        assert.match(message, /^`yoi ticket` writes for people, and this is a command of a Pod \(YOI_/);
        return true;
      },
    );
  refuseInPod(environment({ YOI_CALL: "", YOI: "1", YOI_HOME: "/y" }));
});
