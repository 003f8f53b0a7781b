// Our Protocol Buffers, read by another implementation with the files that OpenTelemetry publishes.
import { describe, expect, test } from 'vitest';
import { type ExportRequest, toExportRequest, toOtlpSpan } from '#lib/telemetry/otlp.ts';
import { decodeAnswer, encodeExportRequest } from '#lib/telemetry/protobuf.ts';
import {
  decodeExport,
  decodeExportAsJson,
  encodeResponse,
  encodeStatus,
} from '#test/support/otlp-protobuf.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const root = {
  spanId: '00f067aa0ba902b7',
  name: 'invoke_workflow ünïcode 🎉',
  kind: 2,
  // Its nanoseconds are more than a number holds exactly.
  startMs: 1_795_869_903_123,
  endMs: 1_795_869_903_999,
  attributes: {
    runId: '',
    isReused: false,
    runInputTokens: Number.MAX_SAFE_INTEGER,
    attempt: -1,
    runOutputTokens: 0,
    runCost: 0.1,
  },
} as const;
const failed = {
  ...root,
  spanId: 'ffffffffffffff00',
  parentId: root.spanId,
  kind: 5,
  attributes: {},
  error: { code: 'http.503', message: 'secret' },
} as const;

const newRequest = (): ExportRequest =>
  toExportRequest(
    { environment: 'live', orgid: 'acme' },
    [root, failed].map((span) => toOtlpSpan(span, traceId, false)),
  );

describe('an export request', () => {
  test('says in Protocol Buffers what it says in JSON', () => {
    const request = newRequest();
    expect(decodeExportAsJson(encodeExportRequest(request))).toEqual(JSON.parse(JSON.stringify(request)));
  });

  test('has ids as bytes, times as 64 bits, enumerations as numbers, and attributes of attributes', () => {
    const base64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
    const resource = {
      attributes: expect.arrayContaining([
        { key: 'service.name', value: { stringValue: 'agent-flow-service' } },
      ]),
    };
    const [first, second] = [
      {
        traceId: base64(traceId),
        spanId: base64(root.spanId),
        kind: 2,
        startTimeUnixNano: '1795869903123000000',
        endTimeUnixNano: '1795869903999000000',
        attributes: [
          { key: 'agent_flow.run_id', value: { stringValue: '' } },
          { key: 'agent_flow.reused', value: { boolValue: false } },
          { key: 'agent_flow.input_tokens', value: { intValue: '9007199254740991' } },
          { key: 'agent_flow.attempt', value: { intValue: '-1' } },
          { key: 'agent_flow.output_tokens', value: { intValue: '0' } },
          { key: 'agent_flow.cost_usd', value: { doubleValue: 0.1 } },
        ],
        status: {},
      },
      { parentSpanId: base64(root.spanId), kind: 5, status: { code: 2, message: 'http.503' } },
    ];
    expect(decodeExport(encodeExportRequest(newRequest()))).toMatchObject({
      resourceSpans: [{ resource, scopeSpans: [{ spans: [first, second] }] }],
    });
  });
});

describe('an answer', () => {
  test('that refuses spans is read', () => {
    const partialSuccess = { rejectedSpans: '3', errorMessage: 'too old' };
    expect(decodeAnswer(encodeResponse({ partialSuccess }), true)).toEqual({ partialSuccess });
  });

  test('with an error is read', () => {
    const status = { code: 3, message: 'no such project' };
    expect(decodeAnswer(encodeStatus(status), false)).toEqual(status);
  });

  test('without content has taken everything', () => {
    expect(decodeAnswer(new Uint8Array(), true)).toEqual({});
  });

  test('is nothing where it is no message, or one that is cut off', () => {
    const bytes = encodeResponse({ partialSuccess: { errorMessage: 'too old' } });
    for (const each of [Buffer.from('<html>'), bytes.subarray(0, -1), Buffer.alloc(200, 0xff)])
      expect(decodeAnswer(each, true)).toBeUndefined();
  });

  test('may have fields that are not known here', () => {
    const known = encodeStatus({ code: 3, message: 'no' });
    // A list of `details`, the third field of google.rpc.Status.
    const details = Buffer.from([0x1a, 0x02, 0x0a, 0x00]);
    expect(decodeAnswer(Buffer.concat([known, details]), false)).toEqual({ code: 3, message: 'no' });
  });
});
