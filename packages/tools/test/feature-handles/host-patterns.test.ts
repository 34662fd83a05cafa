/** Host patterns: what a grant of hosts lets through, in every way to write a host. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { hostMatcher } from "../../src/feature-handles/host-patterns.ts";

const granted = ["example.org", "*.Example.NET.", "BÜCHER.example", "93.184.216.34", "[2606:2800:220:1::1]"];

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
  ["http://[2606:2800:0220:0001:0::1]/", true],
  ["http://[2606:2800:220:1::2]/", false],
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
    "*.[::1]",
    "::1",
    "[::1",
    "exa%6dple.org",
  ];
  for (const pattern of patterns) assert.throws(() => hostMatcher([pattern]), { code: "usage" }, pattern);
});
