/** ServiceHub: the services in force, and the only way from a consumer to a provider. */
import type { JsonObject } from "@yoi/base";
import { YoiError } from "@yoi/base";
import type {
  AuthorityGrants,
  FeatureId,
  ServiceClient,
  ServiceDeclaration,
  ServiceId,
  ServiceImplementation,
  ServiceRequirement,
} from "@yoi/feature";
import { heard } from "../heard.ts";
import { seal } from "../seal.ts";
import { callService, type PublishedService, type ServicePorts } from "./call-service.ts";

/** The services of a feature that is being installed. */
export interface StagedServices {
  /**
   * Reads the declared methods once: each is an own property of the implementation, and a function. Throws feature_invalid for one that is not,
   * and for an id that is provided already.
   */
  provide(declaration: ServiceDeclaration, implementation: ServiceImplementation): void;
  /** They can be called from now on. */
  commit(): void;
  /** Nothing that was provided through this is, or will be, in force: also what was committed. */
  takeBack(): void;
}

export interface ServiceConsumer {
  readonly id: FeatureId;
  readonly grants: AuthorityGrants;
  /** Over when the feature is taken back, or the Pod has closed: its clients then call nothing any more. */
  readonly life: { readonly isOver: boolean };
}

export class ServiceHub {
  readonly #ports: ServicePorts;
  readonly #inForce = new Map<ServiceId, PublishedService>();
  #isClosed = false;

  constructor(ports: ServicePorts) {
    this.#ports = ports;
  }

  stage(feature: FeatureId): StagedServices {
    const staged = new Map<ServiceId, PublishedService>();
    return Object.freeze({
      provide: (declaration: ServiceDeclaration, implementation: ServiceImplementation) => {
        const { id } = declaration;
        const other = staged.get(id)?.provider ?? this.#inForce.get(id)?.provider;
        if (other !== undefined) {
          throw new YoiError(
            "feature_invalid",
            `${feature} provides the service ${id}, which ${other} provides already.`,
          );
        }
        staged.set(id, {
          provider: feature,
          declaration,
          methods: methodsOf(feature, declaration, implementation),
          underWay: new Set(),
          gone: null,
        });
      },
      commit: () => {
        if (this.#isClosed) throw new Error("services are committed before the hub is closed");
        for (const [id, service] of staged) this.#inForce.set(id, service);
      },
      takeBack: () => {
        for (const [id, service] of staged) {
          if (this.#inForce.get(id) === service) this.#inForce.delete(id);
          end(service, `its provider ${feature} is not installed any more.`);
        }
        staged.clear();
      },
    });
  }

  provider(id: ServiceId): { readonly feature: FeatureId; readonly version: string } | null {
    const service = this.#inForce.get(id);
    return service === undefined ? null : { feature: service.provider, version: service.declaration.version };
  }

  /** Why the consumer gets no client, as a sentence; null: it gets one. `requirement` is one that fits the declaration. */
  refusal(
    { id: consumer, grants }: Pick<ServiceConsumer, "id" | "grants">,
    { id }: ServiceRequirement,
  ): string | null {
    const service = this.#inForce.get(id);
    if (service === undefined) return `${consumer} gets no service ${id}: no installed feature provides it.`;
    if (!service.declaration.carries_authority) return null;
    const isGranted = grants.granted.some(
      (authority) => authority.kind === "service_access" && authority.service === id,
    );
    if (isGranted) return null;
    return `${consumer} gets no service ${id}: it acts with authorities of ${service.provider}, and ${consumer} was not granted service_access for it.`;
  }

  /** Null where there is a refusal. */
  client(consumer: ServiceConsumer, requirement: ServiceRequirement): ServiceClient | null {
    const service = this.#inForce.get(requirement.id);
    if (service === undefined || this.refusal(consumer, requirement) !== null) return null;
    const { id, version } = service.declaration;
    const methods = Object.freeze([...(requirement.methods ?? service.declaration.methods)]);
    const call = async (method: string, input: JsonObject) => {
      if (consumer.life.isOver)
        throw new YoiError(
          "service_failed",
          `${consumer.id} can call ${id} no more: it is not in force any more.`,
        );
      if (methods.includes(method) && service.methods.has(method))
        return await callService(service, { consumer: consumer.id, method, input }, this.#ports);
      throw new YoiError(
        "feature_invalid",
        `${consumer.id} did not ask for a method ${JSON.stringify(method)} of ${id}: it may call ${methods.join(", ")}.`,
      );
    };
    return seal({ id, version, methods, call: (method, input) => heard(call(method, input)) });
  }

  /** Every call from now on throws, and so do those under way. */
  close(): void {
    this.#isClosed = true;
    for (const service of this.#inForce.values()) end(service, "the Pod has closed.");
    this.#inForce.clear();
  }
}

function end(service: PublishedService, why: string): void {
  service.gone = why;
  for (const fail of service.underWay) fail(why);
}

/** Called on the implementation, which no consumer sees. */
function methodsOf(
  feature: FeatureId,
  { id, methods }: ServiceDeclaration,
  implementation: ServiceImplementation,
): PublishedService["methods"] {
  return new Map(
    methods.map((name) => {
      const method = Object.hasOwn(implementation, name) ? implementation[name] : undefined;
      if (typeof method === "function") return [name, (input) => method.call(implementation, input)];
      throw new YoiError(
        "feature_invalid",
        `${feature} provides the service ${id} without its method ${name}.`,
      );
    }),
  );
}
