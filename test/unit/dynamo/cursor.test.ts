// A cursor with any one bit flipped is not one of ours. That each list asks here, test/api/cursors.test.ts
// shows over HTTP. A KMS client stays with the address that it was first used with, so the modules here are
// of this file alone.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import type { CursorBinding } from '#lib/dynamo/cursor.ts';
import { startLocalKms } from '#test/support/local-kms.ts';

let cursors: typeof import('#lib/dynamo/cursor.ts');
beforeAll(async () => {
  vi.resetModules();
  await startLocalKms();
  cursors = await import('#lib/dynamo/cursor.ts');
});
afterAll(() => void vi.resetModules());

const id = 'reg_01M81WCYC7PAX430MPENH5YN4T';
const moment = '2026-11-22T15:00:00.000Z';
const inWorkspace = { workspaceid: 'ws_one' };
const caller = { id: 'key_one', orgid: 'org_one' };

/** What each list binds its cursor to, and a position in it. */
const lists: Readonly<Record<string, [query: object, position: readonly (string | number)[]]>> = {
  runs: [inWorkspace, [`${moment}#${id}`]],
  rows: [{ ...inWorkspace, sort: 'created_at', tag: 'a' }, [id]],
  flows: [inWorkspace, ['flow_one']],
  history: [{ id }, [17]],
  search: [{ q: 'parcels', status: 'test' }, [1.5, id]],
  triggers: [{ ...inWorkspace, kind: 'webhook' }, [id]],
  'dead-letters': [inWorkspace, [id]],
  keys: [{}, [moment, 'key_two']],
  audit: [{ ...inWorkspace, from: moment }, [moment, moment, `${moment}#${id}`]],
};
const anyPosition = z.array(z.union([z.string(), z.number()]));

describe.each(Object.entries(lists))('a cursor of the list of %s', (list, [query, position]) => {
  const scope: CursorBinding = { list, caller, query };

  test('is read with the content that was written', async () => {
    const cursor = await cursors.writeCursor(scope, position);
    expect(await cursors.readCursor(cursor, scope, anyPosition)).toEqual(position);
  });

  test('is refused after any bit is flipped', async () => {
    const cursor = await cursors.writeCursor(scope, position);
    const accepted: string[] = [];
    for (let bit = 0; bit < cursor.length * 8; bit += 1) {
      const bytes = Buffer.from(cursor, 'latin1');
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      const flipped = bytes.toString('latin1');
      await cursors.readCursor(flipped, scope, anyPosition).then(
        () => accepted.push(flipped),
        (error) => expect(error).toMatchObject({ code: 'validation_failed' }),
      );
    }
    expect(cursor.length * 8).toBeGreaterThan(300);
    expect(accepted).toEqual([]);
  });
});
