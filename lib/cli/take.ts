// The first items of a list that is read page by page.

export async function takeAll<T>(items: AsyncIterable<T>, max: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of items) {
    taken.push(item);
    if (taken.length >= max) break;
  }
  return taken;
}
