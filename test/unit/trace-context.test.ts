import { describe, expect, test } from 'vitest';
import {
  attemptSpanId,
  computeSpanId,
  outgoingTrace,
  parseTraceContext,
  readRunTrace,
} from '#lib/trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const valid = `00-${traceId}-${parentId}-01`;

describe('a traceparent', () => {
  test.each([
    ['of version 00', valid, valid],
    ['that is not sampled', `00-${traceId}-${parentId}-00`, `00-${traceId}-${parentId}-00`],
    ['with a random trace id', `00-${traceId}-${parentId}-03`, `00-${traceId}-${parentId}-03`],
    ['with flags that are not known yet', `00-${traceId}-${parentId}-fd`, `00-${traceId}-${parentId}-01`],
    ['between white space', `  ${valid}\t`, valid],
    ['of a later version', `cc-${traceId}-${parentId}-01`, valid],
    ['of a later version with more members', `cc-${traceId}-${parentId}-01-what-comes`, valid],
  ])('%s is read', (_, sent, read) => {
    expect(parseTraceContext(sent)).toEqual({ traceparent: read });
  });

  test.each([
    ['nothing', undefined],
    ['an empty text', ''],
    ['the version ff', `ff-${traceId}-${parentId}-01`],
    ['more members in version 00', `${valid}-more`],
    ['a later version without a hyphen', `cc-${traceId}-${parentId}-01.more`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${parentId}-01`],
    ['a parent id of zeros', `00-${traceId}-${'0'.repeat(16)}-01`],
    ['capital letters', valid.toUpperCase()],
    ['a short trace id', `00-${traceId.slice(1)}-${parentId}-01`],
    ['no flags', `00-${traceId}-${parentId}`],
    ['two values', `${valid}, ${valid}`],
    ['another form', 'Root=1-5759e988-bd862e3fe1be46a994272793'],
    ['a line break', `${valid}\n${valid}`],
    ['very much', `${valid}${'-x'.repeat(100_000)}`],
  ])('that is %s is ignored, and its tracestate with it', (_, sent) => {
    expect(parseTraceContext(sent, 'vendor=1')).toBeUndefined();
  });
});

const stateOf = (sent: string) => parseTraceContext(valid, sent)?.tracestate;

describe('a tracestate', () => {
  test.each([
    ['one member', 'vendor=1', 'vendor=1'],
    ['members in their order, without white space between them', 'b=2 ,\ta=1', 'b=2,a=1'],
    ['empty members', 'a=1,,b=2,', 'a=1,b=2'],
    ['the key of a tenant', 'fw529a3039@dt=FfQ', 'fw529a3039@dt=FfQ'],
    ['a value with an equals sign is malformed', 'a=b=c', undefined],
    ['a key with a capital letter is malformed', 'A=1', undefined],
    ['a repeated key is malformed', 'a=1,a=2', undefined],
    ['a control character is malformed', 'a=\u0001', undefined],
    ['a member without a value is malformed', 'a', undefined],
    ['nothing', ' , ', undefined],
    ['32 members', members(32), members(32)],
    ['33 members are too many', members(33), undefined],
  ])('%s', (_, sent, read) => {
    expect(stateOf(sent)).toBe(read);
    expect(parseTraceContext(valid, sent)?.traceparent).toBe(valid);
  });

  test('is cut to 512 characters: members above 128 characters go first, then the last ones', () => {
    const long = `long=${'x'.repeat(124)}`;
    const others = Array.from({ length: 5 }, (_, n) => `k${n}=${'y'.repeat(97)}`);
    expect(stateOf([long, ...others].join(','))).toBe(others.join(','));
    const six = [...others, `k5=${'y'.repeat(97)}`];
    expect(stateOf(six.join(','))).toBe(others.join(','));
    expect(stateOf(`a=${'x'.repeat(256)},b=${'y'.repeat(256)}`)).toBeUndefined();
  });
});

function members(count: number): string {
  return Array.from({ length: count }, (_, n) => `k${n}=${n}`).join(',');
}

describe('the trace of a run', () => {
  const run = { run_id: '01890000-0000-7000-8000-00000000abcd' };

  test('is that which it has joined, with its flags', () => {
    expect(readRunTrace({ ...run, traceparent: valid })).toEqual({ traceId, parentId, flags: '01' });
  });

  test('is its own id without hyphens where it has joined none', () => {
    expect(readRunTrace(run)).toEqual({ traceId: '0189000000007000800000000000abcd', flags: '01' });
  });

  test('goes out with the attempt as its parent, and with its tracestate', () => {
    const attempt = { key: 'each.1.0.order.1', attempt: 2 };
    const sent = outgoingTrace({ ...run, traceparent: valid, tracestate: 'a=1' }, attempt);
    expect(sent).toEqual({
      traceparent: `00-${traceId}-${attemptSpanId(run.run_id, attempt)}-01`,
      tracestate: 'a=1',
    });
    expect(parseTraceContext(sent.traceparent, sent.tracestate)).toEqual(sent);
  });

  test('has ids of spans that differ by run, execution, attempt and kind, and repeat', () => {
    const ids = [
      computeSpanId('a'),
      computeSpanId('b'),
      computeSpanId('a', 'x.1'),
      computeSpanId('a', 'x.1', 'attempt', 1),
      computeSpanId('a', 'x.1', 'attempt', 2),
      computeSpanId('a', 'x.1', 'tool', 1),
      computeSpanId('a', 'x.11'),
    ];
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{16}$/);
    expect(computeSpanId('a', 'x.1', 'attempt', 1)).toBe(computeSpanId('a', 'x.1', 'attempt', 1));
  });
});
