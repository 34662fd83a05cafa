/** Opening the model that a manifest names: credentials and base URL come from the environment, and from nowhere else. */
import { isAbsolute, join } from "node:path";
import { type RequestConfig, YoiError } from "@yoi/base";
import type { Host } from "@yoi/host";
import type { ModelChoice } from "@yoi/manifest";
import { type Model, openModel, providerByName } from "@yoi/model";
import type { Environment } from "../environment.ts";
