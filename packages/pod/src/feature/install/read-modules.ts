/** Reads the descriptor of every module, once, before anything of any is installed. */
import { isJsonObject, type JsonValue } from "@yoi/base";
import { type FeatureDescriptor, featureId, type FeatureModule, featureRuntimeKinds } from "@yoi/feature";
import { checkDescriptor, copyOfDescriptor } from "../check-descriptor.ts";
import { descriptorDigest } from "../digest.ts";
import { boundedText, type BoundedTextOptions } from "../../hook/said.ts";
import { FeatureRecord, type ShownFeature } from "./feature-record.ts";

/** A module whose descriptor is valid. */
export interface Candidate {
  readonly module: FeatureModule;
  readonly descriptor: FeatureDescriptor;
  /** Of the descriptor. */
  readonly digest: string;
  readonly record: FeatureRecord;
}

export interface ReadModules {
  /** One for each module, in their order. */
  readonly records: readonly FeatureRecord[];
  readonly candidates: readonly Candidate[];
}

export function readModules(modules: readonly FeatureModule[], text: BoundedTextOptions): ReadModules {
  const records: FeatureRecord[] = [];
  const candidates: Candidate[] = [];
  for (const [index, module] of modules.entries()) {
    const read = readOne(module, index, text);
    if ("descriptor" in read) candidates.push(read);
    records.push(read.record);
  }
  return { records, candidates };
}

function readOne(
  module: FeatureModule,
  index: number,
  text: BoundedTextOptions,
): Candidate | { readonly record: FeatureRecord } {
  let copy: JsonValue = null;
  try {
    copy = copyOfDescriptor(module.descriptor);
    const descriptor = checkDescriptor(copy);
    const { id, runtime, display_name, version } = descriptor;
    const digest = descriptorDigest(descriptor);
    const record = new FeatureRecord({ feature: id, runtime, display_name, version, digest }, text);
    return { module, descriptor, digest, record };
  } catch (thrown) {
    const record = new FeatureRecord(unusable(copy, index, text), text);
    record.leaveOut(
      "failed",
      `The descriptor of module ${index + 1} is not valid: ${boundedText(thrown, text)}`,
    );
    return { record };
  }
}

/** What can be shown of a descriptor that is not valid: what of it is, and else what nobody takes for a feature that is trusted. */
function unusable(copy: JsonValue, index: number, text: BoundedTextOptions): ShownFeature {
  const said = isJsonObject(copy) ? copy : {};
  const field = (key: string) => (typeof said[key] === "string" ? boundedText(said[key], text) : "");
  let feature = featureId(`plugin:not-valid:${index + 1}`);
  try {
    feature = featureId(field("id"));
  } catch {
    // It has no name of its own.
  }
  return {
    feature,
    runtime: featureRuntimeKinds.find((kind) => kind === said["runtime"]) ?? "external_plugin",
    display_name: field("display_name"),
    version: field("version"),
    digest: null,
  };
}
