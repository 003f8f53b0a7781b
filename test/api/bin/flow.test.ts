// `npm run flow`, as somebody who writes flows runs it.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runScript } from '#test/support/run-script.ts';
import { startUpstream, type Upstream } from '#test/support/upstream.ts';
import { readXml } from '#test/support/xml.ts';

let upstream: Upstream;
let folder: string;

beforeAll(async () => {
  upstream = await startUpstream();
  folder = await mkdtemp(join(tmpdir(), 'flow-'));
});
afterAll(async () => {
  await upstream.close();
  await rm(folder, { recursive: true });
});

/** Each is a process of its own, so they may as well start together. */
const atOnce = { concurrent: true } as const;
const triage = 'events/flows/support-triage.json';

async function flow(...args: string[]) {
  const script = runScript('flow', args, { NO_COLOR: '1', MODELS: undefined });
  script.child.stdin?.end();
  const code = await script.ended;
  return { code, printed: script.printed(), output: script.output() };
}

async function file(name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const flowFile = (name: string, nodes: object, more: object = {}) =>
  file(name, { version: 1, name: 'Test', start: Object.keys(nodes)[0], nodes, ...more });

describe('check', atOnce, () => {
  test('reports that a flow is valid, and its number of nodes', async () => {
    const one = await flowFile('one.json', { a: { type: 'end', output: {} } });
    expect((await flow('check', triage)).printed).toMatch(/ is a valid flow of 9 nodes\.$/m);
    expect((await flow('check', one)).printed).toMatch(/ is a valid flow of 1 node\.$/m);
  });

  test('warns of models that the environment does not configure', async () => {
    const path = await flowFile(
      'models.json',
      { a: { type: 'llm', prompt: 'x', next: 'b' }, b: { type: 'end', output: {} } },
      { models: { default: { model: 'fsat' } } },
    );
    const mine = { provider: 'bedrock', model: 'amazon.nova-lite-v1:0' };
    const check = async (MODELS: string | undefined) => {
      const script = runScript('flow', ['check', path], { NO_COLOR: '1', MODELS });
      expect(await script.ended).toBe(0);
      return script.printed();
    };
    expect(await check(JSON.stringify({ fast: mine }))).toContain(
      'warning /models/default/model: the tenant has no model "fsat": did you mean "fast"?',
    );
    expect(await check(undefined)).not.toContain('the tenant has no model');
  });

  test('reports a duplicate node id with its line', async () => {
    const twice = `{ "version": 1, "name": "Twice", "start": "a", "nodes": {
      "a": { "type": "end", "output": {} },
      "a": { "type": "end", "output": { "x": 1 } } } }`;
    const { code, printed } = await flow('check', await file('twice.json', twice));
    expect(code).toBe(1);
    expect(printed).toMatch(/^mistake \/nodes\/a: this name is used twice .* line 3/);
  });

  test.each([
    [
      'yaml',
      'version: 1 # the format\nname: Y\nstart: a\nnodes:\n  a: { type: end, output: {}, nxet: a }\n',
      5,
      31,
    ],
    [
      'yml',
      'version: 1\nname: Y\nstart: a\nnodes:\n  a:\n    type: end\n    output: {}\n    nxet: a\n',
      8,
      5,
    ],
    [
      'jsonc',
      '{ // the format\n"version": 1, "name": "J", "start": "a",\n"nodes": { "a": { "type": "end", "output": {},\n "nxet": 1 }, } }',
      4,
      2,
    ],
    [
      'json',
      '{ "version": 1, "name": "J", "start": "a",\n"nodes": { "a": { "type": "end", "output": {}, "nxet": 1 } } }',
      2,
      48,
    ],
  ])('reads .%s, and names the position of a mistake', async (type, text, line, column) => {
    const path = await file(`position.${type}`, text);
    const { code, printed } = await flow('check', path);
    expect(code).toBe(1);
    expect(printed).toContain('mistake /nodes/a/nxet: unknown field');
    expect(printed).toContain(`position.${type}:${line}:${column})`);
    const right = await file(`right.${type}`, text.replace(/,?\s*"?nxet"?: (1|a)/, ''));
    expect(await flow('check', right)).toMatchObject({ code: 0 });
  });

  test('names the position of what is no YAML and no JSON with comments, and of a duplicate name', async () => {
    const yaml = await flow('check', await file('broken.yaml', 'version: 1\nname: {{ x }}\n'));
    expect(yaml).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/broken\.yaml:2:8 cannot be read as YAML/),
    });
    const jsonc = await flow('check', await file('broken.jsonc', '{\n  "version" 1 }'));
    expect(jsonc).toMatchObject({
      code: 1,
      printed: expect.stringMatching(/broken\.jsonc:2:13 is not JSON/),
    });
    const twice = await flow('check', await file('twice.jsonc', '{ // a\n"name": 1,\n"name": 2 }'));
    expect(twice.printed).toMatch(/^mistake \/name: this name is used twice .* line 3/m);
  });

  test('runs, tests and draws a flow of YAML', async () => {
    const text =
      'version: 1\nname: Y\nstart: a\nnodes:\n  a: { type: end, output: { said: "{{ input.message }}" } }\n';
    const path = await file(
      'whole.yaml',
      `${text}tests:\n  - { name: t, input: { message: x }, expect: "{{ response.said = 'x' }}" }\n`,
    );
    expect(JSON.parse((await flow('run', path, '--message', 'hello')).output)).toMatchObject({
      response: { said: 'hello' },
    });
    expect((await flow('test', path)).printed).toContain('1 passed, 0 failed.');
    expect((await flow('draw', path)).output).toContain('<svg');
  });

  test('accepts a file with a byte order mark, and reports an empty file as empty', async () => {
    const marked = `\u{feff}${await readFile(triage, 'utf8')}`;
    expect(await flow('check', await file('marked.json', marked))).toMatchObject({ code: 0 });
    const { code, printed } = await flow('check', await file('empty.json', ' \n'));
    expect([code, printed]).toEqual([1, expect.stringMatching(/empty\.json is empty: expected JSON\.\n$/)]);
  });

  test('lists every mistake with its pointer, and the warnings separately', async () => {
    const nodes = { a: { type: 'end', output: { x: '{{ state.y }}' }, nxet: 'a' }, b: { type: 'walk' } };
    const { code, printed } = await flow('check', await flowFile('wrong.json', nodes));
    expect(code).toBe(1);
    expect(printed).toContain('mistake /nodes/a/nxet: unknown field');
    expect(printed).toContain('mistake /nodes/b/type: unknown node type "walk"');
    const fine = {
      q: { type: 'ask', prompt: 'Sure?', next: 'a' },
      a: { type: 'end', output: { x: '{{ state.y }}' } },
    };
    const ok = await flow('check', await flowFile('warn.json', fine));
    expect(ok.code).toBe(0);
    expect(ok.printed).toContain('warning /nodes/a/output/x: state.y never has a value');
    expect(ok.printed).toContain('warning /nodes/q: a run may pause here');
  });

  test.each([
    ['is not there', () => Promise.resolve('/nowhere/flow.json'), 'there is no such file or folder'],
    ['is not JSON', () => file('text.json', 'hello'), 'text.json:1:1 is not JSON: invalid symbol'],
    [
      'is broken JSON',
      () => file('broken.json', '{\n  "name":"x",,\n}'),
      'broken.json:2:14 is not JSON: property name expected',
    ],
  ])('reports a file that %s', async (_what, path, said) => {
    const { code, printed } = await flow('check', await path());
    expect(code).toBe(1);
    expect(printed).toContain(said);
  });
});

