/** The scripted model: plays a scenario file behind the same boundary as a provider. */
export type { ScriptedModel, ScriptedOptions } from "./scripted-model.ts";
export { openScripted } from "./scripted-model.ts";
