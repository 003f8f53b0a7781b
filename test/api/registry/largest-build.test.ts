// The largest builds that the schemas take are registered, replaced, promoted, found and listed like any
// other, and their cards are signed so that anybody can verify it: no limit of an AWS service is met on the
// way.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { agentCardInput } from '#lib/registry/row/agent-card-input.ts';
import { bytesMax } from '#lib/registry/row/stored-row.ts';
import { card, createBody } from '#test/support/builders.ts';
import { newCaller, type TestCaller, unique } from '#test/support/caller.ts';
import { fetchCurrentCard, verifyBySpecification, verifyWithSdk } from '#test/support/cards.ts';
import { call } from '#test/support/client.ts';
import { growth, largestBuild } from '#test/support/largest.ts';

/** Each makes some 30 requests with 300 KB. */
const numRuns = 4;
const timeout = 120_000;

const publishedCard = z.looseObject({ signatures: z.array(z.unknown()).length(2) });

async function verified(caller: TestCaller, url: string): Promise<void> {
  const served = publishedCard.parse(await fetchCurrentCard(url, caller.key));
  await verifyBySpecification(served);
  await verifyWithSdk(served);
}

const create = async ({ key, workspaceid }: TestCaller, body: object, idempotencyKey = unique('once')) =>
  await call('createRegistryRow', {
    key,
    query: { workspaceid },
    body,
    headers: { 'idempotency-key': idempotencyKey },
  });

describe('a build of the largest size', () => {
  test(
    'can be registered, promoted and deleted, with a valid signature at each step',
    async () => {
      await fc.assert(
        fc.asyncProperty(growth, growth, async (first, second) => {
          const caller = await newCaller();
          const { key, workspaceid } = caller;
          const body = largestBuild(first);
          const idempotencyKey = unique('once');
          const created = (await create(caller, body, idempotencyKey)).body;
          expect((await create(caller, body, idempotencyKey)).body).toEqual(created);
          await verified(caller, created.card_url);

          const params = { a2aregistryid: created.a2aregistryid };
          const { flowid: _, flow: __, ...replacement } = largestBuild(second);
          expect((await call('updateRegistryRow', { key, params, body: replacement })).status).toBe(200);
          await verified(caller, created.card_url);

          const live = await call('promoteRegistryRow', { key, params });
          expect(live.status).toBe(200);
          await verified(caller, live.body.card_url);
          expect((await call('updateRegistryRow', { key, params, body: replacement })).status).toBe(200);
          await verified(caller, live.body.card_url);

          const next = (await create(caller, { ...body, flowid: created.flowid })).body;
          const nextParams = { a2aregistryid: next.a2aregistryid };
          expect((await call('promoteRegistryRow', { key, params: nextParams })).status).toBe(200);
          expect((await call('rollBackRegistryRow', { key, params: nextParams })).status).toBe(200);

          expect((await call('listRegistryRows', { key, query: { workspaceid } })).body.items).toHaveLength(
            2,
          );
          expect((await call('getRegistryRowHistory', { key, params })).body.items.length).toBeGreaterThan(4);
          const found = await call('searchRegistry', { key, query: { q: created.flowid } });
          expect(found.body.items.map(({ flowid }) => flowid)).toContain(created.flowid);
          expect((await call('diffRegistryRow', { key, params })).status).toBe(200);
          expect((await call('deleteRegistryRow', { key, params: nextParams })).status).toBe(204);
        }),
        { numRuns },
      );
    },
    timeout,
  );
});

describe('a card', () => {
  const ofBytes = (bytes: number) => {
    const skills = Array.from({ length: 50 }, (_, n) => ({
      id: `s${n}`,
      name: 'x',
      description: 'x',
      examples: Array.from({ length: 2 }, () => 'e'.repeat(1_024)),
    }));
    const modes = { defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] };
    const most = card({ skills, ...modes });
    let left = bytes - Buffer.byteLength(JSON.stringify(most));
    for (const skill of skills) {
      const more = Math.min(2_047, left);
      skill.description += 'd'.repeat(more);
      left -= more;
    }
    expect(Buffer.byteLength(JSON.stringify(most))).toBe(bytes);
    return most;
  };

  test('is accepted with exactly the largest size, and refused by name with one byte more', async () => {
    const caller = await newCaller();
    const { status } = await create(caller, createBody({ agent_card: ofBytes(bytesMax.card) }));
    expect(status).toBe(201);
    const { problem } = await create(caller, createBody({ agent_card: ofBytes(bytesMax.card + 1) }));
    expect(problem.errors).toMatchObject([{ pointer: '/body/agent_card' }]);
  });

  test('is measured as it is published, with the collected modes of its skills and its tags in every skill', () => {
    const mode = (n: number) => `text/${'m'.repeat(110)}-${n}`;
    const skills = Array.from({ length: 50 }, (_, n) => ({
      id: `s${n}`,
      name: 'x',
      description: 'x',
      inputModes: Array.from({ length: 20 }, (_mode, m) => mode(n * 20 + m)),
    }));
    const collected = agentCardInput.safeParse(card({ skills }));
    expect(collected.error?.issues.map(({ message }) => message)).toEqual([
      expect.stringContaining('150000'),
    ]);
    expect(
      agentCardInput.safeParse(
        card({ skills, defaultInputModes: ['text/plain'], defaultOutputModes: ['text/plain'] }),
      ).success,
    ).toBe(true);
  });
});
