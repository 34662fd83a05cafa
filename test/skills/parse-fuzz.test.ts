/** The first cases of any text as a SKILL.md. */
import { proofTest } from "../support/proof.ts";
import { parseFuzz } from "./parse-fuzz.proof.ts";

proofTest(parseFuzz);
