// The texts of the inbox.
export const words = {
  inbox: 'Inbox',
  lead: 'Runs that go on once somebody answers or stores a connection.',
  questions: 'Questions',
  connections: 'Missing connections',
  empty: 'Nothing waits for anybody',
  emptyText: 'When a flow asks a person, or needs a connection that is not stored, its run appears here.',
  open: 'Open the run',
  more: (count: number) => `The newest ${count}; others follow as soon as these are answered.`,
  olderUnknown: 'There are many runs: the oldest were not looked at.',
} as const;
