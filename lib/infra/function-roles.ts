// The roles of functions. An account has 1,000 IAM roles, so functions that use much the same share one
// (docs/decisions/0075-shared-roles.md); `functionRoles: "own"` in the tenant file gives each function its own.
import type { QueueSource } from '#lib/http/event-source.ts';
import type { Use } from '#lib/http/route.ts';
import { eventSources, queueSources } from '#lib/routes/event-sources.ts';
import { routeList } from '#lib/routes/routes.ts';
import { functionId } from './function-id.ts';

interface SharedRole {
  readonly purpose: string;
  /** All that the functions of the role use. A function that uses nothing else can have it. */
  readonly uses: readonly Use[];
}

const identified = ['control.read', 'credentials.note', 'limits.count', 'signingKey.publicKey'] as const;
const listing = [...identified, 'cursorKey.derive'] as const;
const changingRuns = [
  ...listing,
  'flowKey.open',
  'flowKey.seal',
  'runs.read',
  'runs.write',
  'runQueue.send',
  'deliveryQueue.send',
] as const;

/**
 * A function has the first role with all that it uses. What is dangerous in the hands of another function is in one
 * role only: signing, what creates credentials, deleting files, assuming roles, and the keys of models.
 */
export const sharedRoles = {
  Static: {
    purpose: 'Functions without permissions, among them the one that evaluates code of flows',
    uses: [],
  },
  Reader: { purpose: 'Functions that read settings and cards', uses: [...listing, 'cards.sign'] },
  Opener: {
    purpose: 'Functions that read runs, files and flows, and write nothing but counters',
    uses: [
      ...listing,
      'flowKey.open',
      'runs.read',
      'runs.list',
      'usage.read',
      'values.list',
      'deadLetters.read',
      'files.read',
      'code.evaluate',
    ],
  },
  Author: {
    purpose: 'Functions that store builds and change which are live, and the one that rewrites stored items',
    uses: [...identified, 'flowKey.seal', 'receipts.write', 'registry.write', 'migrations.run'],
  },
  Settings: {
    purpose: 'Functions that change environments, triggers, connections, secrets and budgets',
    uses: [
      ...listing,
      'flowKey.open',
      'flowKey.seal',
      'receipts.write',
      'environments.write',
      'triggers.write',
      'triggers.advance',
      'signingSecrets.write',
      'connections.write',
      'runQueue.send',
      'waiting.take',
      'files.delete',
      'usage.read',
      'budgets.write',
    ],
  },
  Access: {
    purpose: 'Functions that change members, sessions and workspaces',
    uses: [
      ...identified,
      'invitations.write',
      'members.write',
      'members.join',
      'sessions.write',
      'credentials.end',
      'workspaces.write',
      'userPool.createAccount',
    ],
  },
  Deliverer: {
    purpose: 'Functions that deliver callbacks and telemetry, and file dead letters',
    uses: [
      'flowKey.open',
      'flowKey.seal',
      'runs.read',
      'runs.write',
      'deliveries.write',
      'deliveryQueue.send',
      'runQueue.park',
      'deadLetters.write',
      'files.read',
      'signingSecrets.read',
      'control.read',
      'cursorKey.derive',
      'connections.refresh',
      'roles.assume',
      'sinks.note',
    ],
  },
  Runs: {
    purpose: 'Functions that start, change and follow runs, and do not execute them',
    uses: [
      ...changingRuns,
      'runs.get',
      'runs.follow',
      'deadLetters.read',
      'deadLetters.write',
      'events.send',
      'values.delete',
      'files.read',
      'files.write',
      'configurationLinks.spend',
      'connections.write',
      'waiting.take',
    ],
  },
  Credentials: {
    purpose: 'Functions that issue and revoke API keys and tokens, and the one that signs cards',
    uses: [
      ...listing,
      'keys.create',
      'keys.revoke',
      'authorizations.write',
      'cardSignatures.write',
      'signingKey.sign',
    ],
  },
  Runner: {
    purpose: 'Functions that execute flows, and try their connections and sinks',
    uses: [
      ...changingRuns,
      'runQueue.park',
      'tasks.list',
      'files.read',
      'files.write',
      'values.write',
      'models.call',
      'code.evaluate',
      'cards.sign',
      'connections.refresh',
      'roles.assume',
      'budgets.write',
    ],
  },
} as const satisfies Record<string, SharedRole>;

export type SharedRoleName = keyof typeof sharedRoles;

/** These are settings, passed as variables: they need no permission. */
export const settingsOnly: ReadonlySet<Use> = new Set<Use>([
  'callbacks.call',
  'catalog.publish',
  'connectorTools.offer',
  'identityProvider.call',
  'models.list',
  'origins.allow',
  'rootAgent.find',
]);

export interface RoleMember {
  /** The id of the function. */
  readonly id: string;
  readonly uses: readonly Use[];
  /** The queue whose messages it receives. */
  readonly queue: QueueSource['source'] | undefined;
}

export const background = 'Background';

const isQueue = (name: string): name is keyof typeof queueSources => name in queueSources;

/** The recorder of the audit trail keeps a role of its own, which nothing else may have. */
const { recordAudit: _alone, authorizeConnector, ...others } = eventSources;

export const roleMembers: readonly RoleMember[] = [
  ...routeList.map(([operationId, { uses }]) => ({
    id: functionId(operationId),
    uses,
    queue: undefined,
  })),
  {
    id: functionId('authorizeConnector'),
    uses: authorizeConnector.uses,
    queue: undefined,
  },
  ...Object.entries(others).map(([name, { uses }]) => ({
    id: functionId(name),
    uses,
    queue: isQueue(name) ? queueSources[name].source : undefined,
  })),
];

const roleNames = Object.keys(sharedRoles).filter((name): name is SharedRoleName => name in sharedRoles);

/** The role of a function by what it uses. */
export function sharedRoleOf({ id, uses }: Pick<RoleMember, 'id' | 'uses'>): SharedRoleName {
  const needed = uses.filter((use) => !settingsOnly.has(use));
  const found = roleNames.find((name) => {
    const granted: readonly Use[] = sharedRoles[name].uses;
    return needed.every((use) => granted.includes(use));
  });
  if (found) return found;
  throw new Error(`${id}: no role of lib/infra/function-roles.ts has all of ${needed.join(', ')}.`);
}

export const membersOf = (name: SharedRoleName): readonly RoleMember[] =>
  roleMembers.filter((member) => sharedRoleOf(member) === name);
