// A tool of the connector: what clients are shown of it, and the function that it calls.
import type {
  ContentBlock,
  InputRequiredResult,
  ServerContext,
  Tool as ToolDescription,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Request } from '#lib/http/request.ts';
import { lazy } from '#lib/lazy.ts';
import type { TraceContext } from '#lib/trace-context.ts';
import type { ToolName } from './scopes.ts';

/** One call of a tool. */
export interface ToolCall {
  readonly request: Request;
  readonly mcp: ServerContext['mcpReq'];
  /** Clients of revisions with `initialize` do not say with each request what they can do. */
  readonly era: 'legacy' | 'modern';
  /** The trace of the call: that of its `_meta` (MCP SEP-414), else that of its HTTP request. */
  readonly trace?: TraceContext | undefined;
}

/** The content is for people, the structured content for programs. */
export interface ToolAnswer {
  readonly text: string;
  readonly structured: object;
  readonly isError?: boolean;
  /** Content besides the text, such as images. */
  readonly blocks?: readonly ContentBlock[];
}

/** The client is to ask its user first, and to send the call again with the answer. */
export interface InputWanted {
  readonly inputRequired: InputRequiredResult;
}

/** The call continues as a task of the Tasks extension. */
export interface TaskCreated {
  readonly task: { readonly resultType: 'task'; readonly taskId: string; readonly status: 'working' };
}

export type ToolOutcome = ToolAnswer | InputWanted | TaskCreated;

/** A mistake that the model or its user can correct. The message is shown to both. */
export class ToolError extends Error {
  override readonly name = 'ToolError';
}

interface ToolRow<I extends z.ZodType> {
  readonly name: ToolName;
  readonly title: string;
  readonly description: string;
  readonly input: I;
  readonly output: z.ZodType;
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
  readonly call: (args: z.output<I>, call: ToolCall) => Promise<ToolOutcome>;
}

export interface Tool extends Omit<ToolRow<z.ZodType>, 'call'> {
  readonly call: (args: unknown, call: ToolCall) => Promise<ToolOutcome>;
}

/** `call` receives what `input` has parsed. */
export const defineTool = <I extends z.ZodType>(row: ToolRow<I>): Tool => ({
  ...row,
  call: async (args, call) => await row.call(args as z.output<I>, call),
});

/** The schemas are written once per process. */
export const describeTool = (tool: Tool): (() => ToolDescription) => {
  const { name, title, description, annotations } = tool;
  const schemas = lazy(() => ({
    inputSchema: toJsonSchema(tool.input),
    outputSchema: toJsonSchema(tool.output),
  }));
  return () => ({ name, title, description, annotations: { title, ...annotations }, ...schemas() });
};

/** As a client sends the values: members with defaults are optional. */
const toJsonSchema = (schema: z.ZodType): ToolDescription['inputSchema'] =>
  JSON.parse(JSON.stringify(z.toJSONSchema(schema, { io: 'input' })));
