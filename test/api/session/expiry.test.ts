// When sessions end by themselves, by the clock of this process, in which the functions run.
import { afterEach, expect, test, vi } from 'vitest';
import { askInProcess } from '#test/support/ask-in-process.ts';
import { newPerson, type Person } from '#test/support/person.ts';

const hourMs = 3_600_000;
let person: Person;
let beganMs: number;
afterEach(() => vi.useRealTimers());

async function signedIn(): Promise<void> {
  person = await newPerson();
  beganMs = Date.now();
}
const at = (hours: number) =>
  vi.useFakeTimers({ toFake: ['Date'], now: Math.round(beganMs + hours * hourMs) });
const ask = async (operation: 'getMe' | 'listSessions' | 'showSession') =>
  await askInProcess(operation, { headers: person.page });
const status = async () => (await ask('getMe')).statusCode;

test('a session that is used stays open, but for 24 hours at the latest', async () => {
  await signedIn();
  for (const hours of [7.9, 15.8, 23.7, 23.999]) {
    at(hours);
    expect([hours, await status()]).toEqual([hours, 200]);
  }
  at(24.001);
  expect(await status()).toBe(401);
  at(1);
  expect(await status(), 'its end is by its own time').toBe(200);
});

test('a session that is not used for eight hours has ended, and does not come back by being asked for', async () => {
  await signedIn();
  at(8.001);
  for (let n = 0; n < 2; n += 1) expect(await status()).toBe(401);
  expect((await ask('showSession')).body).toContain('You are not signed in');
  const former = person;
  person = await newPerson({ email: former.email, orgid: former.orgid });
  const answered = await ask('listSessions');
  expect(answered.body, 'a list shows none that have ended').not.toContain(former.sessionid);
});

test('what a process remembers ends with the session, too', async () => {
  await signedIn();
  // Used 36 seconds before its end, so that it is remembered for 45 seconds.
  for (const hours of [7.5, 15, 22.5, 23.99]) {
    at(hours);
    expect(await status()).toBe(200);
  }
  at(24.0001);
  expect(await status()).toBe(401);
});