describe('test', atOnce, () => {
  test('passes with the tests of a sample flow', async () => {
    const { code, printed } = await flow('test', triage);
    expect(code, printed).toBe(0);
    expect(printed).toContain('✓ an order status question is answered from the order');
    expect(printed).toMatch(/\d passed, 0 failed\./);
  });

  test('fails with the expected value, the actual value and the path of the run', async () => {
    const nodes = {
      a: { type: 'transform', output: 1, next: 'b' },
      b: { type: 'end', output: { x: '{{ env.SHOP }}' } },
    };
    const tests = [{ name: 'sums up', input: {}, expect: '{{ response.x = "Toys" }}' }];
    const { code, printed } = await flow(
      'test',
      await flowFile('failing.json', nodes, { tests }),
      '--env',
      'SHOP=Books',
    );
    expect(code).toBe(1);
    expect(printed).toContain('✗ sums up');
    expect(printed).toContain('expected {{ response.x = "Toys" }}');
    expect(printed).toContain('got      {"status":"completed","response":{"x":"Books"}}');
    expect(printed).toContain('path     a → b');
    expect(printed).toContain('0 passed, 1 failed.');
  });

  test('uses a separate mock for each item of a map and each round of a loop', async () => {
    const digest = await flow('test', 'events/flows/contract-digest.json');
    expect(digest.code, digest.printed).toBe(0);
    expect(digest.printed).toContain('✓ a contract that cannot be read is named');
    const release = await flow('test', 'events/flows/press-release.json');
    expect(release.code, release.printed).toBe(0);
    expect(release.printed).toContain('✓ it is published after the changes that were asked for');
  });

  test('refuses a mock that the node could not return, and names the field', async () => {
    const nodes = {
      sort: {
        type: 'llm',
        prompt: 'x',
        output_schema: { type: 'object', properties: { kind: { enum: ['order'] } } },
      },
    };
    const tests = [{ input: {}, mocks: { sort: { kind: 'ordr' } }, expect: '{{ true }}' }];
    const { code, printed } = await flow('test', await flowFile('mistaken.json', nodes, { tests }));
    expect(code).toBe(1);
    expect(printed).toContain('/tests/0/mocks/sort/kind: expected one of "order"');
  });
});

