// A cold start builds only the schemas that it needs: those of objects and long texts are built when they are first used
// (`z.lazy`), since most requests use a tenth of them. docs/decisions/0089-schemas-built-when-used.md has the numbers.
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { installAwsLambda } from '#lib/local/lambda-streaming.ts';

/** It was 1,138 when all schemas were built at once. */
const builtMax = 185;

test('the import of the trigger builds few schemas', async () => {
  let built = 0;
  // Not a part of zod's public interface; without it the next assertion fails.
  z.config({ postProcessor: () => void built++ });
  installAwsLambda();
  vi.resetModules();
  await import('#functions/trigger/run.ts');
  z.config({ postProcessor: undefined });
  expect(built).toBeGreaterThan(0);
  expect(built).toBeLessThan(builtMax);
});
