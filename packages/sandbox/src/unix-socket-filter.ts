/** A seccomp filter without Unix sockets: over one a descriptor of a directory goes into another sandbox, past every mount. */
import { YoiError } from "@yoi/base";

/** What differs: the kernel's name of the architecture (`AUDIT_ARCH_*`), and the numbers of two system calls. */
interface Machine {
  readonly audit: number;
  readonly socket: number;
  readonly socketpair: number;
}

const machines: ReadonlyMap<string, Machine> = new Map([
  ["x64", { audit: 0xc000_003e, socket: 41, socketpair: 53 }],
  ["arm64", { audit: 0xc000_00b7, socket: 198, socketpair: 199 }],
]);
/** The same on every machine. A ring makes sockets by itself, and takes none of these calls for it. */
const ioUringSetup = 425;
/** From here on the numbers of x86-64 are those of its other interface, x32. */
const otherInterface = 0x4000_0000;

/** Of `linux/socket.h`. */
const familyUnix = 1;
const typeStream = 1;
const typeSeqpacket = 5;
const typeMask = 0xf;

/** Of `linux/filter.h` and `linux/seccomp.h`. */
const load = 0x20;
const and = 0x54;
const equal = 0x15;
const atLeast = 0x35;
const give = 0x06;
const allowed = 0x7fff_0000;
const failsWith = 0x0005_0000;
const notImplemented = failsWith | 38;
const noSuchFamily = failsWith | 97;

/** Offsets in `struct seccomp_data`; of an argument, which fills eight bytes, the lower half, which is all that the kernel takes of these. */
const callNumber = 0;
const architecture = 4;
const firstArgument = 16;
const secondArgument = 24;

type Step = "next" | "socket" | "pair" | "allow" | "missing" | "refuse";

interface Instruction {
  readonly at?: Step;
  readonly code: number;
  readonly value: number;
  /** Where a comparison goes on; default: with the next. */
  readonly yes?: Step;
  readonly no?: Step;
}

/**
 * No socket of the family AF_UNIX, and of pairs only those that stay with each other: one of datagrams can leave its partner, and send to and hear
 * from any that has a name. Neither io_uring, nor an interface to the kernel where the calls have other numbers. Throws `sandbox_missing` for an
 * architecture (`process.arch`) that it does not know.
 */
export function unixSocketFilter(arch: string): Uint8Array {
  const machine = machines.get(arch);
  if (machine === undefined) {
    throw new YoiError(
      "sandbox_missing",
      `Shell commands of a child need a sandbox without Unix sockets, which yoi can make on x64 and arm64, not on ${arch}: let its parent run them.`,
    );
  }
  const { audit, socket, socketpair } = machine;
  return assembled([
    { code: load, value: architecture },
    { code: equal, value: audit, no: "missing" },
    { code: load, value: callNumber },
    { code: atLeast, value: otherInterface, yes: "missing" },
    { code: equal, value: ioUringSetup, yes: "missing" },
    { code: equal, value: socket, yes: "socket" },
    { code: equal, value: socketpair, yes: "pair", no: "allow" },
    { at: "socket", code: load, value: firstArgument },
    { code: equal, value: familyUnix, yes: "refuse", no: "allow" },
    { at: "pair", code: load, value: firstArgument },
    { code: equal, value: familyUnix, no: "allow" },
    { code: load, value: secondArgument },
    { code: and, value: typeMask },
    { code: equal, value: typeStream, yes: "allow" },
    { code: equal, value: typeSeqpacket, yes: "allow", no: "refuse" },
    { at: "allow", code: give, value: allowed },
    { at: "missing", code: give, value: notImplemented },
    { at: "refuse", code: give, value: noSuchFamily },
  ]);
}

/** As `struct sock_filter`, eight bytes each, in the byte order of both machines. */
function assembled(program: readonly Instruction[]): Uint8Array {
  const bytes = Buffer.alloc(program.length * 8);
  program.forEach(({ code, value, yes = "next", no = "next" }, index) => {
    const over = (to: Step): number =>
      to === "next" ? 0 : program.findIndex(({ at }) => at === to) - index - 1;
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(over(yes), index * 8 + 2);
    bytes.writeUInt8(over(no), index * 8 + 3);
    bytes.writeUInt32LE(value, index * 8 + 4);
  });
  return bytes;
}
