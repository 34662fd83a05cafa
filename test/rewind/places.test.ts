/** Random sessions at random places: the first cases. */
import { proofTest } from "../support/proof.ts";
import { places } from "./places.proof.ts";

proofTest(places);
