/** Descriptors over sockets: what one sandbox has open is out of reach of another, because a Pod that holds a loan gets no Unix sockets. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { scopeRule } from "@yoi/scope";
import { harness } from "../escape/harness.ts";
import { noBubblewrap } from "../support/bubblewrap.ts";
import { makeLentPlace } from "./lent-place.ts";

const noPython = spawnSync("/usr/bin/python3", ["-c", ""]).status === 0 ? false : "no python3";
const skip = noBubblewrap() || noPython;
const script = readFileSync(new URL("hand-over.py", import.meta.url), "utf8");
const ways = ["listens", "connects", "datagram", "abstract"];
const whole = ways.map((way) => `${way} during`).concat(ways.map((way) => `${way} after`));

/** Who hands a directory to whom. */
const pairs = ["lender to child", "child to lender", "child to sibling"] as const;

/** What the one who takes wrote through the other's directory, by file; the network is granted, so that abstract sockets are one. */
async function handedOver(pair: (typeof pairs)[number], childSockets: boolean) {
  const { place, lent, kept, loan, scopes } = makeLentPlace();
  const { workspace } = place;
  const sibling = {
    id: "sibling",
    scope: {
      allow: loan.scope.allow.map((rule) => (rule.target === lent ? scopeRule(kept, "write") : rule)),
      deny: loan.scope.deny,
    },
  };
  const lender = { own: kept, scope: scopes.lenderMeanwhile, directory: workspace, unixSockets: true };
  const child = { own: lent, scope: scopes.child, directory: lent, unixSockets: childSockets };
  const other = { own: kept, scope: sibling.scope, directory: kept, unixSockets: childSockets };
  const [giver, taker, files] = {
    "lender to child": [lender, child, ["a/kept/f.txt", ".git/config"]] as const,
    "child to lender": [child, lender, ["f.txt"]] as const,
    "child to sibling": [child, other, ["f.txt"]] as const,
  }[pair];
  const go = join(workspace, "go");
  writeFileSync(join(workspace, "hand-over.py"), script);
  const boxes = await Promise.all([giver, taker].map(({ unixSockets }) => harness({ place, unixSockets })));
  const run = (side: number, role: string, { own, scope }: typeof giver, peer: string) =>
    boxes[side]?.run(
      `/usr/bin/python3 ${workspace}/hand-over.py ${[role, own, peer, giver.directory, go, ...files].join(" ")} 2>&1`,
      { scope, network: true },
    );
  try {
    const before = files.map((file) => readFileSync(join(giver.directory, file), "utf8"));
    const takes = run(1, "take", taker, giver.own);
    const gave = await run(0, "give", giver, taker.own);
    // From here on its mounts are gone, and its directories are what they are on the disk.
    writeFileSync(go, "");
    const took = await takes;
    const wrote = files.map((file, index) =>
      readFileSync(join(giver.directory, file), "utf8")
        .slice(before[index]?.length)
        .split("\n")
        .filter((line) => line !== ""),
    );
    return {
      wrote: Object.fromEntries(files.map((file, index) => [file, wrote[index]])),
      said: [gave?.output, took?.output].join(""),
    };
  } finally {
    for (const box of boxes) await box.close();
  }
}

for (const pair of pairs) {
  test(
    `a descriptor handed over a socket, ${pair}: writes nothing, while the giver's command runs or after it`,
    { skip },
    async () => {
      const held = await handedOver(pair, false);
      assert.deepEqual(
        held.wrote,
        Object.fromEntries(Object.keys(held.wrote).map((file) => [file, []])),
        held.said,
      );
      const open = await handedOver(pair, true);
      for (const [file, wrote] of Object.entries(open.wrote))
        assert.deepEqual(
          wrote,
          // The sandbox of the giver keeps it too, until that is gone.
          whole.filter((line) => file !== ".git/config" || line.endsWith("after")),
          `control, ${file}: ${open.said}`,
        );
    },
  );
}

const everyday = `cd own
git init -q r && cd r && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m first && git status --short --branch && git log --format=%s
cat > fork.js <<'X'
const { fork } = require("node:child_process");
if (process.send) process.send("forked"); else fork(__filename).on("message", (said) => console.log(said));
X
node fork.js
printf 'require("node:test")("t", () => {})' > p.test.js && node --test p.test.js | grep -E "pass 1$"
/usr/bin/python3 -c 'import multiprocessing; print(multiprocessing.Pool(2).map(abs, [-1, -2]))'
ls | sort | head -n 1
perl -MSocket -e 'socketpair(A, B, PF_UNIX, SOCK_STREAM, 0) or die $!; syswrite(A, "pair\\n"); sysread(B, $_, 9); print'
perl -MSocket -e 'socket(S, PF_INET, SOCK_STREAM, 0) or die $!; print "inet\\n"'
`;

for (const unixSockets of [false, true]) {
  test(
    `everyday programs work ${unixSockets ? "with" : "without"} Unix sockets: git, forks of Node, Python's processes, pairs`,
    { skip },
    async () => {
      const { place, lent, scopes } = makeLentPlace();
      const box = await harness({ place, unixSockets });
      try {
        const { output } = await box.run(everyday.replace("own", lent), { scope: scopes.child });
        assert.match(output, /^## \w+\nfirst\nforked\n.* pass 1\n\[1, 2\]\nfork\.js\npair\ninet\n$/);
      } finally {
        await box.close();
      }
    },
  );
}
