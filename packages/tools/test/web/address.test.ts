/** Which addresses count as public: every special range, in every way to write it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { addressFamily, isPublicAddress } from "../../src/web/address.ts";

const publicOnes = [
  "1.1.1.1",
  "8.8.8.8",
  "93.184.216.34",
  "2606:4700:4700::1111",
  "2a00:1450:4001:81b::200e",
  "::ffff:1.1.1.1",
];
const refused: readonly (readonly [string, string])[] = [
  ["loopback", "127.0.0.1"],
  ["loopback, its far end", "127.255.255.254"],
  ["unspecified", "0.0.0.0"],
  ["this network", "0.1.2.3"],
  ["private 10", "10.0.0.1"],
  ["private 172.16", "172.16.0.1"],
  ["private 172.31", "172.31.255.255"],
  ["private 192.168", "192.168.1.1"],
  ["link-local, cloud metadata", "169.254.169.254"],
  ["carrier NAT, cloud metadata", "100.100.100.200"],
  ["protocol assignments", "192.0.0.192"],
  ["documentation", "192.0.2.1"],
  ["documentation 2", "198.51.100.1"],
  ["documentation 3", "203.0.113.1"],
  ["benchmarks", "198.18.0.1"],
  ["6to4 relay", "192.88.99.1"],
  ["multicast", "224.0.0.1"],
  ["reserved", "240.0.0.1"],
  ["broadcast", "255.255.255.255"],
  ["a cloud's own service", "168.63.129.16"],
  ["IPv6 loopback", "::1"],
  ["IPv6 unspecified", "::"],
  ["mapped loopback", "::ffff:127.0.0.1"],
  ["mapped loopback, in hexadecimal", "::ffff:7f00:1"],
  ["mapped private", "::ffff:10.0.0.1"],
  ["mapped metadata", "::ffff:169.254.169.254"],
  ["compatible loopback", "::127.0.0.1"],
  ["compatible public", "::1.1.1.1"],
  ["translated (SIIT)", "::ffff:0:127.0.0.1"],
  ["NAT64", "64:ff9b::7f00:1"],
  ["NAT64 of a public one", "64:ff9b::101:101"],
  ["local NAT64", "64:ff9b:1::7f00:1"],
  ["6to4", "2002:7f00:1::"],
  ["Teredo", "2001:0:7f00:1::"],
  ["unique local", "fc00::1"],
  ["unique local, cloud metadata", "fd00:ec2::254"],
  ["IPv6 link-local", "fe80::1"],
  ["IPv6 link-local with its zone", "fe80::1%eth0"],
  ["site-local", "fec0::1"],
  ["IPv6 multicast", "ff02::1"],
  ["IPv6 documentation", "2001:db8::1"],
  ["IPv6 documentation 2", "3fff::1"],
  ["discard", "100::1"],
  ["ORCHID", "2001:20::1"],
  ["segment routing", "5f00::1"],
  ["not given out", "4000::1"],
  ["a name", "example.com"],
  ["nothing", ""],
];

test("public addresses", () =>
  assert.deepEqual(
    publicOnes.map(isPublicAddress),
    publicOnes.map(() => true),
  ));
for (const [name, address] of refused) {
  test(`not public: ${name} ${address}`, () => assert.equal(isPublicAddress(address), false));
}

test("families", () => {
  assert.deepEqual(
    ["1.2.3.4", "::1", "::ffff:1.2.3.4", "1.2.3", "0x7f.1", "example.com", "", "1.2.3.4.5"].map(
      addressFamily,
    ),
    [4, 6, 6, 0, 0, 0, 0, 0],
  );
});
