// The texts about the values of executions, and about runs that run again.
export const valueWords = {
  title: 'Input and output',
  show: 'Show input and output',
  audited: 'Whoever reads them is in the audit trail.',
  noPermission: 'Input and output are shown to those who have the permission runs:inspect.',
  environments: 'Settings of the environments',
  input: 'Input',
  output: 'Output',
  assigned: 'Variables that it has set',
  error: 'Error',
  system: 'system',
  answer: 'answer',
  toolCalls: 'Tools that were called',
  modelCall: (n: number) => `Call ${n} of a model`,
  tokens: (input: string, output: string) => `${input} → ${output} tokens`,
  earlier: (count: number) =>
    count === 1
      ? 'One message of the call before comes first.'
      : `${count} messages of the call before come first.`,
  leftOut: (parts: string) => `Too large to be kept whole: ${parts}.`,
  anyBuild: 'The build that the environment has now',
  buildOf: (number: number, status: string) => `Build ${number} (${status})`,
  asItWas: 'The event and the files of the run are sent again as they were.',
  notKept: 'The run did not keep its input. Give it another to run the flow again.',
  saveAsTest: 'Save as test',
  saveText:
    'An entry for the tests of the flow. What came from outside is in it as mocks, answers and events, so the test passes with this build and needs no network. Whoever reads it is in the audit trail.',
  download: 'Download',
  testOf: 'Test',
  close: 'Close',
  replayOf: 'Runs again:',
  replays: 'Was run again by:',
} as const;
