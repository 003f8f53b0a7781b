// Reads the file of an agent: the body that registers a build, in which `flow` may be the path of the file with the flow.
// A folder stands for the agent file in it.
import { statSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { JsonObject } from '#lib/json/json.ts';
import { type ReadDocument, readDocument } from './read-document.ts';

export interface AgentFile {
  readonly file: string;
  readonly document: ReadDocument;
  /** All members but the flow. */
  readonly body: JsonObject;
  readonly flow: FlowFile;
}

export interface FlowFile {
  readonly file: string;
  readonly document: ReadDocument;
}

const agentFiles = ['yaml', 'yml', 'json', 'jsonc'].map((format) => `agent.${format}`);

/** The agent file of a folder; other paths stay as they are. */
export function findFile(path: string): string {
  const state = statSync(path, { throwIfNoEntry: false });
  if (!state?.isDirectory()) return path;
  const found = agentFiles
    .map((name) => join(path, name))
    .find((file) => statSync(file, { throwIfNoEntry: false }));
  if (found !== undefined) return found;
  throw new Error(`${path} has no agent file: expected one of ${agentFiles.join(', ')}.`);
}

/** A file has an agent or a flow. */
export async function readAgent(path: string): Promise<AgentFile | FlowFile> {
  const file = findFile(path);
  const document = await readDocument(file);
  if (!isAgent(document.value)) return { file, document };
  const { flow, ...body } = document.value;
  if (typeof flow !== 'string')
    return { file, document, body, flow: { file, document: below(document, flow) } };
  const flowFile = isAbsolute(flow) ? flow : join(dirname(file), flow);
  return { file, document, body, flow: { file: flowFile, document: await readDocument(flowFile) } };
}

/** A flow has nodes, and no card. */
const isAgent = (value: unknown): value is JsonObject =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  ('agent_card' in value || 'flowid' in value) &&
  !('nodes' in value);

/** The flow inside of an agent file, with its positions there. */
const below = ({ locate, repeated }: ReadDocument, value: unknown): ReadDocument => ({
  value,
  locate: (path) => locate(['flow', ...path]),
  repeated: repeated.flatMap(({ path: [first, ...path], line }) =>
    first === 'flow' ? [{ path, line }] : [],
  ),
});
