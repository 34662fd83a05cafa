/** What a provider answers and throws, as a consumer gets it: data and sentences. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type JsonObject, type JsonValue, YoiError } from "@yoi/base";
import { clientOf, failure, hubWith } from "./one-provider.ts";

/** Looks like a promise, in the way that this property of it says. */
function thenable(property: PropertyDescriptor): object {
  const name: string = Promise.prototype.then.name;
  return Object.defineProperty({}, name, property);
}

class Leaky {
  readonly n = 1;
  steal(): string {
    return "a method of the provider";
  }
}

describe("F-17: nothing of the provider leaks", () => {
  const leaks: readonly {
    readonly name: string;
    readonly answer: () => unknown;
    readonly got: JsonValue | undefined;
  }[] = [
    { name: "a class instance comes as data", answer: () => new Leaky(), got: { n: 1 } },
    { name: "functions are left out", answer: () => ({ n: 1, steal: () => 1 }), got: { n: 1 } },
    {
      name: "a thenable is settled by the host",
      answer: () => thenable({ value: (done: (value: unknown) => void) => done({ n: 1 }) }),
      got: { n: 1 },
    },
    {
      name: "what begins to look like a promise when it is looked at again is data",
      answer: () => {
        let looks = 0;
        const get = () => (looks++ === 0 ? undefined : () => assert.fail("it is waited for"));
        return thenable({ get, enumerable: true });
      },
      got: {},
    },
    { name: "a date comes as text", answer: () => new Date(0), got: "1970-01-01T00:00:00.000Z" },
    {
      name: "a getter is read by the host",
      answer: () => ({
        get n() {
          return 1;
        },
      }),
      got: { n: 1 },
    },
    { name: "nothing is nothing", answer: () => undefined, got: undefined },
    { name: "null is null", answer: () => null, got: null },
  ];
  for (const { name, answer, got } of leaks) {
    test(name, async () => {
      const { hub } = hubWith({ get: () => answer() as Promise<JsonValue> });
      assert.deepEqual(await clientOf(hub).call("get", {}), got);
    });
  }

  test("an own __proto__ in a value changes no prototype", async () => {
    const { hub } = hubWith({ get: async () => JSON.parse('{"__proto__": {"admin": true}}') as JsonObject });
    const got = await clientOf(hub).call("get", {});
    assert.equal(Object.getPrototypeOf(got), Object.prototype);
    assert.equal(Reflect.get(got as object, "admin"), undefined);
  });

  const own = new Leaky();
  const throwing: readonly { readonly name: string; readonly run: () => unknown; readonly why: string }[] = [
    {
      name: "an error",
      run: () => {
        throw Object.assign(new Error("no such note", { cause: own }), { own });
      },
      why: "no such note",
    },
    { name: "a rejection", run: () => Promise.reject(new Error("no such note")), why: "no such note" },
    {
      name: "an object",
      run: () => {
        throw own;
      },
      why: '{"n":1}',
    },
    {
      name: "a secret",
      run: () => {
        throw new Error("the pin is hunter2\u001b[2J");
      },
      why: "the pin is [redacted: pin]\\u001b[2J",
    },
    {
      name: "what cannot be read",
      run: () => {
        throw {
          get message() {
            throw own;
          },
          toJSON() {
            throw own;
          },
        };
      },
      why: "an unprintable value was thrown",
    },
    {
      name: "a thenable that throws",
      run: () =>
        thenable({
          get: () => {
            throw new Error("in then");
          },
        }),
      why: "in then",
    },
    {
      name: "nothing",
      run: () => {
        throw undefined;
      },
      why: "undefined",
    },
  ];
  for (const { name, run, why } of throwing) {
    test(`thrown: ${name} becomes a sentence`, async () => {
      const { hub } = hubWith({ get: () => run() as Promise<JsonValue> });
      const error: unknown = await clientOf(hub)
        .call("get", {})
        .catch((thrown: unknown) => thrown);
      assert.ok(error instanceof YoiError);
      assert.deepEqual(
        [error.code, error.message, error.cause, Reflect.ownKeys(error).includes("own")],
        ["service_failed", `user:notes get of user:store failed: ${why}`, undefined, false],
      );
    });
  }

  test("thrown: a long message is cut", async () => {
    const { hub } = hubWith({ get: () => Promise.reject(new Error("x".repeat(100_000))) });
    const { message } = await failure(clientOf(hub).call("get", {}));
    assert.equal(message, `user:notes get of user:store failed: ${"x".repeat(511)}…`);
  });
});
