/** The project that the ticket is about: a repository with real tests, of which one fails. */

/** By path. */
export const projectFiles: Readonly<Record<string, string>> = {
  "package.json":
    '{ "name": "orders", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  "total.js": `export function total(lines) {
  return lines.map(({ price }) => price).reduce((sum, price) => sum + price);
}
`,
  "total.test.js": `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "./total.js";

test("a line of one piece costs its price", () => {
  assert.equal(total([{ price: 5, pieces: 1 }]), 5);
});

test("a line of three pieces costs its price three times", () => {
  assert.equal(total([{ price: 5, pieces: 3 }, { price: 2, pieces: 1 }]), 17);
});
`,
};

export const ticketTitle = "The total of an order counts its pieces";
export const ticketBody = `## Why
Customers are asked for too little: a line of three pieces costs as much as one.

## To be true at the end
- A line costs its price as often as it has pieces.
- An order without lines costs nothing.

## How it is checked
node --test passes, with a test for each of the two.
`;

/** What the coder makes of total.js first: it throws where there is no line. */
export const fixed = `export function total(lines) {
  return lines.map(({ price, pieces }) => price * pieces).reduce((sum, cost) => sum + cost);
}
`;
export const fixedAgain = fixed.replace("sum + cost)", "sum + cost, 0)");

export const testOfNoLines = `import assert from "node:assert/strict";
import { test } from "node:test";
import { total } from "./total.js";

test("an order without lines costs nothing", () => {
  assert.equal(total([]), 0);
});
`;
