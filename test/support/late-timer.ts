/** Preloaded into a program as a control: each time it writes, a timer is left behind that holds it for a while. */
const holdMs = 400;

for (const stream of [process.stdout, process.stderr]) {
  stream.write = new Proxy(stream.write, {
    apply: (write, self, args) => {
      setTimeout(() => {}, holdMs);
      return Reflect.apply(write, self, args) as boolean;
    },
  });
}
