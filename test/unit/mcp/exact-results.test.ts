// Responses of MCP servers, in which integers of structured content stay exact however the response is cut and sent.
import { expect, test } from 'vitest';
import { withExactResults } from '#lib/mcp/exact-results.ts';

const big = '9223372036854775807';
const found = `{"jsonrpc":"2.0","id":1,"result":{"content":[],"structuredContent":{"id":${big}}}}`;
const exact = found.replace(big, `"${big}"`);
const listed = `{"id":1,"result":{"tools":[{"inputSchema":{"maximum":${big}}}]},"note":""structuredContent""}`;

async function rewrite(type: string, chunks: readonly (string | Uint8Array)[]) {
  const counts: number[] = [];
  const body = ReadableStream.from(
    chunks.map((chunk) => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk)),
  );
  const response = new Response(body, { headers: { 'content-type': type } });
  const text = await withExactResults(response, (count) => counts.push(count)).text();
  return { text, counts };
}

test('JSON', async () => {
  expect(await rewrite('application/json; charset=utf-8', [found])).toEqual({ text: exact, counts: [1] });
});

test.each(['\n', '\r\n', '\r'])('an event, wherever it is cut, with lines that end with %j', async (end) => {
  const event = ['event: message', 'id: 7', `data: ${found}`, '', ': é', ''].join(end);
  const bytes = Buffer.from(event);
  for (let at = 0; at <= bytes.length; at += 1) {
    const { text, counts } = await rewrite('text/event-stream', [bytes.subarray(0, at), bytes.subarray(at)]);
    expect(text).toBe(`event: message\nid: 7\ndata: ${exact}\n\n: é\n`.replace('data: ', 'data:'));
    expect(counts).toEqual([1]);
  }
});

test('an event whose data has several lines', async () => {
  const lines = `data: ${found.replace(',"result"', ',\ndata: "result"')}\n\n`;
  expect(await rewrite('text/event-stream', [lines])).toEqual({ text: `data:${exact}\n\n`, counts: [1] });
});

test.each([
  ['a list of tools, whose schemas have numbers', 'application/json', listed],
  ['an event that has not ended', 'text/event-stream', `data: ${found}\n`],
  ['what is no JSON', 'application/json', `${found}}`],
  ['another type', 'text/html', found],
])('%s stays as it is', async (_what, type, text) => {
  expect(await rewrite(type, [text])).toEqual({ text, counts: [] });
});
