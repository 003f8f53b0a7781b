// Waits for work that is done at the same time, in the same folder: nothing of it continues when the folder is removed.

/** As `Promise.all`, but does not reject before all have ended: then with the reason of the first in the list. */
export async function waitForAll<const Work extends readonly unknown[]>(
  work: Work,
): Promise<{ -readonly [Index in keyof Work]: Awaited<Work[Index]> }> {
  await Promise.allSettled(work);
  return await Promise.all(work);
}
