/** A named Worker: identity, log, scope, hooks, features, children, protocol. */
export {};
