// The texts of the frame around the pages.
export const words = {
  skip: 'Skip to the page',
  home: 'Agent Flow, home',
  pages: 'Pages',
  workspace: 'Workspace',
  account: 'Account',
  theme: 'Theme',
  themes: { system: 'As the device', light: 'Light', dark: 'Dark' },
  licences: 'Licences',
  signOut: 'Sign out',
  noWorkspace: 'Your organisation has no workspace yet',
  isMember: (name: string, orgid: string) => `You are signed in as ${name}, a member of ${orgid}.`,
  createWorkspace: 'Create a workspace',
  askForWorkspace: 'Agents, runs and settings are in workspaces. Ask an owner of the organisation for one.',
  workspaceName: 'Name',
  workspaceNameHint: 'For people, such as Customer support.',
  workspaceId: 'Id',
  workspaceIdHint:
    'Optional, and never changes; such as ws_support. The id of a workspace that programs use already gives that one the name.',
  notAllowed: 'Your role does not allow this page',
  notAllowedText: (permission: string) =>
    `It needs the permission ${permission} in this workspace. Owners give roles on the page about members.`,
  notFound: 'There is no such page',
  notFoundText: 'The address may be mistyped, or the page has moved.',
  goHome: 'Go to the home page',
} as const;
