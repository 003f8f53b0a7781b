// The table of contents of the documentation: every page is in one section. The pages are those of the repository, which
// people also read there.
export interface Section {
  readonly title: string;
  /** Paths in the repository; a name with `*` has all pages that match it. */
  readonly pages: readonly string[];
  /** Folded until a page of it is open. */
  readonly isFolded?: true;
}

export const sections: readonly Section[] = [
  {
    title: 'Begin',
    pages: ['README.md', 'docs/tutorial.md', 'docs/console.md', 'docs/cli.md', 'docs/local.md'],
  },
  {
    title: 'Write flows',
    pages: ['docs/flows.md', 'docs/patterns.md', 'docs/input.md', 'docs/jsonata.md', 'docs/package.md'],
  },
  { title: 'Node types', pages: ['docs/flows/*.md'], isFolded: true },
  {
    title: 'Call the service',
    pages: ['docs/api-guide.md', 'docs/webhooks.md', 'docs/files.md', 'docs/a2a.md', 'docs/connect.md'],
  },
  {
    title: 'Secure it',
    pages: ['docs/security.md', 'docs/roles.md', 'docs/threat-model.md', 'docs/data-model.md', 'SECURITY.md'],
  },
  {
    title: 'Run it on AWS',
    pages: [
      'docs/operations.md',
      'docs/telemetry.md',
      'docs/costs.md',
      'docs/aws-calls.md',
      'docs/scale.md',
      'docs/drills.md',
      'docs/aws-limits.md',
      'docs/sam.md',
    ],
  },
  { title: 'Develop it', pages: ['docs/architecture.md', 'CONTRIBUTING.md', 'CHANGELOG.md'] },
  { title: 'Decisions', pages: ['docs/decisions/*.md'], isFolded: true },
];
