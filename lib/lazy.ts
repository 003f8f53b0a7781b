// Values and modules that most cold starts do not need: created or loaded at their first use, and then kept.

/** Write `@__PURE__` before the call where some bundles have no use for the value: they leave it out. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Once it is loaded, `loaded` gives it without a promise. */
export interface LazyModule<T> {
  readonly loaded: () => T | undefined;
  readonly load: () => Promise<T>;
}

export function lazyModule<T>(load: () => Promise<T>): LazyModule<T> {
  let module: T | undefined;
  return {
    loaded: () => module,
    load: async () => {
      module ??= await load();
      return module;
    },
  };
}
