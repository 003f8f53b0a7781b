import { CompletionContext } from '@codemirror/autocomplete';
import { json } from '@codemirror/lang-json';
import { ensureSyntaxTree } from '@codemirror/language';
import { EditorState } from '@codemirror/state';
import { expect, test } from 'vitest';
import { completeFlow } from '#lib/console/editor/completions.ts';
import { publishedSchema } from '#lib/flow/published/flow-schema.ts';

/** `|` is where the cursor is. */
async function complete(marked: string): Promise<readonly string[]> {
  const state = EditorState.create({ doc: marked.replace('|', ''), extensions: [json()] });
  ensureSyntaxTree(state, state.doc.length, 1_000);
  const schema = JSON.parse(JSON.stringify(publishedSchema()));
  const found = await completeFlow(async () => schema)(
    new CompletionContext(state, marked.indexOf('|'), true),
  );
  return found?.options.map(({ label, displayLabel = label }) => displayLabel) ?? [];
}

test.each([
  ['names of fields of the flow', '{"version":1,"|"}', ['start', 'egress'], ['version']],
  ['names of fields of a node', '{"nodes":{"a":{"type":"end", |}}}', ['output', 'title'], ['type', 'next']],
  ['a name before others', '{"nodes":{"a":{"type":"end","|"\n"title":"x"}}}', ['output'], []],
  ['names inside a node', '{"nodes":{"a":{"type":"llm","retry":{"|"}}}}', ['max_attempts'], ['prompt']],
  ['types of nodes', '{"nodes":{"a":{"type":"|"}}}', ['switch', 'end'], ['a']],
  ['nodes of the same block', '{"nodes":{"a":{"type":"switch","default":"|"},"b":{}}}', ['b'], []],
  ['nodes beside the start', '{"start":"|","nodes":{"a":{"type":"end"}}}', ['a'], []],
  ['codes of errors', '{"nodes":{"a":{"catch":[{"on":["|"]}]}}}', ['model.rate_limited', 'timeout'], []],
  ['nodes in expressions', '{"nodes":{"a":{"output":"{{ nodes.|"}}}', ['a'], []],
  ['the state', '{"state":{"paid":1},"nodes":{"a":{"output":"{{ state.|"}}}', ['paid'], ['a']],
  [
    'variables',
    '{"input":{"properties":{"id":{}}},"nodes":{"a":{"x":"{{ input.user_variables.|"}}}',
    ['id'],
    [],
  ],
  ['nothing in text', '{"nodes":{"a":{"type":"end","title":"nodes.|"}}}', [], ['a']],
])('completes %s', async (_what, marked, offered, others) => {
  const labels = await complete(marked);
  expect(labels).toEqual(expect.arrayContaining(offered));
  for (const other of others) expect(labels).not.toContain(other);
});
