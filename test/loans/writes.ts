/** Ways to change a directory by shell, whoever tries: each changes something in or about it where that may be written. */

export interface Around {
  /** What is to be changed: `f.txt`, `sub/g.txt` in it, `beside.txt` beside it. */
  readonly target: string;
  /** The directory that holds it. */
  readonly above: string;
  /** What the one who tries may write. */
  readonly own: string;
}

export interface Way {
  readonly name: string;
  readonly script: (around: Around) => string;
  /** It gets nowhere in any sandbox: with the scope alone it is no way. */
  readonly never?: true;
}

const evil = (own: string) => `echo evil > ${own}/evil`;

const plain: readonly Way[] = [
  { name: "make a file", script: ({ target }) => `echo x > ${target}/new` },
  { name: "overwrite a file", script: ({ target }) => `echo x > ${target}/f.txt` },
  { name: "append to a file", script: ({ target }) => `echo x >> ${target}/f.txt` },
  { name: "open a file for both", script: ({ target }) => `exec 7<>${target}/f.txt; echo x >&7` },
  { name: "truncate a file", script: ({ target }) => `truncate -s 3 ${target}/f.txt` },
  {
    name: "write in the middle of a file",
    script: ({ target }) => `printf x | dd of=${target}/f.txt bs=1 seek=2 conv=notrunc`,
  },
  { name: "edit a file in place", script: ({ target }) => `sed -i s/as/AS/ ${target}/f.txt` },
  { name: "tee", script: ({ target }) => `echo x | tee ${target}/f.txt ${target}/tee` },
  {
    name: "copy over a file",
    script: ({ target, own }) => `${evil(own)}; cp -f ${own}/evil ${target}/f.txt`,
  },
  {
    name: "install a file",
    script: ({ target, own }) => `${evil(own)}; install -m 755 ${own}/evil ${target}/tool`,
  },
  {
    name: "unpack an archive",
    script: ({ target, own }) =>
      `${evil(own)}; tar -cf ${own}/t.tar -C ${own} evil; tar -xf ${own}/t.tar -C ${target}`,
  },
  {
    name: "make a directory with a file",
    script: ({ target }) => `mkdir -p ${target}/d/e && echo x > ${target}/d/e/x`,
  },
  { name: "make a FIFO", script: ({ target }) => `mkfifo ${target}/fifo` },
  {
    name: "bind a socket",
    script: ({ target }) =>
      `perl -MSocket -e 'socket(S, PF_UNIX, SOCK_STREAM, 0); bind(S, sockaddr_un("${target}/s")) or exit 1'`,
  },
  { name: "make a link in it", script: ({ target, own }) => `ln -s ${own} ${target}/way` },
  { name: "remove a file", script: ({ target }) => `rm -f ${target}/f.txt` },
  { name: "remove a directory", script: ({ target }) => `rm -rf ${target}/sub` },
  { name: "remove all of it", script: ({ target }) => `find ${target} -mindepth 1 -delete` },
  { name: "remove itself", script: ({ target }) => `rm -rf ${target}` },
  { name: "change the mode of a file", script: ({ target }) => `chmod 777 ${target}/f.txt` },
  { name: "change its own mode", script: ({ target }) => `chmod 700 ${target}` },
  { name: "grow a file", script: ({ target }) => `fallocate -l 4096 ${target}/f.txt` },
  { name: "from inside", script: ({ target }) => `cd ${target} && echo x > new` },
  {
    name: "from inside and out again",
    script: ({ target, own }) => `cd ${own} && cd ${target}/sub && echo x > ../new`,
  },
];

export const renames: readonly Way[] = [
  { name: "rename a file in it", script: ({ target }) => `mv ${target}/f.txt ${target}/g` },
  { name: "rename a file out of it", script: ({ target, own }) => `mv ${target}/f.txt ${own}/taken` },
  {
    name: "rename a file into it",
    script: ({ target, own }) => `${evil(own)}; mv ${own}/evil ${target}/evil`,
  },
  {
    name: "replace a file by a rename",
    script: ({ target, own }) => `${evil(own)}; mv -f ${own}/evil ${target}/f.txt`,
  },
  {
    name: "rename by a system call",
    script: ({ target, own }) =>
      `${evil(own)}; perl -e 'rename("${own}/evil", "${target}/f.txt") or rename("${target}/f.txt", "${own}/f") or rename("${target}/sub", "${target}/sub2")'`,
  },
  { name: "rename a directory in it", script: ({ target }) => `mv ${target}/sub ${target}/bus` },
  { name: "rename it", script: ({ target }) => `mv ${target} ${target}-old` },
  { name: "move it away", script: ({ target, own }) => `mv ${target} ${own}/moved` },
  { name: "rename the directory above it", script: ({ above }) => `mv ${above} ${above}-old` },
  {
    name: "rename it and make another",
    script: ({ target }) => `mv ${target} ${target}-old; mkdir ${target} && echo x > ${target}/f.txt`,
  },
  {
    name: "rename the directory above it and make another",
    script: ({ above, target }) => `mv ${above} ${above}-old; mkdir -p ${target} && echo x > ${target}/f.txt`,
  },
  {
    name: "exchange it for a link",
    script: ({ target, own }) =>
      `mv ${target} ${target}-old; rmdir ${target}; ln -s ${own} ${target} && echo x > ${target}/f.txt`,
  },
  {
    name: "replace a file by a link",
    script: ({ target, own }) => `${evil(own)}; ln -sfn ${own}/evil ${target}/f.txt`,
  },
];

