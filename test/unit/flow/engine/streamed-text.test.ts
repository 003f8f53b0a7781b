// Text that a node with `stream` sends to the caller while a model writes it: which text is sent, how it
// begins, continues and ends, and what is never sent.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { TextPiece } from '#lib/flow/engine/output.ts';
import type { Ports } from '#lib/flow/engine/ports.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { ModelAnswer, ModelRequest } from '#lib/flow/ports/model.ts';
import type { NodeCall } from '#lib/flow/ports/node-call.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { agentFlow, createFlowPort, question, resumed, says, wants } from '../agent/scripted-agents.ts';
import { checkedFlow, run, runNodes, type Script, scripted } from '../scripted.ts';

/** What a model writes piece by piece, and what it then answers; without an answer it fails. */
interface Writing {
  readonly pieces: readonly string[];
  readonly answer?: ModelAnswer;
}

/** One after the other, whoever asks. */
function writing(...all: readonly Writing[]): Script & { readonly received: TextPiece[] } {
  const left = [...all];
  const received: TextPiece[] = [];
  const model = (_request: ModelRequest, { onText }: NodeCall): ModelAnswer => {
    const { pieces, answer } = left.shift() ?? { pieces: [] };
    for (const piece of pieces) onText?.(piece);
    if (answer) return answer;
    throw new NodeError('model.unavailable', 'The line is dead.');
  };
  return { model, text: (piece) => void received.push(piece), received };
}

const begins = { append: false, last_chunk: false };
const goesOn = { append: true, last_chunk: false };
const ends = { append: true, last_chunk: true };
const whole = { append: false, last_chunk: true };
const saying = (...chunks: readonly (readonly [string, TextPiece['chunk']])[]) =>
  chunks.map(([text, chunk]) => ({ node_id: 'a', key: 'a.1', text, chunk }));
const streaming = (some: JsonObject = {}) => ({ a: { type: 'llm', prompt: 'x', stream: true, ...some } });

/** The wait between attempts is over at once. */
async function impatient(some: JsonObject, script: Script, flow: JsonObject = {}): Promise<void> {
  const recorded = scripted(script);
  const sleep: Ports['clock']['sleep'] = async (ms, signal) =>
    ms === 0 ? undefined : await recorded.clock.sleep(ms, signal);
  const ports = { ...recorded.ports, clock: { ...recorded.clock, sleep } };
  await run(checkedFlow(streaming(some), flow), recorded, { ports });
}

describe('the text of an llm with `stream`', () => {
  test('is sent in pieces, and ends with the node', async () => {
    const script = writing({ pieces: ['Once ', 'upon'], answer: says('Once upon') });
    await runNodes(streaming(), script);
    expect(script.received).toEqual(saying(['Once ', begins], ['upon', goesOn], ['', ends]));
  });

  test('is whole if the model writes it at once', async () => {
    const script = writing({ pieces: [], answer: says('Once upon') });
    await runNodes(streaming(), script);
    expect(script.received).toEqual(saying(['Once upon', whole]));
  });

  test('is the text of the node in the end, whatever was received of it before', async () => {
    const cut = writing({ pieces: ['Once'], answer: says('Once upon') });
    await runNodes(streaming(), cut);
    expect(cut.received).toEqual(saying(['Once', begins], [' upon', ends]));
    const other = writing({ pieces: ['Twice'], answer: says('Once upon') });
    await runNodes(streaming(), other);
    expect(other.received).toEqual(saying(['Twice', begins], ['Once upon', whole]));
  });

  test('begins anew with another attempt and with a fallback', async () => {
    const retry = { max_attempts: 2, delay_ms: 0, on: ['model.*'] };
    const again = writing({ pieces: ['Onc'] }, { pieces: ['Once'], answer: says('Once') });
    await impatient({ retry }, again);
    expect(again.received).toEqual(saying(['Onc', begins], ['Once', begins], ['', ends]));
    const fallback = writing({ pieces: ['Onc'] }, { pieces: [], answer: says('Once') });
    const models = { default: { model: 'big', fallback: 'small' }, small: { model: 'small' } };
    await impatient({}, fallback, { models });
    expect(fallback.received).toEqual(saying(['Onc', begins], ['Once', whole]));
  });

  test('has no last chunk when the node fails', async () => {
    const script = writing({ pieces: ['Onc'] });
    const { outcome } = await runNodes(streaming(), script);
    expect(outcome.status).toBe('failed');
    expect(script.received).toEqual(saying(['Onc', begins]));
  });

  test('too large for an output is not sent as complete', async () => {
    const script = writing({ pieces: [], answer: says('x'.repeat(300_000)) });
    const { outcome } = await runNodes(streaming(), script);
    expect(outcome).toMatchObject({ error: { code: 'value.too_large' } });
    expect(script.received).toEqual([]);
  });

  test('put together is always the output of the node', async () => {
    const pieces = fc.array(fc.string({ minLength: 1 }), { maxLength: 5 });
    const attempts = fc.array(pieces, { maxLength: 3 });
    const rest = fc.oneof(fc.constant(''), fc.string());
    const retry = { max_attempts: 5, delay_ms: 0, on: ['model.*'] };
    await fc.assert(
      fc.asyncProperty(attempts, pieces, rest, fc.boolean(), async (failed, written, unheard, isOther) => {
        const answer = isOther ? unheard : written.join('') + unheard;
        const last = { pieces: written, answer: says(answer) };
        const script = writing(...failed.map((each) => ({ pieces: each })), last);
        await impatient({ retry }, script);
        const text = script.received.reduce(
          (before, { chunk, text }) => (chunk?.append ? before + text : text),
          '',
        );
        expect(text).toBe(answer);
        expect(script.received[0]?.chunk?.append).toBe(false);
        expect(script.received.map(({ chunk }) => chunk?.last_chunk).indexOf(true)).toBe(
          script.received.length - 1,
        );
      }),
    );
  });
});

