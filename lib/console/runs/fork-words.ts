// The texts about runs that begin at a node of another one.
export const forkWords = {
  fork: 'Fork from here',
  forkAt: (execution: string) => `Fork from here, ${execution}`,
  title: (execution: string) => `Fork this run from ${execution}?`,
  text: 'A new run begins at this node, with the input of this run, and the outputs and variables that were kept of the nodes before. None of them is executed again; what comes after is, with its effects.',
  outputs: 'Outputs to replace, a JSON object',
  outputsHint:
    'Of nodes before this one, by their ids: {"order": {"items": 2}}. Nodes in between are not executed again.',
  state: 'Variables to replace, a JSON object',
  stateHint: 'Also those that were set from an output which is replaced.',
  notAnObject: 'expected a JSON object',
  forkOf: 'Fork of:',
  at: (execution: string) => `at ${execution}`,
  forks: 'Was forked by:',
  reused: 'not executed',
  reusedText: 'It was not executed: the run began after it, with its output.',
  otherRun: 'The run that it forks',
} as const;
