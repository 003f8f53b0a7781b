// The result of an MCP tool as the engine wants it: structured content if there is some, else the text, else the blocks as they came.
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { Connected } from '#lib/connection/connection-fetch.ts';
import { valueWithoutSecrets } from '#lib/egress/redact.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { McpAnswer } from '#lib/flow/ports/mcp.ts';
import { isDeeperThan } from '#lib/json/depth.ts';
import { type Json, json } from '#lib/json/json.ts';

export function answerOf(result: CallToolResult, host: string, hide: Connected['hide']): McpAnswer {
  const content = contentOf(result);
  if (isDeeperThan(content, limits.valueDepth)) {
    const message = `The answer of ${host} is nested deeper than ${limits.valueDepth} levels.`;
    throw new NodeError('mcp.bad_answer', message);
  }
  return { content: valueWithoutSecrets(json.parse(content), hide), isError: result.isError === true };
}

function contentOf({ structuredContent, content }: CallToolResult): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const texts: string[] = [];
  for (const block of content) {
    if (block.type !== 'text') return content satisfies readonly unknown[];
    texts.push(block.text);
  }
  return texts.join('\n') satisfies Json;
}
