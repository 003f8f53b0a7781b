// The texts of the frame around the pages.
export const words = {
  skip: 'Skip to the page',
  home: 'Agent Flow, home',
  pages: 'Pages',
  workspace: 'Workspace',
  account: 'Account',
  theme: 'Theme',
  themes: { system: 'As the device', light: 'Light', dark: 'Dark' },
  signOut: 'Sign out',
  notFound: 'There is no such page',
  notFoundText: 'The address may be mistyped, or the page has moved.',
  goHome: 'Go to the home page',
} as const;
