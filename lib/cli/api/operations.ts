// The operations of the API that commands use, with method and path. Their types are those of the route table, of which
// nothing is loaded here: its schemas would double the time in which a command starts. A test compares the two.
import type * as z from 'zod';
import type { OperationId, routes } from '#lib/routes/routes.ts';

export const operations = {
  createRegistryRow: 'POST /api/v1/a2a-registry',
  updateRegistryRow: 'PUT /api/v1/a2a-registry/{a2aregistryid}',
  getRegistryRow: 'GET /api/v1/a2a-registry/{a2aregistryid}',
  listRegistryRows: 'GET /api/v1/a2a-registry',
  testRegistryRow: 'POST /api/v1/a2a-registry/{a2aregistryid}/test',
  diffRegistryRow: 'GET /api/v1/a2a-registry/{a2aregistryid}/diff',
  promoteRegistryRow: 'PUT /api/v1/a2a-registry/{a2aregistryid}/promote-live',
  rollBackRegistryRow: 'POST /api/v1/a2a-registry/{a2aregistryid}/rollback',
  triggerFlow: 'POST /api/v1/ai/trigger/{workspace_id}/{trigger_id}/{environment}',
  startRun: 'POST /api/v1/ai/trigger/start/{workspace_id}/{trigger_id}/{environment}',
  acceptWebhook: 'POST /api/triggers/webhook/{flow_id}',
  listRuns: 'GET /api/v1/runs',
  getRunDetail: 'GET /api/v1/runs/{workflow_id}',
  forkRun: 'POST /api/v1/runs/{workflow_id}/fork',
  getRunTest: 'GET /api/v1/runs/{workflow_id}/test',
  followRun: 'GET /api/v1/runs/{workflow_id}/events',
  resumeRun: 'POST /api/v1/ai/trigger/resume/{workspace_id}/{workflow_id}',
  cancelRun: 'POST /api/v1/ai/trigger/cancel/{workspace_id}/{workflow_id}',
  listDeadLetters: 'GET /api/v1/dead-letters',
  redriveDeadLetter: 'POST /api/v1/dead-letters/{id}/redrive',
  redriveDeadLetters: 'POST /api/v1/dead-letters/redrive',
  dismissDeadLetter: 'DELETE /api/v1/dead-letters/{id}',
  dismissDeadLetters: 'POST /api/v1/dead-letters/dismiss',
  listUsage: 'GET /api/v1/usage',
  listBudgets: 'GET /api/v1/budgets',
  setBudget: 'PUT /api/v1/budgets',
  deleteBudget: 'DELETE /api/v1/budgets',
  getMe: 'GET /api/v1/me',
  listEnvironments: 'GET /api/v1/environments',
  getEnvironment: 'GET /api/v1/environments/{environment}',
  setEnvironment: 'PUT /api/v1/environments/{environment}',
  deleteEnvironment: 'DELETE /api/v1/environments/{environment}',
  tryTelemetry: 'POST /api/v1/environments/{environment}/telemetry/try',
  listConnections: 'GET /api/v1/connections',
  putConnection: 'PUT /api/v1/connections/{name}',
  deleteConnection: 'DELETE /api/v1/connections/{name}',
  listApiKeys: 'GET /api/v1/api-keys',
  createApiKey: 'POST /api/v1/api-keys',
  revokeApiKey: 'DELETE /api/v1/api-keys/{keyid}',
  listMembers: 'GET /api/v1/members',
  inviteMember: 'POST /api/v1/members',
  changeMember: 'PUT /api/v1/members/{userid}',
  removeMember: 'DELETE /api/v1/members/{userid}',
  listInvitations: 'GET /api/v1/invitations',
  withdrawInvitation: 'DELETE /api/v1/invitations/{invitationid}',
} as const satisfies Partial<Record<OperationId, string>>;

export type Operation = keyof typeof operations;

type Routes = typeof routes;
type Input<T> = T extends z.ZodType ? z.input<T> : undefined;

export type Params<Id extends Operation> = Input<Routes[Id]['params']>;
export type Query<Id extends Operation> = Input<Routes[Id]['query']>;
export type Body<Id extends Operation> = Input<Routes[Id]['body']>;
export type Result<Id extends Operation> = z.output<NonNullable<Routes[Id]['response']['schema']>>;
