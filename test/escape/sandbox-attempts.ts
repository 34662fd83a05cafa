/** Ways out of the sandbox, each as a script. One that gets out prints the canary or ESCAPED, or changes what must not change. */
import type { EscapePlace } from "./place.ts";
import { projectFiles } from "./project-attempts.ts";

export interface Peers {
  /** A process of the same user outside the sandbox, with the canary in its environment. */
  readonly victim: number;
  /** A listener on 127.0.0.1. */
  readonly port: number;
  /** An abstract socket's name. */
  readonly abstractName: string;
}

export interface Attempt {
  readonly name: string;
  readonly script: (place: EscapePlace, peers: Peers) => string;
  readonly scope?: "wide";
  /** The same script gets out when nothing holds it; false where that would do harm, or this machine stops it too. */
  readonly control: boolean;
}

const connect = (target: string) =>
  `node -e 'require("net").connect(${target}).on("connect", () => { console.log("ESC" + "APED"); process.exit(); }).on("error", (e) => console.log(e.code))'`;
const ok = '&& printf "ESC%s\\n" APED';

const files: readonly Attempt[] = [
  { name: "read a file outside", script: ({ outside }) => `cat ${outside}/secret.txt`, control: true },
  { name: "read outside by a relative path", script: () => "cat ../outside/secret.txt", control: true },
  {
    name: "read outside through the directory of a process",
    script: () => "cat /proc/self/cwd/../outside/secret.txt",
    control: true,
  },
  {
    name: "read outside through a root",
    script: ({ outside }) => `cat /proc/self/root${outside}/secret.txt /proc/1/root${outside}/secret.txt`,
    control: true,
  },
  {
    name: "read outside through the old root",
    script: ({ outside }) =>
      `cat /oldroot${outside}/secret.txt /newroot${outside}/secret.txt /proc/1/cwd${outside}/secret.txt /proc/1/root/oldroot${outside}/secret.txt`,
    control: false,
  },
  { name: "write a file outside", script: ({ outside }) => `echo x > ${outside}/new.txt`, control: true },
  { name: "remove a file outside", script: ({ outside }) => `rm -f ${outside}/secret.txt`, control: true },
  {
    name: "a link to outside, read",
    script: ({ outside }) => `ln -s ${outside} out; cat out/secret.txt`,
    control: true,
  },
  {
    name: "a link to outside, written",
    script: ({ outside }) => `ln -s ${outside} out; echo x > out/new.txt`,
    control: true,
  },
  {
    name: "a hard link to outside",
    script: ({ outside }) => `ln ${outside}/secret.txt hard && cat hard`,
    control: true,
  },
  {
    name: "move the workspace",
    script: ({ workspace, outside }) => `mv ${workspace} ${outside}/moved`,
    control: false,
  },
  {
    name: "write into the system directories",
    script: () =>
      `for d in /usr/bin /etc /usr/local/bin /opt; do touch $d/yoi-escape-probe 2>/dev/null ${ok}; rm -f $d/yoi-escape-probe 2>/dev/null; done`,
    control: false,
  },
  {
    name: "/tmp of the machine",
    script: ({ root }) => `ls /tmp/*/outside/secret.txt; cat ${root}/outside/secret.txt`,
    control: true,
  },
  {
    name: "bash's own files, by $HOME",
    script: () => "bash -ic true; bash -lc true; . ~/.bashrc",
    control: true,
  },
  {
    name: "write a dot file of the home directory",
    script: () => "echo evil >> ~/.bashrc; echo evil > ~/.zshenv; true",
    control: true,
  },
  {
    name: "grow: find everything that can be read",
    // It stops at the first one: without the sandbox there is a whole machine to read.
    script: ({ root }) => `grep -rsq ${"CANARY"} ${root} ~ /tmp /run /var /mnt /srv /home && echo ESCAPED`,
    control: true,
  },
];

