/** The first kills at a running tool. */
import { proofTest } from "../support/proof.ts";
import { killedInTool } from "./in-tool.proof.ts";

proofTest(killedInTool);
