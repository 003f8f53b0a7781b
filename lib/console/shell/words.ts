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
  noWorkspace: 'Your organisation has no workspace with a name',
  noWorkspaceText: 'Create one with POST /api/v1/workspaces, or give an existing one a name; then reload.',
  notFound: 'There is no such page',
  notFoundText: 'The address may be mistyped, or the page has moved.',
  goHome: 'Go to the home page',
} as const;
