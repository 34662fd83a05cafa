/** The profiles that ship with yoi, each as the TOML that a file of one's own would hold. */
import { coderProfile } from "./built-in/coder.ts";
import { defaultProfile } from "./built-in/default.ts";
import { intakeProfile } from "./built-in/intake.ts";
import { orchestratorProfile } from "./built-in/orchestrator.ts";
import { readerProfile } from "./built-in/reader.ts";
import { reviewerProfile } from "./built-in/reviewer.ts";
import { soloProfile } from "./built-in/solo.ts";

/** In the order in which they are listed: of any kind of work, then those of work by tickets. */
export const builtInProfiles: Readonly<Record<string, string>> = {
  default: defaultProfile,
  reader: readerProfile,
  solo: soloProfile,
  intake: intakeProfile,
  orchestrator: orchestratorProfile,
  coder: coderProfile,
  reviewer: reviewerProfile,
};