test('the text of a node without `stream` is never sent to the caller', async () => {
  for (const node of [{ type: 'llm', prompt: 'x' }, streaming({ stream: false }).a]) {
    const script = writing({ pieces: ['canary'], answer: says('canary') });
    await runNodes({ a: node }, script);
    expect(script.received).toEqual([{ node_id: 'a', key: 'a.1', text: 'canary' }]);
  }
});

test('texts written concurrently are distinguished by the keys of their executions, at each', async () => {
  const body = { start: 'a', nodes: streaming() };
  const nodes = {
    each: { type: 'map', items: '{{ [1, 2] }}', body, next: 'both' },
    both: { type: 'parallel', branches: { one: { start: 'b', nodes: { b: streaming().a } } }, next: 'end' },
    end: { type: 'end', output: {} },
  };
  const script = writing(...['A', 'B', 'C'].map((answer) => ({ pieces: [answer], answer: says(answer) })));
  await runNodes(nodes, script);
  const firsts = script.received.filter(({ chunk }) => chunk?.append === false);
  expect(firsts.map(({ key, text }) => [key, text])).toEqual([
    ['each.1.0.a.1', 'A'],
    ['each.1.1.a.1', 'B'],
    ['both.1.one.b.1', 'C'],
  ]);
});

describe('the text of an agent with `stream`', () => {
  const child = { name: 'translator', description: 'Translates.', instructions: 'Translate.' };
  const toTranslator = { ...wants(['translator', { message: 'Hi' }]), output: 'I ask.' };

  test('is that of its last turn; the text of its child agents is not sent', async () => {
    const script = writing(
      { pieces: ['I ', 'ask.'], answer: toTranslator },
      { pieces: ['canary'], answer: says('canary') },
      { pieces: ['Salut'], answer: says('Salut') },
    );
    const recorded = scripted(script);
    await run(agentFlow({ stream: true, agents: [child] }), recorded, question);
    const received = script.received.map(({ text, chunk }) => [text, chunk]);
    expect(received).toEqual([
      ['I ', begins],
      ['ask.', goesOn],
      ['canary', undefined],
      ['Salut', begins],
      ['', ends],
    ]);
    expect(new Set(script.received.map(({ key }) => key))).toEqual(new Set(['work.1']));
  });

  test('begins anew when a run resumes that was interrupted before its last turn', async () => {
    const first = writing(
      { pieces: ['I ask.'], answer: toTranslator },
      { pieces: [], answer: says('Salut') },
      { pieces: ['Sal'] },
    );
    const flow = agentFlow({ stream: true, agents: [child] });
    const recorded = scripted(first);
    await run(flow, recorded, question);
    const snapshot = JSON.parse(recorded.snapshots.at(-1) ?? '');
    const second = writing({ pieces: ['Salut'], answer: says('Salut') });
    await resumed(flow, { status: 'yielded', snapshot }, second);
    expect(second.received.map(({ text, chunk }) => [text, chunk])).toEqual([
      ['Salut', begins],
      ['', ends],
    ]);
  });
});

describe('the text of a called flow', () => {
  const inner = checkedFlow(streaming());
  const calling = (flowid: string, stream: boolean) => ({ call: { type: 'flow', flowid, stream } });
  const reportedBy = async (outer: boolean, middle: boolean) => {
    const script = writing({ pieces: ['A'], answer: says('A') });
    const { port } = createFlowPort({ inner, middle: checkedFlow(calling('inner', middle)) });
    await runNodes(calling('middle', outer), { ...script, flows: port });
    return script.received.map(({ key, text, chunk }) => [key, text, chunk]);
  };
  const key = 'call.1.flow.call.1.flow.a.1';

  test('is passed on if every flow in the chain of calls streams it, and only then', async () => {
    expect(await reportedBy(true, true)).toEqual([
      [key, 'A', begins],
      [key, '', ends],
    ]);
    const forWatchers = [[key, 'A', undefined]];
    expect(await reportedBy(true, false)).toEqual(forWatchers);
    expect(await reportedBy(false, true)).toEqual(forWatchers);
  });

  test('is not passed on by an agent that uses the flow as a tool', async () => {
    const tools = [{ flow: 'inner', name: 'ask', description: 'Asks.' }];
    const script = writing(
      { pieces: [], answer: wants(['ask', { message: 'Hi' }]) },
      { pieces: ['canary'], answer: says('canary') },
      { pieces: ['Fine'], answer: says('Fine') },
    );
    const recorded = scripted({ ...script, flows: createFlowPort({ inner }).port });
    await run(agentFlow({ stream: true, tools }), recorded, question);
    expect(script.received.filter(({ chunk }) => chunk).map(({ text }) => text)).toEqual(['Fine', '']);
  });
});
