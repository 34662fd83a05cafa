/** One spelling of a URL for rules. */
import assert from "node:assert/strict";
import test from "node:test";
import { plainUrl } from "../../src/policy/plain-url.ts";

test("ways to write one URL come to one text", () => {
  const table: readonly (readonly [string, string])[] = [
    ["HTTP://LOCALHOST/a", "http://localhost/a"],
    ["http:localhost/a", "http://localhost/a"],
    [" http://localhost/a\n", "http://localhost/a"],
    ["http://loc\talhost/a", "http://localhost/a"],
    ["http://localhost./a", "http://localhost/a"],
    ["http:\\\\localhost\\a", "http://localhost/a"],
    ["http://localhost:80/a#b", "http://localhost/a"],
    ["http://localhost/%61", "http://localhost/a"],
    ["http://localhost/x/%2e%2E/a", "http://localhost/a"],
    ["http://localhost/b/..%2fa", "http://localhost/b/..%2Fa"],
    ["http://0x7f.1/", "http://127.0.0.1/"],
    ["http://①②⑦.⓪.⓪.①", "http://127.0.0.1/"],
    ["http://[0:0::1]./", "http://[0:0::1]./"],
    ["http://[0:0::1]:8/", "http://[::1]:8/"],
    ["https://h/?q=%C3%a9%41", "https://h/?q=%C3%A9A"],
    ["file:///%65tc", "file:///etc"],
    ["no URL", "no URL"],
    ["", ""],
  ];
  for (const [url, plain] of table) {
    assert.equal(plainUrl(url), plain);
    assert.equal(plainUrl(plain), plain, "and stays");
  }
});
