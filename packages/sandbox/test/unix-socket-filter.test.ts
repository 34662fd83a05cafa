/** The filter without Unix sockets: what it says to each call, on each architecture, read as the kernel reads it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { YoiError } from "@yoi/base";
import { unixSocketFilter } from "../src/unix-socket-filter.ts";

interface Call {
  readonly arch: number;
  readonly number: number;
  readonly args?: readonly [number, number];
}

/** Runs a filter over one call. Only the instructions that it uses. */
function verdict(filter: Uint8Array, { arch, number, args = [0, 0] }: Call): string {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number >>> 0, 0);
  data.writeUInt32LE(arch >>> 0, 4);
  args.forEach((arg, index) => {
    data.writeUInt32LE(arg >>> 0, 16 + 8 * index);
    // The kernel takes an int: what is above it says nothing.
    data.writeUInt32LE(0xdead_beef, 20 + 8 * index);
  });
  const program = Buffer.from(filter);
  let register = 0;
  for (let at = 0; at * 8 < program.length; at += 1) {
    const code = program.readUInt16LE(at * 8);
    const value = program.readUInt32LE(at * 8 + 4);
    const jump = (holds: boolean): number => program.readUInt8(at * 8 + (holds ? 2 : 3));
    if (code === 0x20) register = data.readUInt32LE(value);
    else if (code === 0x54) register = (register & value) >>> 0;
    else if (code === 0x15) at += jump(register === value);
    else if (code === 0x35) at += jump(register >= value);
    else if (code === 0x06)
      return value === 0x7fff_0000 ? "allowed" : value >>> 16 === 5 ? `fails with ${value & 0xffff}` : "?";
    else return `instruction ${code}`;
  }
  return "no end";
}

const machines = [
  { name: "x64", arch: 0xc000_003e, other: 0x4000_0003, socket: 41, socketpair: 53, read: 0 },
  { name: "arm64", arch: 0xc000_00b7, other: 0x4000_0028, socket: 198, socketpair: 199, read: 63 },
];
const [unix, inet] = [1, 2];
const [stream, datagram, raw, seqpacket] = [1, 2, 3, 5];
/** SOCK_CLOEXEC and SOCK_NONBLOCK. */
const flags = 0o2004000;
const [refused, missing] = ["fails with 97", "fails with 38"];

for (const { name, arch, other, socket, socketpair, read } of machines) {
  test(`unixSocketFilter of ${name}: no Unix socket, and of pairs only those that stay together`, () => {
    const filter = unixSocketFilter(name);
    const call = (number: number, ...args: [number, number] | []) =>
      verdict(filter, { arch, number, ...(args.length === 2 ? { args } : {}) });
    assert.deepEqual(
      {
        read: call(read),
        unix: [stream, datagram, raw, seqpacket, stream | flags].map((type) => call(socket, unix, type)),
        inet: [stream, datagram].map((type) => call(socket, inet, type)),
        together: [stream, seqpacket, stream | flags].map((type) => call(socketpair, unix, type)),
        parting: [datagram, raw, datagram | flags, 0, 4].map((type) => call(socketpair, unix, type)),
        inetPair: call(socketpair, inet, datagram),
        ring: call(425),
        ringEntered: call(426),
        x32: call((0x4000_0000 | socket) >>> 0, unix, stream),
        beyond: call(0xffff_ffff),
        foreign: [socket, read, 102, 359].map((number) => verdict(filter, { arch: other, number })),
      },
      {
        read: "allowed",
        unix: Array.from({ length: 5 }, () => refused),
        inet: ["allowed", "allowed"],
        together: ["allowed", "allowed", "allowed"],
        parting: Array.from({ length: 5 }, () => refused),
        inetPair: "allowed",
        ring: missing,
        ringEntered: "allowed",
        x32: missing,
        beyond: missing,
        foreign: [missing, missing, missing, missing],
      },
    );
  });
}

test("unixSocketFilter: an architecture that it does not know is refused", () => {
  assert.throws(
    () => unixSocketFilter("riscv64"),
    (thrown) =>
      thrown instanceof YoiError &&
      thrown.code === "sandbox_missing" &&
      /not on riscv64/.test(thrown.message),
  );
});
