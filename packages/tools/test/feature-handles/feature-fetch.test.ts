/** The network of a feature, with real servers on loopback: the switch for private addresses is what lets the tests reach them. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { type ErrorCode, YoiError } from "@yoi/base";
import { memoryHost, nodeHost } from "@yoi/host";
import {
  featureFetch,
  featureFetchTimeoutMs,
  featureRedirectsMax,
  featureResponseBytesMax,
} from "../../src/index.ts";
import { type Handler, serve, type WebServer } from "../web/support.ts";

const { timers } = nodeHost();
let server: WebServer;
let other: WebServer;
const answers: Record<string, Handler> = {
  "/text": (_, response) =>
    response.writeHead(200, { "content-type": "text/plain", "x-Kind": "a" }).end("grüße"),
  "/json": (_, response) => response.writeHead(201, { "content-type": "application/json" }).end('{"a":1}'),
  "/missing": (_, response) => response.writeHead(404, { "content-type": "text/html" }).end("<p>none"),
  "/image": (_, response) => response.writeHead(200, { "content-type": "image/png" }).end("x"),
  "/stays": (_, response) => response.writeHead(302, { location: "/text" }).end(),
  "/leaves": (_, response) =>
    response.writeHead(302, { location: `http://localhost:${other.port}/text` }).end(),
  "/to-file": (_, response) => response.writeHead(302, { location: "file:///etc/passwd" }).end(),
  "/to-password": (_, response) =>
    response.writeHead(302, { location: `http://u:p@127.0.0.1:${other.port}/text` }).end(),
  "/to-name": (_, response) =>
    response.writeHead(302, { location: `//127.0.0.1.localhost:${other.port}/text` }).end(),
  "/to-cloud": (_, response) => response.writeHead(307, { location: "http://169.254.169.254/" }).end(),
  "/loops": (_, response) => response.writeHead(302, { location: "/loops" }).end(),
  "/never": () => {},
};

before(async () => {
  const handler: Handler = (request, response) => {
    const url = request.url ?? "";
    const hops = /^\/hops\/(\d+)$/.exec(url)?.[1];
    if (hops !== undefined) {
      const left = Number(hops);
      response.writeHead(302, { location: left === 1 ? "/text" : `/hops/${left - 1}` }).end();
      return;
    }
    const size = /^\/size\/(\d+)$/.exec(url)?.[1];
    if (size !== undefined) {
      response.writeHead(200, { "content-type": "text/plain" }).end("x".repeat(Number(size)));
      return;
    }
    const wide = /^\/utf16\/(\d+)$/.exec(url)?.[1];
    if (wide !== undefined) {
      response
        .writeHead(200, { "content-type": "text/plain; charset=utf-16le" })
        .end(Buffer.from("x".repeat(Number(wide)), "utf16le"));
      return;
    }
    (answers[url] ?? answers["/missing"])?.(request, response);
  };
  server = await serve("127.0.0.1", handler);
  other = await serve("127.0.0.1", handler);
});
after(async () => {
  await server.close();
  await other.close();
});

const open = (hosts: readonly string[] = ["127.0.0.1"], allowPrivateAddresses = true) =>
  featureFetch({ hosts, allowPrivateAddresses, timers });
const at = (path: string): string => `http://127.0.0.1:${server.port}${path}`;

function refused(code: ErrorCode, ...words: string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof YoiError, String(error));
    assert.equal(error.code, code, error.message);
    for (const word of words) assert.ok(error.message.includes(word), `${error.message} / ${word}`);
    return true;
  };
}

describe("A2-60: what a feature gets", () => {
  test("the answer, whatever its status", async () => {
    const { get } = open();
    const { status, headers, text, truncated } = await get(at("/text"));
    assert.deepEqual([status, text, truncated], [200, "grüße", false]);
    assert.equal(headers["content-type"], "text/plain");
    assert.equal(headers["x-kind"], "a");
    assert.deepEqual([(await get(at("/json"))).status, (await get(at("/json"))).text], [201, '{"a":1}']);
    assert.deepEqual(
      [(await get(at("/missing"))).status, (await get(at("/missing"))).text],
      [404, "<p>none"],
    );
    assert.equal((await get(at("/stays"))).text, "grüße");
    await assert.rejects(get(at("/image")), refused("web_failed", "image/png"));
  });

  test("only GET, with no cookie and no key", async () => {
    await open().get(at("/text"));
    const { method, headers } = server.requests.at(-1) ?? {};
    assert.equal(method, "GET");
    assert.deepEqual(Object.keys(headers ?? {}).sort(), [
      "accept",
      "accept-encoding",
      "connection",
      "host",
      "user-agent",
    ]);
  });

  test("at most 64 KiB of text, and whether that was all", async () => {
    const { get } = open();
    for (const path of ["size", "utf16"]) {
      const fits = await get(at(`/${path}/${featureResponseBytesMax}`));
      assert.deepEqual([fits.text.length, fits.truncated], [featureResponseBytesMax, false], path);
      for (const over of [1, 10 * featureResponseBytesMax]) {
        const cut = await get(at(`/${path}/${featureResponseBytesMax + over}`));
        assert.deepEqual([cut.text.length, cut.truncated], [featureResponseBytesMax, true], path);
      }
    }
  });

  test(`at most ${featureRedirectsMax} redirects`, async () => {
    const { get } = open();
    assert.equal((await get(at(`/hops/${featureRedirectsMax}`))).text, "grüße");
    await assert.rejects(get(at(`/hops/${featureRedirectsMax + 1}`)), refused("web_failed", "more than"));
    await assert.rejects(get(at("/loops")), refused("web_failed"));
  });
});

describe("A2-60: what a feature does not get", () => {
  const denials: readonly (readonly [string, () => Promise<unknown>, ErrorCode, string])[] = [
    ["a host that was not granted", () => open(["example.org"]).get(at("/text")), "web_refused", "not among"],
    ["anything without a grant", () => open([]).get(at("/text")), "web_refused", "not among"],
    [
      "a name that was not granted for an address that was",
      () => open().get(`http://localhost:${server.port}/text`),
      "web_refused",
      "not among",
    ],
    ["a redirect to a host that was not granted", () => open().get(at("/leaves")), "web_refused", "granted"],
    [
      "a private address, though granted",
      () => open(["127.0.0.1"], false).get(at("/text")),
      "web_refused",
      "not a public",
    ],
    [
      "a private address in another spelling, though granted",
      () => open(["127.0.0.1"], false).get(`http://2130706433:${server.port}/text`),
      "web_refused",
      "not a public",
    ],
    [
      "this machine by name, though granted",
      () => open(["localhost"], false).get(`http://localhost:${server.port}/text`),
      "web_refused",
      "this machine",
    ],
    [
      "a service of the machine's cloud, though granted",
      () => open(["169.254.169.254"], false).get("http://169.254.169.254/latest/meta-data/"),
      "web_refused",
      "not a public",
    ],
    [
      "a mapped address of a granted one",
      () => open().get(`http://[::ffff:127.0.0.1]:${server.port}/`),
      "web_refused",
      "not among",
    ],
    ["a redirect to a file", () => open().get(at("/to-file")), "web_refused", "only http and https"],
    ["a redirect with a password", () => open().get(at("/to-password")), "web_refused", "password"],
    [
      "a redirect to a granted name in another's name",
      () => open().get(at("/to-name")),
      "web_refused",
      "granted",
    ],
    [
      "a redirect to a private address that was not granted",
      () => open().get(at("/to-cloud")),
      "web_refused",
      "169.254.169.254",
    ],
    ["a file", () => open().get("file:///etc/passwd"), "web_refused", "only http"],
    [
      "a password in the URL",
      () => open().get(`http://u:p@127.0.0.1:${server.port}/text`),
      "web_refused",
      "password",
    ],
    ["what is no URL", () => open().get("127.0.0.1/text"), "usage", "URL"],
    ["what is no text", () => open().get({ toString: () => at("/text") } as never), "usage", "not a text"],
  ];
  for (const [what, attempt, code, word] of denials)
    test(what, async () => {
      const seen = server.requests.length + other.requests.length;
      await assert.rejects(attempt(), refused(code, word));
      const asked = server.requests.length + other.requests.length - seen;
      assert.equal(asked, what.startsWith("a redirect") ? 1 : 0);
    });

  test("control: the redirect that is refused is followed where its host is granted", async () => {
    const { text } = await open(["127.0.0.1", "localhost"]).get(at("/leaves"));
    assert.equal(text, "grüße");
  });

  test("an answer that is not waited for any more, and one that does not come", async () => {
    const stopped = new AbortController();
    const asked = open().get(at("/never"), { signal: stopped.signal });
    const reason = new Error("enough");
    stopped.abort(reason);
    await assert.rejects(asked, reason);
    const host = memoryHost({ seed: 1 });
    const slow = featureFetch({ hosts: ["127.0.0.1"], allowPrivateAddresses: true, timers: host.timers });
    const seen = server.requests.length;
    const late = slow.get(at("/never"));
    const outcome = assert.rejects(late, refused("web_failed", `${featureFetchTimeoutMs / 1000} s`));
    while (server.requests.length === seen) await new Promise((resolve) => setImmediate(resolve));
    await host.advance(featureFetchTimeoutMs - 1);
    await host.advance(1);
    await outcome;
  });
});
