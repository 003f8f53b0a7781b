// A part of the engine that many flows do without: loaded once per process, and from then on there without waiting.
export interface Lazy<T> {
  readonly loaded: () => T | undefined;
  readonly load: () => Promise<T>;
}

export function lazy<T>(load: () => Promise<T>): Lazy<T> {
  let part: T | undefined;
  return {
    loaded: () => part,
    load: async () => {
      part ??= await load();
      return part;
    },
  };
}