const whateverIsGranted: readonly Attempt[] = [
  ...[".ssh/id_ed25519", ".aws/credentials", ".netrc", ".config/gh/hosts.yml"].map((name) => ({
    name: `credentials: ~/${name}`,
    script: ({ home }: EscapePlace) => `cat ${home}/${name}`,
    scope: "wide" as const,
    control: true,
  })),
  {
    name: "credentials after moving their directory",
    script: ({ home }) =>
      `mv ${home}/.config ${home}/moved; mv ${home}/.config/gh ${home}/gh; cat ${home}/moved/gh/hosts.yml ${home}/gh/hosts.yml`,
    scope: "wide",
    control: true,
  },
  {
    name: "the whole home directory moved",
    script: ({ home, root }) => `mv ${home} ${root}/home2; cat ${root}/home2/.netrc`,
    scope: "wide",
    control: true,
  },
  {
    name: "a dot file of a granted home directory",
    script: ({ home }) => `echo evil >> ${home}/.bashrc`,
    scope: "wide",
    control: true,
  },
  {
    name: "a new dot file of a granted home directory",
    script: ({ home }) => `echo evil > ${home}/.zshenv`,
    scope: "wide",
    control: true,
  },
  {
    name: "a dot file replaced by a rename",
    script: ({ home }) =>
      `echo evil > ${home}/notes.txt.new; cp ${home}/notes.txt x; echo evil > x; mv -f x ${home}/.bashrc`,
    scope: "wide",
    control: true,
  },
  {
    name: "yoi's data",
    script: ({ data }) => `cat ${data}/sessions/s/x.jsonl; ls ${data}/locks | grep -q . ${ok}`,
    scope: "wide",
    control: true,
  },
  {
    name: "yoi's lock, opened",
    script: ({ data }) => `cat ${data}/locks/p.sqlite`,
    scope: "wide",
    control: true,
  },
  {
    name: "yoi's configuration",
    script: ({ data }) => `cat ${data}/config/config.toml; echo x >> ${data}/config/config.toml`,
    scope: "wide",
    control: true,
  },
  {
    name: "yoi's data moved away",
    script: ({ data, root }) =>
      `mv ${data} ${root}/data2 && cat ${root}/data2/locks/p.sqlite; rm -rf ${data}/sessions`,
    scope: "wide",
    control: true,
  },
  {
    name: "the token in the runtime directory",
    script: ({ runtime }) => `cat ${runtime}/token`,
    scope: "wide",
    control: true,
  },
  {
    name: "another Pod's spilled output",
    script: ({ data }) => `cat ${data}/spill/other/1.0.log`,
    scope: "wide",
    control: true,
  },
  {
    name: "this Pod's spilled output, changed",
    script: ({ data }) => `echo x >> ${data}/spill/p/1.0.log; rm ${data}/spill/p/1.0.log`,
    scope: "wide",
    control: true,
  },
  { name: "a path denied for reading", script: () => "cat denied/deep/secret.txt", control: true },
  {
    name: "a path denied for reading, its parent moved",
    script: () => "mv denied d2; cat d2/deep/secret.txt",
    control: true,
  },
  {
    name: "a path on loan",
    script: () => "echo x > lent/file.txt; touch lent/new && printf x > lent/new",
    control: true,
  },
  { name: "a path on loan, moved", script: () => "mv lent l2 && echo x > l2/file.txt", control: true },
];

