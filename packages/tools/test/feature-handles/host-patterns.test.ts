/** Host patterns: what a grant of hosts lets through, in every way to write a host. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { coversHost, hostMatcher, isHostPattern } from "../../src/feature-handles/host-patterns.ts";

const granted = ["example.org", "*.example.net", "xn--bcher-kva.example", "93.184.216.34"];

/** The URL as a feature writes it, and whether it may be asked. */
const urls: readonly (readonly [string, boolean])[] = [
  ["http://example.org/", true],
  ["https://EXAMPLE.org:8443/x?y#z", true],
  ["http://example.org./", true],
  ["http://ｅｘａｍｐｌｅ.org/", true],
  ["http://exa%6dple.org/", true],
  ["http://www.example.org/", false],
  ["http://example.org.evil.test/", false],
  ["http://evil-example.org/", false],
  ["http://example.orgx/", false],
  ["http://org/", false],
  ["http://evil.test/example.org", false],
  ["http://evil.test#example.org", false],
  ["http://evil.test\\@example.org/", false],
  ["http://www.example.net/", true],
  ["http://a.b.example.net./", true],
  ["http://example.net/", false],
  ["http://xexample.net/", false],
  ["http://www.example.net.evil.test/", false],
  ["http://xn--bcher-kva.example/", true],
  ["http://bücher.example/", true],
  ["http://bu\u0308cher.example/", true],
  ["http://bucher.example/", false],
  ["http://93.184.216.34/", true],
  ["http://1572395042/", true],
  ["http://0x5d.184.216.34/", true],
  ["http://93.184.216.35/", false],
  ["http://[2606:2800:220:1::2]/", false],
  ["http://[::ffff:93.184.216.34]/", false],
  ["http://127.0.0.1/", false],
  ["http://localhost/", false],
];

test("A2-60: a feature asks only hosts that it was granted, however they are written", () => {
  const isGranted = hostMatcher(granted);
  for (const [text, expected] of urls) {
    const url = URL.parse(text);
    assert.ok(url !== null, text);
    assert.equal(isGranted(url.hostname), expected, text);
  }
  assert.equal(hostMatcher([])("example.org"), false);
  assert.equal(isGranted(""), false);
});

test("A2-60: what is no host is not granted at all", () => {
  const patterns = [
    "",
    "*",
    "*.",
    "**.example.org",
    "*.*.example.org",
    "a.*.example.org",
    "example.org/",
    "example.org:80",
    "http://example.org",
    "user@example.org",
    "example.org#x",
    "example.org?x",
    "exa mple.org",
    "example.org\n",
    "\\example.org",
    "*.93.184.216.34",
    "*.34",
    "*.216.34",
    "1572395042",
    "0x5d.184.216.34",
    "093.184.216.34",
    "93.184.216.345",
    "example.1",
    "EXAMPLE.org",
    "*.Example.net",
    "example.org.",
    "bücher.example",
    "-.example.org",
    "a..example.org",
    ".example.org",
    "[2606:2800:220:1::1]",
    "*.[::1]",
    "::1",
    "[::1",
    "exa%6dple.org",
  ];
  for (const pattern of patterns) {
    assert.throws(() => hostMatcher([pattern]), { code: "usage" }, pattern);
    assert.equal(isHostPattern(pattern), false, pattern);
    assert.equal(coversHost(pattern, pattern), false, pattern);
  }
  for (const pattern of granted) assert.equal(isHostPattern(pattern), true, pattern);
});

const hosts: readonly (readonly [pattern: string, host: string, covered: boolean])[] = [
  ["example.org", "example.org", true],
  ["*.example.org", "a.example.org", true],
  ["*.example.org", "a.b.example.org", true],
  ["*.example.org", "*.example.org", true],
  ["*.example.org", "*.b.example.org", true],
  ["localhost", "localhost", true],
  ["93.184.216.34", "93.184.216.34", true],
  ["*.34", "93.184.216.34", false],
  // A wildcard is only what is below; a name is only itself.
  ["*.example.org", "example.org", false],
  ["example.org", "a.example.org", false],
  ["example.org", "*.example.org", false],
  ["*.b.example.org", "*.example.org", false],
  ["*.example.org", "badexample.org", false],
  ["*.example.org", "a.example.org.evil.net", false],
  ["*.example.org", "a.example.orgs", false],
  ["example.org", "example.org.evil.net", false],
  ["example.org", "evil.net", false],
  // What is no host, on either side, is nowhere.
  ["*", "example.org", false],
  ["*", "*", false],
  ["*.", "example.", false],
  ["**.org", "a.org", false],
  ["*.*", "a.b", false],
  ["a.*.org", "a.b.org", false],
  ["ex*.org", "example.org", false],
  ["example.org", "EXAMPLE.org", false],
  ["EXAMPLE.org", "EXAMPLE.org", false],
  ["example.org", "example.org.", false],
  ["*.example.org", ".example.org", false],
  ["*.example.org", "a..example.org", false],
  ["example.org", "user@example.org", false],
  ["*.example.org", "evil.net/.example.org", false],
  ["*.example.org", "evil.net#.example.org", false],
  ["*.example.org", "evil.net\n.example.org", false],
  ["example.org", "example.org:80", false],
  ["example.org", "example.org\n", false],
  ["*.example.org", "-.example.org", false],
  ["", "", false],
];
test("F-03: a host is covered by its name or by a wildcard above it, and by nothing that only looks like one", () => {
  for (const [pattern, host, covered] of hosts)
    assert.equal(coversHost(pattern, host), covered, JSON.stringify([pattern, host]));
});
