// The texts of the home page.

/** Whose runs are counted. */
export const countedDays = 7;

export const words = {
  home: 'Home',
  lead: 'What is live, what has happened, and what waits for you.',
  agents: 'Live agents',
  noAgents: 'No agent is live',
  noAgentsText: 'Register a build of a flow and promote it; it then has an address that others can call.',
  callAgentsText: 'Your role calls agents; it shows no runs and no settings.',
  recent: 'Last runs',
  noRuns: 'No runs yet',
  noRunsText: 'Call an agent, or start a flow: its runs appear here at once.',
  allRuns: 'All runs',
  byStatus: 'Runs by status',
  counted: (runs: string) => `Last ${countedDays} days: ${runs} ${runs === '1' ? 'run' : 'runs'}`,
  countedSince: (runs: string, time: string) => `The newest ${runs} runs, since ${time}`,
  waiting: 'Waits for you',
  nothingWaits: 'Nothing waits for anybody',
  inbox: 'Inbox',
  failed: 'Failed in 24 hours',
  allFailed: 'All that failed',
  nothingFailed: 'No failures in the last 24 hours',
  more: (count: number) => `The newest ${count}; there are more.`,
  olderUnknown: 'There are many runs: the oldest were not looked at.',
  run: (flowid: string, status: string) => `${flowid}: ${status}`,
  talk: (name: string) => `Talk to ${name}`,
  skills: (count: number) => `${count} ${count === 1 ? 'skill' : 'skills'}`,
} as const;
