/** What WebFetch must not reach, however it is asked: by the address, by a name, by a redirect, by a name that changes its mind. */
import assert from "node:assert/strict";
import { request } from "node:http";
import { after, before, test } from "node:test";
import { YoiError } from "@yoi/base";
import { startNameServer } from "./dns-server.ts";
import { fetchTool, privateAddress, publicAddress, serve, type WebServer } from "./support.ts";

let inside: WebServer;
let outside: WebServer;
/** What the public server answers, by path. */
const pages = new Map<string, string>();

before(async () => {
  outside = await serve(publicAddress, (incoming, response) => {
    const location = pages.get(incoming.url ?? "");
    if (location === undefined) response.setHeader("content-type", "text/plain").end("public page");
    else response.writeHead(302, { location }).end();
  });
  inside = await serve(privateAddress, (_, response) => response.end("SECRET"), outside.port);
});
after(async () => {
  await inside.close();
  await outside.close();
});

const names: Readonly<Record<string, readonly string[]>> = {
  "public.test": [publicAddress],
  "private.test": [privateAddress],
  "mixed.test": [publicAddress, privateAddress],
  "mapped.test": ["::ffff:127.0.0.1"],
  "metadata.test": ["169.254.169.254"],
  "odd.test": ["not an address"],
  "empty.test": [],
};
const fetch = fetchTool((host) => {
  const found = names[host];
  if (found === undefined) throw new Error("ENOTFOUND");
  return found;
});

async function refusal(url: string): Promise<string> {
  const thrown = await fetch(url).then(
    (output) => `fetched: ${output.content}`,
    (error: unknown) => (error instanceof YoiError ? error.code : String(error)),
  );
  return thrown;
}

test("control: a public page is fetched, by its name and by its address", async () => {
  for (const host of ["public.test", publicAddress]) {
    const { content } = await fetch(`http://${host}:${outside.port}/`);
    assert.match(content ?? "", /public page$/);
  }
});

test("control: the private server is there, and would answer", async () => {
  const body = await new Promise<string>((resolve, reject) => {
    request({ host: privateAddress, port: inside.port }, (response) => {
      response.setEncoding("utf8").on("data", resolve);
    })
      .on("error", reject)
      .end();
  });
  assert.equal(body, "SECRET");
});

const hosts = [
  "127.0.0.1",
  "127.1",
  "127.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0x0.0x0.0x1",
  "0177.0.0.1",
  "017700000001",
  "127.000.000.001",
  "１２７.0.0.1",
  "127。0。0。1",
  "%31%32%37.0.0.1",
  "①②⑦.⓪.⓪.①",
  "0.0.0.0",
  "0",
  "localhost",
  "LOCALHOST",
  "localhost.",
  "a.localhost",
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[2002:7f00:1::]",
  "[fe80::1]",
  "[fc00::1]",
  "[fd00:ec2::254]",
  "10.0.0.1",
  "172.16.0.1",
  "192.168.0.1",
  "169.254.169.254",
  "0xa9fea9fe",
  "2852039166",
  "100.64.0.1",
  "100.100.100.200",
  "192.0.2.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "168.63.129.16",
  "private.test",
  "PRIVATE.TEST",
  "private.test.",
  "mixed.test",
  "mapped.test",
  "metadata.test",
  "odd.test",
];

for (const host of hosts) {
  test(`refused, literally or by its name: ${host}`, async () => {
    const before = inside.requests.length;
    assert.equal(await refusal(`http://${host}:${inside.port}/`), "web_refused");
    assert.equal(inside.requests.length, before);
  });
}

for (const host of hosts) {
  test(`refused behind a redirect: ${host}`, async () => {
    const before = inside.requests.length;
    const path = `/to/${encodeURIComponent(host)}`;
    pages.set(
      path,
      encodeURI(`http://${host}:${inside.port}/`)
        .replaceAll("%25", "%")
        .replaceAll("%5B", "[")
        .replaceAll("%5D", "]"),
    );
    assert.equal(await refusal(`http://public.test:${outside.port}${path}`), "web_refused");
    assert.equal(inside.requests.length, before);
  });
}

const urls: readonly (readonly [string, string])[] = [
  ["file:///etc/passwd", "web_refused"],
  ["ftp://public.test/", "web_refused"],
  ["gopher://127.0.0.1:70/_x", "web_refused"],
  ["data:text/plain,hello", "web_refused"],
  ["blob:http://public.test/x", "web_refused"],
  ["javascript:alert(1)", "web_refused"],
  ["unix:///run/x.sock", "web_refused"],
  ["ws://public.test/", "web_refused"],
  ["http://user@public.test/", "web_refused"],
  ["http://user:word@public.test/", "web_refused"],
  ["http://public.test@127.0.0.1/", "web_refused"],
  ["http:\\\\127.0.0.1\\", "web_refused"],
  ["http://127.0.0.1\t/", "web_refused"],
  ["//127.0.0.1/", "usage"],
  ["public.test", "usage"],
  ["", "usage"],
  ["http://", "usage"],
  ["http://[::1/", "usage"],
  ["http://public.test:99999/", "usage"],
  [`http://public.test/${"x".repeat(9000)}`, "usage"],
  ["http://empty.test/", "web_failed"],
  ["http://unknown.test/", "web_failed"],
];
for (const [url, code] of urls) {
  test(`${code}: ${url.slice(0, 60)}`, async () => assert.equal(await refusal(url), code));
  test(`behind a redirect: ${url.slice(0, 60)}`, async () => {
    const before = inside.requests.length;
    pages.set("/odd", encodeURI(url).replaceAll("%25", "%").replaceAll("%5C", "\\").replaceAll("%5B", "["));
    const said = await refusal(`http://public.test:${outside.port}/odd`);
    // A relative one is a page of the same server.
    if (!said.startsWith("fetched: ")) assert.match(said, /^(web_refused|usage|web_failed)$/);
    assert.doesNotMatch(said, /SECRET/);
    assert.equal(inside.requests.length, before);
  });
}

test("a name that changes its mind is asked once, and what was checked is what is connected to", async () => {
  const server = await startNameServer((_, nth) => [nth === 0 ? publicAddress : privateAddress]);
  try {
    const before = inside.requests.length;
    const { content } = await fetchTool(server.resolve)(`http://rebind.test:${outside.port}/`);
    assert.match(content ?? "", /public page$/);
    assert.deepEqual([server.asked.get("rebind.test"), inside.requests.length], [1, before]);
    assert.deepEqual(
      await server.resolve("rebind.test"),
      [privateAddress],
      "control: whoever looks it up again, as a checker before a plain request does, is led inside",
    );
  } finally {
    server.close();
  }
});

test("a name that changes its mind between two hops is refused at the second", async () => {
  const server = await startNameServer((_, nth) => [nth === 0 ? publicAddress : privateAddress]);
  try {
    const before = inside.requests.length;
    pages.set("/again", "/elsewhere");
    await assert.rejects(
      fetchTool(server.resolve)(`http://rebind.test:${outside.port}/again`),
      (error: unknown) => error instanceof YoiError && error.code === "web_refused",
    );
    assert.deepEqual([server.asked.get("rebind.test"), inside.requests.length], [2, before]);
  } finally {
    server.close();
  }
});
