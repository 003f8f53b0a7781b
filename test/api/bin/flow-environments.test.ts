// `agent-flow environments` with a service.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { newCaller, type TestCaller } from '#test/support/caller.ts';
import { newUserHome, type UserHome } from '#test/support/flow-command.ts';
import { type OtlpReceiver, startOtlpReceiver } from '#test/support/otlp-receiver.ts';

const url = 'https://collector.example/v1/traces';
let home: UserHome;
let caller: TestCaller;
beforeAll(async () => {
  home = await newUserHome();
});
afterAll(() => home.remove());
beforeEach(async () => {
  caller = await newCaller();
});

const ran = async (...args: string[]) => await home.as(caller, 'environments', ...args);

/** With the exit code 0, and --json. */
async function done(...args: string[]) {
  const result = await ran(...args, '--json');
  expect(result.code, result.printed).toBe(0);
  return result.json();
}

describe('environments', () => {
  test('get a sink, which is changed, removed and deleted', async () => {
    const sink = ['--telemetry-connection', 'sink', '--telemetry-encoding', 'protobuf'];
    expect(await done('set', 'live', '--telemetry', url, ...sink)).toMatchObject({
      pins: {},
      env: {},
      telemetry: { endpoint: url, connection: 'sink', encoding: 'protobuf' },
      version: 1,
    });
    const changed = await done('set', 'live', '--telemetry-content', 'full', '--keep-values', 'failed');
    expect(changed).toMatchObject({
      keep_values: 'failed',
      telemetry: { endpoint: url, connection: 'sink', encoding: 'protobuf', content: 'full' },
    });
    const { output } = await ran('get', 'live');
    for (const line of [/^telemetry +https:/m, /^encoding +protobuf$/m, /^last exported +\(never\)$/m])
      expect(output).toMatch(line);
    // The answer to a change has no state of the sink.
    expect((await ran('set', 'live', '--keep-values', 'failed')).output).toMatch(/^dropped runs +0$/m);
    const removed = await done('set', 'live', '--no-telemetry');
    expect(removed).not.toHaveProperty('telemetry');
    expect(removed).toMatchObject({ keep_values: 'failed', version: 4 });
    expect((await done('list')).items).toHaveLength(1);
    expect(await done('delete', 'live')).toEqual({ deleted: 'live' });
    expect((await ran('get', 'live')).code).toBe(4);
    expect((await ran('list')).printed).toContain('No environment has settings.');
  });

  test('are set by what get has printed, and by a file of YAML', async () => {
    const [json, yaml] = [join(home.folder, 'uat.json'), join(home.folder, 'uat.yaml')];
    await writeFile(yaml, `env: { SHOP: Toys }\ntelemetry: { endpoint: "${url}" }\n`);
    await done('set', 'uat', '--file', yaml);
    const read = await done('get', 'uat');
    expect(read).toMatchObject({ env: { SHOP: 'Toys' }, telemetry: { endpoint: url } });
    await writeFile(json, JSON.stringify(read));
    expect(await done('set', 'uat', '--file', json)).toMatchObject({ env: { SHOP: 'Toys' }, version: 2 });
  });

  test('keep what they have if a mistake is refused', async () => {
    await done('set', 'test', '--telemetry', url);
    const refused = await ran('set', 'test', '--telemetry', 'http://collector.example/');
    expect(refused.code).toBe(4);
    expect(refused.printed).toContain('/body/telemetry/endpoint');
    for (const args of [[], ['--file', 'x.yaml', '--telemetry', url], ['--telemetry-encoding', 'xml']])
      expect((await ran('set', 'test', ...args)).code).toBe(2);
    expect((await ran('set', 'dev', '--telemetry-content', 'full')).code).toBe(2);
    expect((await done('get', 'test')).telemetry).toEqual({ endpoint: url });
  });
});

describe('try-telemetry', () => {
  let receiver: OtlpReceiver;
  beforeEach(async () => {
    receiver = await startOtlpReceiver('protobuf');
    return () => receiver.close();
  });

  test('says what the endpoint has answered, by its exit code too', async () => {
    const sink = ['--telemetry', receiver.endpoint, '--telemetry-encoding', 'protobuf'];
    await done('set', 'live', ...sink);
    const taken = await ran('try-telemetry', 'live');
    expect([taken.code, taken.output]).toEqual([0, expect.stringMatching(/has taken the span.*status 200/)]);
    const refused = await ran('try-telemetry', 'live', '--telemetry', receiver.endpoint);
    expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('the status 415')]);
    receiver.answers.push({ status: 0, isBroken: true });
    const broken = await ran('try-telemetry', 'test', ...sink, '--json');
    expect(broken.code).toBe(1);
    expect(broken.json()).toMatchObject({ accepted: false, error: { code: 'http.network' } });
    expect(receiver.spans).toHaveLength(1);
  });

  test('needs a sink', async () => {
    const { code, printed } = await ran('try-telemetry', 'live');
    expect(code).toBe(4);
    expect(printed).toContain('the environment has no telemetry');
  });
});
