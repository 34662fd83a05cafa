/** What this process knows of credentials: one for all of it, because everything that it writes is looked through. */
import { createKnownSecrets } from "@yoi/keep";

export const knownSecrets = createKnownSecrets();
