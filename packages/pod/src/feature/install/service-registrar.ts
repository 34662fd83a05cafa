/** Stages what one module provides, and hands it clients of what it requires. */
import type {
  AuthorityGrants,
  FeatureDescriptor,
  ServiceClient,
  ServiceId,
  ServiceImplementation,
  ServiceRegistrar,
  ServiceRequirement,
} from "@yoi/feature";
import type { ServiceHub, StagedServices } from "../services/service-hub.ts";
import type { Registration } from "./registration.ts";

export interface ServiceStageOptions {
  readonly descriptor: FeatureDescriptor;
  readonly grants: AuthorityGrants;
  /** What it gets, of what its descriptor requires. */
  readonly resolved: readonly ServiceRequirement[];
  readonly hub: ServiceHub;
  readonly registration: Registration;
  readonly life: { readonly isOver: boolean };
}

export class ServiceStage {
  readonly #options: ServiceStageOptions;
  readonly #staged: StagedServices;
  readonly #provided = new Set<ServiceId>();
  readonly registrar: ServiceRegistrar;

  constructor(options: ServiceStageOptions) {
    this.#options = options;
    this.#staged = options.hub.stage(options.descriptor.id);
    this.registrar = {
      provide: (id, version, implementation) => this.#provide(id, version, implementation),
      require: (id) => this.#require(id),
    };
  }

  has(id: ServiceId): boolean {
    return this.#provided.has(id);
  }

  commit(): void {
    this.#staged.commit();
  }

  takeBack(): void {
    this.#staged.takeBack();
  }

  #provide(id: ServiceId, version: string, implementation: ServiceImplementation): void {
    const { descriptor, registration } = this.#options;
    registration.open("service");
    const declared = descriptor.provides_services.find((each) => each.id === id && each.version === version);
    if (declared === undefined) {
      const named = `${registration.said(id)} ${registration.said(version)}`;
      const reason = `The service ${named} is not declared in the descriptor of ${descriptor.id}.`;
      throw registration.refused("service", id, reason);
    }
    try {
      this.#staged.provide(declared, implementation);
    } catch (thrown) {
      throw registration.refused("service", id, registration.said(thrown));
    }
    this.#provided.add(declared.id);
  }

  #require(id: ServiceId): ServiceClient | null {
    const { descriptor, grants, resolved, hub, registration, life } = this.#options;
    registration.open("service", "asks for");
    if (!descriptor.requires_services.some((each) => each.id === id)) {
      const reason = `${descriptor.id} asks for the service ${registration.said(id)}, which its descriptor does not require.`;
      throw registration.refused("service", id, reason);
    }
    const requirement = resolved.find((each) => each.id === id);
    return requirement === undefined ? null : hub.client({ id: descriptor.id, grants, life }, requirement);
  }
}