const links: readonly Way[] = [
  { name: "through a link", script: ({ target, own }) => `ln -s ${target} ${own}/l; echo x > ${own}/l/new` },
  {
    name: "through a link to a file",
    script: ({ target, own }) => `ln -s ${target}/f.txt ${own}/l; echo x > ${own}/l`,
  },
  {
    name: "through a chain of links",
    script: ({ target, own }) =>
      `ln -s ${target} ${own}/1; ln -s 1 ${own}/2; ln -s 2/sub ${own}/3; echo x > ${own}/3/g.txt`,
  },
  {
    name: "a link exchanged while it is written",
    script: ({ target, own }) =>
      `mkdir ${own}/d; (for i in 1 2 3 4 5 6 7 8 9 10 11 12; do ln -sfn ${target} ${own}/s; ln -sfn ${own}/d ${own}/s; done; ln -sfn ${target} ${own}/s) & for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo x > ${own}/s/raced; done 2>/dev/null; wait; echo x > ${own}/s/raced`,
  },
  {
    name: "a hard link out of it, written",
    script: ({ target, own }) => `ln ${target}/f.txt ${own}/hard && echo x >> ${own}/hard`,
  },
  { name: "a hard link in it", script: ({ target }) => `ln ${target}/f.txt ${target}/hard` },
  {
    name: "a hard link into it",
    script: ({ target, own }) => `${evil(own)}; ln -f ${own}/evil ${target}/f.txt`,
  },
];

const kernel: readonly Way[] = [
  {
    name: "through the root of this process",
    script: ({ target }) => `echo x > /proc/self/root${target}/new`,
  },
  { name: "through the root of the shell", script: ({ target }) => `echo x > /proc/$$/root${target}/new` },
  {
    name: "through the root of the first process",
    script: ({ target }) => `echo x > /proc/1/root${target}/new`,
  },
  {
    name: "through the directory of this process",
    script: ({ target, own }) =>
      `cd ${own}; echo x > /proc/self/cwd/../../${target.split("/").slice(-2).join("/")}/new`,
  },
  {
    name: "a descriptor for reading, opened again for writing",
    script: ({ target }) => `exec 7< ${target}/f.txt; echo x > /proc/self/fd/7`,
  },
  {
    name: "through a descriptor of the directory",
    script: ({ target }) => `exec 7< ${target}; echo x > /proc/self/fd/7/new`,
  },
  {
    name: "a bind mount of it",
    script: ({ target, own }) => `mkdir ${own}/m; mount --bind ${target} ${own}/m && echo x > ${own}/m/new`,
    never: true,
  },
  {
    name: "the mount taken off",
    script: ({ target, above }) =>
      `umount -l ${target}; umount -l ${above}; umount ${target}; echo x > ${target}/new`,
  },
  {
    name: "the mount made writable",
    script: ({ target }) =>
      `mount -o remount,bind,rw ${target}; mount -o remount,rw ${target}; echo x > ${target}/new`,
  },
  {
    name: "in a user namespace of its own",
    script: ({ target, above }) =>
      `unshare -Urm sh -c 'umount -l ${target}; umount -l ${above}; mount -o remount,bind,rw ${target}; echo x > ${target}/new'`,
    never: true,
  },
  {
    name: "in a sandbox of its own",
    script: ({ target }) => `bwrap --bind / / --dev /dev sh -c 'echo x > ${target}/new'`,
    never: true,
  },
  {
    name: "by a process that stays",
    script: ({ target }) =>
      `setsid sh -c 'sleep 0.2; echo x > ${target}/late' > /dev/null 2>&1 < /dev/null & disown -a; exit 0`,
    never: true,
  },
];

export const writes: readonly Way[] = [...plain, ...renames, ...links, ...kernel];
