// Checks the flow of a file, and the agent of an agent file.
import { checkFlow } from '#lib/flow/check/check-flow.ts';
import type { Mistake, Warning } from '#lib/flow/check/mistake.ts';
import type { Flow } from '#lib/flow/definition/flow.ts';
import { describeRepeated } from '#lib/json/duplicate-keys.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { parsePointer, pointerTo } from '#lib/json/pointer.ts';
import { parseTenantModels } from '#lib/model/catalog.ts';
import { findUnknownModels } from '#lib/model/unknown-models.ts';
import { createBody } from '#lib/registry/row/row.ts';
import { describeIssue, describeIssues } from '#lib/zod-messages.ts';
import { type AgentFile, type FlowFile, readAgent } from './read-agent.ts';

/** A mistake or a warning, with its position in the file, unless a program wrote the flow. */
export interface Finding {
  readonly pointer: string;
  readonly detail: string;
  readonly code?: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

export interface CheckedFile {
  readonly file: string;
  /** Undefined if there are mistakes. */
  readonly flow: Flow | undefined;
  /** The other members of an agent file. */
  readonly body: JsonObject | undefined;
  readonly mistakes: readonly Finding[];
  /** Mistakes that are not listed. */
  readonly unlisted: number;
  readonly warnings: readonly Finding[];
}

/** Throws if the file cannot be read. */
export async function checkFile(path: string): Promise<CheckedFile> {
  const read = await readAgent(path);
  if (!('flow' in read)) return { ...checkFlowFile(read), file: read.file, body: undefined };
  const checked = checkFlowFile(read.flow);
  const mistakes = [...findAgentMistakes(read), ...checked.mistakes];
  return {
    ...checked,
    file: read.file,
    body: read.body,
    mistakes,
    flow: mistakes.length > 0 ? undefined : checked.flow,
  };
}

function checkFlowFile(read: FlowFile): Omit<CheckedFile, 'file' | 'body'> {
  const { value, repeated } = read.document;
  const checked = checkFlow(value);
  const toFinding = createFinding(read);
  const mistakes = [...repeated.map(describeRepeated), ...(checked.ok ? [] : checked.errors)].map(toFinding);
  if (!checked.ok)
    return { flow: undefined, mistakes, unlisted: checked.total - checked.errors.length, warnings: [] };
  return {
    flow: mistakes.length > 0 ? undefined : checked.flow,
    mistakes,
    unlisted: 0,
    warnings: [...checked.warnings, ...findModelWarnings(checked.flow)].map(toFinding),
  };
}

/** The service checks the same when the build is registered. The flow is checked apart. */
function findAgentMistakes(agent: AgentFile): Finding[] {
  const checked = createBody.safeParse(
    { ...agent.body, flow: {} },
    { error: (issue) => describeIssue(issue) },
  );
  const toFinding = createFinding(agent);
  return [...describeIssues(checked.error?.issues ?? [])].map(({ path, detail }) =>
    toFinding({ pointer: pointerTo(path), detail }),
  );
}

/** The models of the tenant are known if the environment configures them. */
function findModelWarnings(flow: Flow): readonly Warning[] {
  const { MODELS, MODEL_DEFAULT } = process.env;
  return MODELS === undefined ? [] : findUnknownModels(flow, parseTenantModels(MODELS, MODEL_DEFAULT));
}

const createFinding =
  ({ file, document }: Pick<FlowFile, 'file' | 'document'>) =>
  (mistake: Mistake | Warning): Finding => ({
    ...mistake,
    file,
    ...document.locate(parsePointer(mistake.pointer)),
  });
