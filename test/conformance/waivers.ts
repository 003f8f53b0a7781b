// The scenarios that may fail, each with its reason. The program also fails if one of them passes.

export const revisions = ['2026-07-28', '2025-11-25'] as const;
export type Revision = (typeof revisions)[number];

/** By scenario. */
export type Waivers = Readonly<Record<string, string>>;

export const waivers: Readonly<Record<Revision, Waivers>> = {
  '2026-07-28': {},
  // Both are warnings, and the second one does not count for the revision.
  '2025-11-25': {
    'server-sse-multiple-streams':
      'the scenario needs the id of a session, and the server keeps none: any request may reach any process',
    'server-sse-polling':
      'a stream that is resumed needs stored events. Here the task is stored: its id gives the result',
  },
};
