/** Programs that run the program which their arguments name: which of their options take a value. */
import type { OptionForms } from "./options.ts";

export const envForms: OptionForms = {
  letters: "uCSa",
  long: ["unset", "chdir", "split-string", "argv0"],
};

export const sudoForms: OptionForms = {
  letters: "CDghpRrTtUua",
  long: [
    "close-from",
    "chdir",
    "group",
    "host",
    "prompt",
    "chroot",
    "role",
    "command-timeout",
    "type",
    "other-user",
    "user",
  ],
};

export const xargsForms: OptionForms = {
  letters: "adEILnPs",
  long: ["arg-file", "delimiter", "max-args", "max-procs", "max-chars", "process-slot-var"],
};

export const parallelForms: OptionForms = {
  letters: "jNnLsaIPSdECU",
  long: [
    "jobs",
    "max-args",
    "arg-file",
    "colsep",
    "delay",
    "joblog",
    "results",
    "retries",
    "sshlogin",
    "timeout",
    "tmpdir",
    "workdir",
  ],
};

/** `PROGRAM [options] [operands] COMMAND ...` */
export interface PrefixProgram extends OptionForms {
  readonly names: readonly string[];
  /** Operands before the command. */
  readonly operandsBefore?: number;
}

/** Long options whose value can only be attached are not listed. */
export const prefixPrograms: readonly PrefixProgram[] = [
  {
    names: [
      "builtin",
      "nohup",
      "setsid",
      "busybox",
      "toybox",
      "unbuffer",
      "eatmydata",
      "fakeroot",
      "chronic",
      "torsocks",
      "proxychains4",
      "caffeinate",
      "systemd-inhibit",
    ],
  },
  { names: ["dbus-run-session"], long: ["config-file", "dbus-daemon"] },
  { names: ["exec"], letters: "a" },
  { names: ["timeout"], operandsBefore: 1, letters: "ks", long: ["kill-after", "signal"] },
  { names: ["nice"], letters: "n", long: ["adjustment"] },
  { names: ["stdbuf"], letters: "ioe", long: ["input", "output", "error"] },
  { names: ["time"], letters: "fo", long: ["format", "output"] },
  { names: ["ionice"], letters: "cnpPu", long: ["class", "classdata", "pid", "pgid", "uid"] },
  {
    names: ["chrt"],
    operandsBefore: 1,
    letters: "TPDp",
    long: ["sched-runtime", "sched-period", "sched-deadline"],
  },
  { names: ["taskset"], operandsBefore: 1 },
  { names: ["chroot"], operandsBefore: 1, long: ["userspec", "groups"] },
  { names: ["prlimit"], letters: "po", long: ["pid", "output"] },
  { names: ["choom"], letters: "np", long: ["adjust", "pid"] },
  { names: ["linux32", "linux64", "i386", "i486", "i586", "i686", "x86_64", "uname26"] },
  { names: ["ssh-agent"], letters: "aEOPt" },
  { names: ["cpulimit"], letters: "lpeP", long: ["limit", "pid", "exe", "path"] },
  { names: ["faketime"], operandsBefore: 1 },
  { names: ["rlwrap"], letters: "bCDefgHlmMPpqSstwz" },
  { names: ["xvfb-run"], letters: "efnpsw", long: ["error-file", "auth-file", "server-num", "server-args"] },
  { names: ["pkexec"], long: ["user"] },
  {
    names: ["systemd-run"],
    letters: "HMupEP",
    long: ["host", "machine", "unit", "property", "description", "slice", "setenv", "uid", "gid", "nice"],
  },
  {
    names: ["unshare"],
    letters: "SGRwl",
    long: [
      "setuid",
      "setgid",
      "root",
      "wd",
      "propagation",
      "setgroups",
      "map-user",
      "map-group",
      "map-users",
      "map-groups",
      "owner",
      "monotonic",
      "boottime",
      "load-interp",
    ],
  },
  { names: ["nsenter"], letters: "tSGNW", long: ["target", "setuid", "setgid", "net-socket", "wdns"] },
  {
    names: ["setpriv"],
    long: [
      "ambient-caps",
      "inh-caps",
      "bounding-set",
      "ruid",
      "euid",
      "rgid",
      "egid",
      "reuid",
      "regid",
      "groups",
      "securebits",
      "pdeathsig",
      "ptracer",
      "selinux-label",
      "apparmor-profile",
      "landlock-access",
      "landlock-rule",
      "seccomp-filter",
    ],
  },
  {
    names: ["strace"],
    letters: "abeEIoOpPsSuUX",
    long: [
      "attach",
      "columns",
      "detach-on",
      "env",
      "interruptible",
      "output",
      "summary-syscall-overhead",
      "summary-sort-by",
      "summary-columns",
      "string-limit",
      "trace-path",
      "user",
      "const-print-style",
      "trace",
      "trace-fds",
      "signal",
      "signals",
      "status",
      "abbrev",
      "verbose",
      "raw",
      "read",
      "write",
      "inject",
      "fault",
      "kvm",
      "quiet",
      "silence",
      "decode-fds",
      "decode-pids",
      "tips",
    ],
  },
  {
    names: ["ltrace"],
    letters: "aADeFlnopsuwx",
    long: ["align", "config", "debug", "indent", "library", "output", "where"],
  },
];

/** Their options take values in many ways: any word may be the first of the command. */
export const loosePrograms: readonly string[] = [
  "bwrap",
  "firejail",
  "perf",
  "proot",
  "setarch",
  "start-stop-daemon",
  "valgrind",
];
