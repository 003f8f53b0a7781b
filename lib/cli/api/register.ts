// Registers a build from an agent file, or replaces one.
import type { Flow } from '#lib/flow/definition/flow.ts';
import type { JsonObject } from '#lib/json/json.ts';
import { CommandFailure } from '../command-failure.ts';
import { programName } from '../program-name.ts';
import { requireChecked } from '../read-flow.ts';
import type { Body, Result } from './operations.ts';
import { request } from './request.ts';
import { requireWorkspace, type Target } from './target.ts';

export interface CheckedAgent {
  readonly file: string;
  readonly flow: Flow;
  /** What the agent file has beside the flow. */
  readonly body: JsonObject;
}

/** An agent file without mistakes. */
export async function readCheckedAgent(path: string, asJson: boolean): Promise<CheckedAgent> {
  const { file, flow, body } = await requireChecked(path, asJson);
  if (body) return { file, flow, body };
  throw new CommandFailure(`${file} is a flow without an agent card, so it cannot be registered.`, {
    lines: [
      `Expected an agent file, which \`${programName()} init\` writes: flowid, agent_card, and \`flow\` with the path of the flow.`,
    ],
  });
}

export type RegisteredBuild = Result<'createRegistryRow'>;

interface Registration {
  readonly idempotencyKey: string;
}

export async function registerBuild(
  target: Target,
  { flow, body }: CheckedAgent,
  { idempotencyKey }: Registration,
): Promise<RegisteredBuild> {
  const created = await request(target, 'createRegistryRow', 'Registering the build', {
    query: { workspaceid: requireWorkspace(target) },
    // The file was checked against the schema of this body.
    body: { ...body, flow } as unknown as Body<'createRegistryRow'>,
    headers: { 'idempotency-key': idempotencyKey },
  });
  return created.body;
}

/** The build must still have the version that is known. */
export async function replaceBuild(
  target: Target,
  { flow, body }: CheckedAgent,
  { a2aregistryid, version }: Pick<RegisteredBuild, 'a2aregistryid' | 'version'>,
): Promise<RegisteredBuild> {
  const { flowid: _, ...members } = body;
  const replaced = await request(target, 'updateRegistryRow', 'Replacing the build', {
    params: { a2aregistryid },
    body: { ...members, flow } as unknown as Body<'updateRegistryRow'>,
    headers: { 'if-match': `"${version}"` },
  });
  return replaced.body;
}
