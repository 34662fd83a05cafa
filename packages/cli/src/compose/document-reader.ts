/** How instruction files are read: by the scoped walk, so that a link in a repository cannot bring credentials into a prompt. */
import { join } from "node:path";
import type { Files } from "@yoi/host";
import { documentDirectories, type DocumentReader } from "@yoi/pod";
import { type Protection, scopeRule } from "@yoi/scope";
import { createScopedFiles } from "@yoi/tools";