describe('run', atOnce, () => {
  test('shows each node while it runs, and writes the result to stdout', async () => {
    const nodes = {
      say: { type: 'reply', text: 'Hello {{ input.user_variables.name }}.', next: 'call' },
      call: { type: 'http', url: `${upstream.url}/count/flow`, next: 'done' },
      done: {
        type: 'end',
        output: {
          said: '{{ input.message }}',
          n: '{{ input.user_variables.n }}',
          env: '{{ env.SHOP }}',
          event: '{{ input.event.data.id }}',
        },
      },
    };
    const path = await flowFile('run.json', nodes, { egress: [upstream.host] });
    const event = await file('event.json', { event: 'order.paid', data: { id: 7 } });
    const more = [
      '--message',
      'hi',
      '--var',
      'name=Ada',
      '--var',
      'n:=[1]',
      '--env',
      'SHOP=Books',
      '--event',
      event,
    ];
    const { code, printed, output } = await flow('run', path, ...more, '--allow-private', upstream.host);
    expect(code, printed).toBe(0);
    expect(JSON.parse(output)).toMatchObject({
      status: 'completed',
      response: { said: 'hi', n: [1], env: 'Books', event: 7 },
      error: null,
    });
    expect(printed).toContain('« Hello Ada.');
    expect(printed).toMatch(/✓ http "call" completed: GET .* answered 200 \(\d+ ms\)/);
    expect(upstream.calls('flow')).toBe(1);
  });

  test('does not reach private addresses that are not allowed', async () => {
    const nodes = { call: { type: 'http', url: `${upstream.url}/count/private` } };
    const { code, output } = await flow(
      'run',
      await flowFile('private.json', nodes, { egress: [upstream.host] }),
    );
    expect(code).toBe(1);
    expect(JSON.parse(output)).toMatchObject({
      status: 'failed',
      error: expect.stringMatching(/^call: .* \(egress\.scheme\)$/),
      failure: {
        code: 'egress.scheme',
        message: expect.stringContaining('--allow-private <host:port>'),
        node_id: 'call',
      },
    });
    expect(upstream.calls('private')).toBe(0);
  });

  test('uses the scripted model if no other is configured, and reports this', async () => {
    const nodes = {
      ask: { type: 'llm', prompt: 'Sum up: {{ input.message }}', next: 'done' },
      done: { type: 'end', output: { text: '{{ nodes.ask }}' } },
    };
    const { printed, output } = await flow(
      'run',
      await flowFile('model.json', nodes),
      '--message',
      'A long text.',
    );
    expect(printed).toContain('the scripted demo model answers');
    expect(JSON.parse(output).response.text).toContain('[demo-scripted]');
  });

  const asking = {
    who: { type: 'ask', prompt: 'Who are you?', next: 'count' },
    count: { type: 'ask', prompt: 'How many?', schema: { type: 'integer' }, next: 'done' },
    done: { type: 'end', output: { who: '{{ nodes.who }}', count: '{{ nodes.count }}' } },
  };

  test('answers the questions of the flow from the command line, in order', async () => {
    const path = await flowFile('asking.json', asking);
    const { code, output } = await flow('run', path, '--answer', 'Ada', '--answer', '3');
    expect(code).toBe(0);
    expect(JSON.parse(output).response).toEqual({ who: 'Ada', count: 3 });
  });

  test('stops at a question without an answer or with an invalid one', async () => {
    const path = await flowFile('asking.json', asking);
    const open = await flow('run', path, '--answer', 'Ada');
    expect(open.code).toBe(1);
    expect(JSON.parse(open.output)).toMatchObject({
      status: 'input_required',
      requires_input: true,
      error: 'How many?',
    });
    const wrong = await flow('run', path, '--answer', 'Ada', '--answer', 'many');
    expect(JSON.parse(wrong.output)).toMatchObject({
      status: 'refused',
      error: expect.stringContaining('integer'),
    });
  });

  test('escapes control characters in texts of a flow', async () => {
    const nodes = { say: { type: 'reply', text: 'a\u001b[2Jb\u0007\u202ec' } };
    const { printed } = await flow('run', await flowFile('hostile.json', nodes));
    expect(printed).toContain('« ab');
    for (const char of ['\u001b', '\u0007', '\u202e']) expect(printed).not.toContain(char);
  });
});

