// What is made when it is first asked for, and then kept: schemas that most cold starts have no use for.

export function madeOnce<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
