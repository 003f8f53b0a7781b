// How many clients may register from one network address, and what a request that is refused leaves behind. The handlers
// run in this process, with the limits that tenants have.
import { afterAll, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { eventFor, lambdaContext } from '#test/support/events.ts';
import { load } from '#test/support/invocation.ts';
import { redirectUri } from '#test/support/oauth.ts';

const answer = z.object({
  statusCode: z.number(),
  headers: z.record(z.string(), z.string()),
  body: z.string(),
});

async function registerHere(): Promise<z.infer<typeof answer>> {
  const { handler } = await load(() => import('#functions/oauth/serve.ts'));
  const event = eventFor('issueToken', {
    key: '',
    address: { method: 'POST', resource: '/register' },
    headers: { 'Content-Type': 'application/json' },
    body: { redirect_uris: [redirectUri] },
  });
  return answer.parse(await Reflect.apply(handler, undefined, [event, lambdaContext()]));
}

afterAll(() => {
  vi.useRealTimers();
});

test('a flood of registrations gets 429 in the form of OAuth, until the next window', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Date.now() / 10_000) * 10_000 });
  process.env.LIMITS = '{}';
  for (let n = 0; n < 10; n += 1) expect((await registerHere()).statusCode).toBe(201);
  const { statusCode, headers, body } = await registerHere();
  expect(statusCode).toBe(429);
  expect(headers['retry-after']).toBe('10');
  expect(JSON.parse(body)).toEqual({
    error: 'temporarily_unavailable',
    error_description: expect.stringContaining('Only 10 requests in ten seconds'),
  });
  vi.setSystemTime(Date.now() + 10_000);
  expect((await registerHere()).statusCode).toBe(201);
});
