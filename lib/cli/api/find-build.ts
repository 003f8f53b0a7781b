// Finds the build that a command line names: `reg_…`, `flow@3` by its number, `flow@live`, `flow@latest`, or `flow` alone
// for the one that the command is usually about.
import { CommandFailure, wrongUsage } from '../command-failure.ts';
import { exitCodes } from '../exit-codes.ts';
import { programName } from '../program-name.ts';
import type { Result } from './operations.ts';
import { request } from './request.ts';
import { requireWorkspace, type Target } from './target.ts';

export type Build = Result<'listRegistryRows'>['items'][number];

type Usual = 'live' | 'latest';

/** Only the id, without a request if the reference is one. */
export async function findBuildId(target: Target, reference: string, usual: Usual): Promise<string> {
  if (reference.startsWith('reg_')) return reference;
  return (await findByFlow(target, reference, usual)).a2aregistryid;
}

export async function findByFlow(target: Target, reference: string, usual: Usual): Promise<Build> {
  const [flowid = '', version = usual] = reference.split('@');
  if (!flowid || !/^(live|latest|[1-9]\d*)$/.test(version))
    throw wrongUsage(`${reference} does not name a build: expected reg_…, flow@3, flow@live or flow@latest.`);
  for await (const build of listBuilds(target, {
    flowid: [flowid],
    ...(version === 'live' && { status: ['live'] }),
  }))
    if (version === 'live' || version === 'latest' || build.build_no === Number(version)) return build;
  const which = /^\d/.test(version) ? `no build ${version}` : `no ${version === 'live' ? 'live ' : ''}build`;
  throw new CommandFailure(`The flow ${flowid} has ${which} in the workspace ${requireWorkspace(target)}.`, {
    exitCode: exitCodes.refused,
    lines: [`\`${programName()} builds\` lists what there is.`],
  });
}

interface Filters {
  readonly flowid?: string[];
  readonly status?: ('live' | 'test')[];
}

/** Newest first, of any number of pages. */
export async function* listBuilds(target: Target, filters: Filters): AsyncGenerator<Build> {
  const query = { workspaceid: requireWorkspace(target), ...filters };
  for (let cursor: string | undefined, isLast = false; !isLast; ) {
    const { body } = await request(target, 'listRegistryRows', 'Listing the builds', {
      query: { ...query, ...(cursor !== undefined && { cursor }) },
    });
    yield* body.items;
    cursor = body.nextCursor;
    isLast = cursor === undefined;
  }
}