const machine: readonly Attempt[] = [
  {
    name: "a socket in the runtime directory",
    script: ({ runtime }) => connect(`"${runtime}/pod.sock"`),
    scope: "wide",
    control: true,
  },
  {
    name: "an abstract socket",
    script: (_, { abstractName }) => connect(`"\\0${abstractName}"`),
    control: true,
  },
  { name: "loopback", script: (_, { port }) => connect(`${port}, "127.0.0.1"`), control: true },
  {
    name: "another network interface",
    script: () => "grep -v -e Inter -e face -e ' lo:' /proc/net/dev | grep -q . && echo ESC''APED",
    control: false,
  },
  {
    name: "a signal to a process of the user",
    script: (_, { victim }) => `kill -0 ${victim} ${ok}`,
    control: true,
  },
  {
    name: "the environment of a process of the user",
    script: (_, { victim }) => `tr '\\0' '\\n' < /proc/${victim}/environ`,
    control: true,
  },
  {
    name: "the root of a process of the user",
    script: ({ outside }, { victim }) => `cat /proc/${victim}/root${outside}/secret.txt`,
    control: true,
  },
  {
    name: "the environments of all processes",
    script: () => `grep -as ${"CANARY"} /proc/[0-9]*/environ`,
    control: true,
  },
  {
    name: "ptrace",
    script: (_, { victim }) =>
      `perl -e '$n = \`uname -m\` =~ /aarch64/ ? 117 : 101; exit(syscall($n, 16, ${victim}, 0, 0) == 0 ? 0 : 1)' ${ok}`,
    control: true,
  },
  { name: "the environment of yoi", script: () => "env; set; export -p", control: false },
  {
    name: "descriptors left open",
    script: () =>
      "for f in /proc/self/fd/*; do case ${f##*/} in [0-2]) ;; *) cat <&${f##*/} 2>/dev/null;; esac; done; cat <&3; cat <&4; cat <&5",
    control: false,
  },
  {
    name: "the terminal",
    script: () => `perl -e 'open(T, "+</dev/tty") or exit 1; ioctl(T, 0x5412, "x") or exit 1' ${ok}`,
    control: false,
  },
  {
    name: "a bind mount",
    script: ({ outside }) => `mkdir m; mount --bind ${outside} m ${ok}; mount --bind / m ${ok}; umount m`,
    control: false,
  },
  {
    name: "a mask taken off",
    script: ({ data }) => `umount ${data} ${ok}; umount -l .yoi ${ok}; umount .git/config ${ok}`,
    scope: "wide",
    control: false,
  },
  {
    name: "a read-only mount made writable",
    script: () =>
      `mount -o remount,bind,rw .git/config ${ok}; mount -o remount,rw /usr ${ok}; echo x >> .git/config`,
    control: false,
  },
  {
    name: "a file system of one's own",
    script: () => `mkdir m; mount -t tmpfs x m ${ok}; mount -t proc proc m ${ok}`,
    control: false,
  },
  { name: "a user namespace", script: () => `unshare -Ur true ${ok}`, control: true },
  {
    name: "a user namespace, and mounts in it",
    script: ({ data }) =>
      `unshare -Urm sh -c 'umount -l .git/config; umount -l ${data}; mount -o remount,bind,rw .git/hooks; echo x >> .git/config; cat ${data}/locks/p.sqlite'`,
    scope: "wide",
    control: false,
  },
  {
    name: "a sandbox in the sandbox",
    script: () => `bwrap --bind / / --dev /dev --proc /proc true ${ok}`,
    control: true,
  },
  { name: "chroot", script: () => `chroot / /bin/true ${ok}`, control: false },
  { name: "a device node", script: () => `mknod d b 254 0 ${ok}; mknod e c 1 3 ${ok}`, control: false },
  {
    name: "the machine's devices",
    script: () => `ls /dev/vda /dev/sda /dev/mem /dev/kmsg /dev/fuse 2>/dev/null | grep -q . ${ok}`,
    control: false,
  },
  {
    name: "another process's namespaces",
    script: (_, { victim }) => `nsenter -t ${victim} -m true ${ok}; nsenter -t 1 -m true ${ok}`,
    control: false,
  },
  {
    name: "the kernel's settings",
    script: () =>
      `p=$(cat /proc/sys/kernel/core_pattern); (echo "$p" > /proc/sys/kernel/core_pattern) 2>/dev/null ${ok}`,
    control: false,
  },
  {
    name: "settings of the whole kernel",
    script: () =>
      `cd /proc/sys && find vm dev fs/suid_dumpable fs/protected_* kernel/core_pattern kernel/modprobe kernel/hotplug -type f -writable 2>/dev/null | grep -q . ${ok}`,
    control: false,
  },
  { name: "the machine's name", script: () => `hostname "$(hostname)" 2>/dev/null ${ok}`, control: false },
  {
    name: "cgroups",
    script: () =>
      `mkdir m; mount -t cgroup -o memory x m ${ok}; mkdir /sys/fs/cgroup/yoi-probe 2>/dev/null ${ok}`,
    control: false,
  },
  { name: "another user", script: () => `su -c true nobody ${ok}; sudo -n true ${ok}`, control: false },
  {
    name: "capabilities",
    script: () =>
      "grep -E 'Cap(Inh|Prm|Eff|Bnd|Amb)' /proc/self/status | grep -vq 0000000000000000 && echo ESC''APED",
    control: false,
  },
];

export const attempts: readonly Attempt[] = [...files, ...whateverIsGranted, ...projectFiles, ...machine];
