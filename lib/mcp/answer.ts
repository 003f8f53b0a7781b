// Converts the result of an MCP tool: structured content if there is any, else the text, else the content
// blocks unchanged.
import type { CallToolResult } from '@modelcontextprotocol/client';
import type { ConnectionFetch } from '#lib/connection/authorized-fetch.ts';
import { redactValue } from '#lib/egress/redact.ts';
import { limits } from '#lib/flow/format/limits.ts';
import { NodeError } from '#lib/flow/format/node-error.ts';
import type { McpAnswer } from '#lib/flow/ports/mcp.ts';
import { isDeeperThan } from '#lib/json/depth.ts';
import { type Json, json } from '#lib/json/json.ts';

export function toMcpAnswer(
  result: CallToolResult,
  host: string,
  redact: ConnectionFetch['redact'],
): McpAnswer {
  const content = toContent(result);
  if (isDeeperThan(content, limits.valueDepth)) {
    const message = `The answer of ${host} is nested deeper than ${limits.valueDepth} levels.`;
    throw new NodeError('mcp.bad_answer', message);
  }
  return { content: redactValue(json.parse(content), redact), isError: result.isError === true };
}

function toContent({ structuredContent, content }: CallToolResult): unknown {
  if (structuredContent !== undefined) return structuredContent;
  const texts: string[] = [];
  for (const block of content) {
    if (block.type !== 'text') return content satisfies readonly unknown[];
    texts.push(block.text);
  }
  return texts.join('\n') satisfies Json;
}
