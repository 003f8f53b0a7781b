// The texts of the page about dead letters.
export const words = {
  deadLetters: 'Dead letters',
  lead: 'Events and runs that could not be run, by their reasons. Redrive them once the cause is fixed.',
  none: 'No dead letters',
  noneText: 'Events that cannot be run, such as those of a flow without a live build, appear here.',
  noMatches: 'No dead letter matches these filters',
  flowFilter: 'Flow id',
  event: 'Event',
  flow: 'Flow',
  failures: 'Failures',
  seen: 'Last failed',
  preview: 'Beginning of the event',
  attempts: (count: number) => (count === 1 ? 'failed once' : `failed ${count} times`),
  redriven: 'Redriven',
  noFlow: 'no flow',
  run: 'Run',
  choose: (id: string) => `Choose ${id}`,
  chooseAll: (reason: string) => `Choose all: ${reason}`,
  redrive: 'Redrive',
  redriveChosen: (count: number) => `Redrive ${count} chosen`,
  redriving: (done: number, count: number) => `${done} of ${count}`,
  redriveDone: (count: number) =>
    count === 1 ? 'It is in the queue again' : `${count} are in the queue again`,
  alreadyQueued: 'They were in the queue already',
  redriveAll: 'Redrive all',
  redriveAllOf: (reason: string) => `Redrive all: ${reason}`,
  dismissAll: 'Dismiss all',
  dismissAllTitle: 'Dismiss all dead letters with this reason?',
  allDismissed: 'All were dismissed',
  redriveFailed: (count: number) =>
    count === 1
      ? 'It could not be redriven, and is chosen still:'
      : `${count} could not be redriven, and are chosen still:`,
  dismiss: 'Dismiss',
  dismissTitle: 'Dismiss this dead letter?',
  dismissText: 'Its content is deleted, and it can never be run.',
  dismissChosen: (count: number) => `Dismiss ${count} chosen`,
  dismissChosenTitle: (count: number) =>
    count === 1 ? 'Dismiss this dead letter?' : `Dismiss ${count} dead letters?`,
  dismissChosenText: 'Their content is deleted, and they can never be run.',
  dismissDone: (count: number) => (count === 1 ? 'It was dismissed' : `${count} were dismissed`),
  dismissed: 'It was dismissed',
} as const;
