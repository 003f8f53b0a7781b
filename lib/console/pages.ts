// The pages of the console: their addresses, their places in the rail, and their code, which is loaded on first use.
import type { ComponentType } from 'react';
import type { Permission } from '#lib/access/permission.ts';
import { HomePage } from './home/home-page.tsx';
import type { IconName } from './parts/icon.tsx';
import { loadPage as load } from './shell/load-page.tsx';

interface PageName {
  readonly label: string;
  readonly icon: IconName;
}

interface Shared {
  /** In the syntax of wouter, below `/console`. */
  readonly path: string;
  readonly component: ComponentType;
  /** Without it, neither the rail nor the command palette shows the page, and its address says why. */
  readonly permission?: Permission;
}

/** The command palette has each page that is not that of one thing, the rail only some of them. */
type Page = Shared &
  (
    | { readonly rail: PageName; readonly palette?: never }
    | { readonly palette: PageName; readonly rail?: never }
    | { readonly path: `${string}/:${string}`; readonly rail?: never; readonly palette?: never }
  );

const Playground = load('playground', async () => ({
  default: (await import('./playground/playground-page.tsx')).PlaygroundPage,
}));

const workPages: readonly Page[] = [
  { path: '/', component: HomePage, rail: { label: 'Home', icon: 'home' } },
  {
    path: '/agents',
    component: load('agents', async () => ({
      default: (await import('./agents/agents-page.tsx')).AgentsPage,
    })),
    rail: { label: 'Agents', icon: 'agents' },
    permission: 'assistants.flows:read',
  },
  {
    path: '/new-agent',
    component: load('new-agent', async () => ({
      default: (await import('./editor/new-agent-page.tsx')).NewAgentPage,
    })),
    palette: { label: 'New agent', icon: 'agents' },
    permission: 'assistants.flows:create',
  },
  {
    path: '/agents/:flowid/edit',
    component: load('edit', async () => ({ default: (await import('./editor/edit-page.tsx')).EditPage })),
  },
  {
    path: '/agents/:flowid',
    component: load('agent', async () => ({ default: (await import('./agents/agent-page.tsx')).AgentPage })),
  },
  {
    path: '/agents/:flowid/builds/:build',
    component: load('build', async () => ({ default: (await import('./agents/build-page.tsx')).BuildPage })),
  },
  {
    path: '/agents/:flowid/compare',
    component: load('compare', async () => ({
      default: (await import('./agents/compare-page.tsx')).ComparePage,
    })),
  },
  {
    path: '/runs',
    component: load('runs', async () => ({ default: (await import('./runs/runs-page.tsx')).RunsPage })),
    rail: { label: 'Runs', icon: 'runs' },
    permission: 'assistants.flows:read',
  },
  {
    path: '/runs/:run',
    component: load('run', async () => ({ default: (await import('./runs/run-page.tsx')).RunPage })),
  },
  {
    path: '/inbox',
    component: load('inbox', async () => ({ default: (await import('./inbox/inbox-page.tsx')).InboxPage })),
    rail: { label: 'Inbox', icon: 'inbox' },
    permission: 'assistants.flows:read',
  },
  {
    path: '/playground',
    component: Playground,
    palette: { label: 'Playground', icon: 'agents' },
  },
  { path: '/agents/:flowid/playground', component: Playground },
  {
    path: '/triggers',
    component: load('triggers', async () => ({
      default: (await import('./triggers/triggers-page.tsx')).TriggersPage,
    })),
    rail: { label: 'Triggers', icon: 'triggers' },
    permission: 'assistants.flows:read',
  },
  {
    path: '/triggers/new',
    component: load('new-trigger', async () => ({
      default: (await import('./triggers/new-trigger-page.tsx')).NewTriggerPage,
    })),
    palette: { label: 'New trigger', icon: 'triggers' },
    permission: 'assistants.flows:create',
  },
  {
    path: '/triggers/:trigger',
    component: load('trigger', async () => ({
      default: (await import('./triggers/trigger-page.tsx')).TriggerPage,
    })),
  },
  {
    path: '/connections',
    component: load('connections', async () => ({
      default: (await import('./connections/connections-page.tsx')).ConnectionsPage,
    })),
    rail: { label: 'Connections', icon: 'connections' },
    permission: 'assistants.flows:read',
  },
  {
    path: '/connections/new',
    component: load('connection', async () => ({
      default: (await import('./connections/connection-form-page.tsx')).ConnectionFormPage,
    })),
    palette: { label: 'Store a connection', icon: 'connections' },
    permission: 'connections:write',
  },
  {
    path: '/environments',
    component: load('environments', async () => ({
      default: (await import('./environments/environments-page.tsx')).EnvironmentsPage,
    })),
    rail: { label: 'Environments', icon: 'environments' },
    permission: 'assistants.flows:read',
  },
  {
    path: '/environments/:environment',
    component: load('environment', async () => ({
      default: (await import('./environments/environment-page.tsx')).EnvironmentPage,
    })),
  },
  {
    path: '/dead-letters',
    component: load('dead-letters', async () => ({
      default: (await import('./dead-letters/dead-letters-page.tsx')).DeadLettersPage,
    })),
    palette: { label: 'Dead letters', icon: 'warning' },
    permission: 'assistants.flows:read',
  },
  {
    path: '/usage',
    component: load('usage', async () => ({ default: (await import('./usage/usage-page.tsx')).UsagePage })),
    rail: { label: 'Usage', icon: 'usage' },
    permission: 'usage:read',
  },
];

const settingsPages: readonly Page[] = [
  {
    path: '/settings',
    component: load('settings', async () => ({
      default: (await import('./settings/settings-page.tsx')).SettingsPage,
    })),
    rail: { label: 'Settings', icon: 'settings' },
  },
  {
    path: '/settings/members',
    component: load('members', async () => ({
      default: (await import('./settings/members-page.tsx')).MembersPage,
    })),
    palette: { label: 'Members', icon: 'person' },
    permission: 'members:read',
  },
  {
    path: '/settings/sessions',
    component: load('sessions', async () => ({
      default: (await import('./settings/sessions-page.tsx')).SessionsPage,
    })),
    palette: { label: 'Sessions', icon: 'lock' },
  },
  {
    path: '/settings/audit',
    component: load('audit', async () => ({
      default: (await import('./settings/audit-page.tsx')).AuditPage,
    })),
    palette: { label: 'Audit', icon: 'runs' },
    permission: 'audit:read',
  },
  {
    path: '/settings/keys',
    component: load('api-keys', async () => ({
      default: (await import('./api-keys/api-keys-page.tsx')).ApiKeysPage,
    })),
    palette: { label: 'API keys', icon: 'key' },
    permission: 'apikeys:read',
  },
  {
    path: '/settings/keys/new',
    component: load('new-api-key', async () => ({
      default: (await import('./api-keys/new-api-key-page.tsx')).NewApiKeyPage,
    })),
    palette: { label: 'New API key', icon: 'key' },
    permission: 'apikeys:create',
  },
];

/** In the order of the rail. */
export const pages: readonly Page[] = [...workPages, ...settingsPages];