describe('draw', atOnce, () => {
  test('writes a picture of a flow, and of the path of a run', async () => {
    const log = join(folder, 'result.json');
    const picture = join(folder, 'picture.svg');
    const [plain] = await Promise.all([
      flow('draw', 'events/flows/webhook-summary.json'),
      flow('run', 'events/flows/webhook-summary.json', '--message', 'hi', '--log', log),
    ]);
    expect(readXml(plain.output).name).toBe('svg');
    const { code, printed } = await flow(
      'draw',
      'events/flows/webhook-summary.json',
      '--log',
      log,
      '-o',
      picture,
    );
    expect(code, printed).toBe(0);
    const svg = await readFile(picture, 'utf8');
    expect(readXml(svg).name).toBe('svg');
    expect(svg).toContain('The run completed after 4 steps.');
  });

  test('refuses the log of another flow, and names the first node that the flow does not have', async () => {
    const logs = [{ event: 'started', message: '', node_id: 'facts' }];
    const { code, printed, output } = await flow('draw', triage, '--log', await file('other.json', { logs }));
    expect(code).toBe(1);
    expect(printed).toContain(`is the log of another flow: it has a node "facts", which ${triage} does not`);
    expect(output).toBe('');
  });

  test('refuses a file that is not a log', async () => {
    const { code, printed } = await flow('draw', triage, '--log', await file('none.json', { nothing: 1 }));
    expect(code).toBe(1);
    expect(printed).toContain('is not the result of a run');
  });
});

describe('an invalid command', atOnce, () => {
  test.each([
    ['no command', [], /Usage: agent-flow <command> \[options\]/],
    [
      'an unknown option',
      ['check', triage, '--fast'],
      /unknown option '--fast'\n\nUsage: agent-flow check \[options\] <files...>\n`agent-flow check --help` says more\.\n$/,
    ],
    [
      'a variable without a value',
      ['run', '/nowhere/flow.json', '--var', 'name'],
      /Expected name=text or name:=json(.|\n)*Usage: agent-flow run \[options\] <file>\n/,
    ],
  ])('exits with code 2 and the usage before any file is read: %s', async (_what, args, said) => {
    const { code, printed, output } = await flow(...args);
    expect(code, printed).toBe(2);
    expect(printed).toMatch(said);
    expect(output).toBe('');
  });
});
