/** Preloaded into a program (`NODE_OPTIONS=--import`): its Pod closes, and meanwhile something throws where nobody catches it. */
import { Pod } from "../../packages/pod/src/index.ts";

const { close } = Pod.prototype;
Pod.prototype.close = async function (this: Pod) {
  process.nextTick(() => {
    throw new Error("a listener of a feature");
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  await close.call(this);
};
