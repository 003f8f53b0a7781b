// `npm run events` writes the sample events of `events/` from the route table and the event sources. With
// `--check` it only checks that they are up to date.
import { printEvent, sampleEvents } from '#lib/routes/sample-events.ts';
import { writeOrCheck } from './generated-files.ts';

const files = Object.entries(sampleEvents()).map(([entry, event]) => [
  `events/${entry}.json`,
  printEvent(event),
]);
writeOrCheck(Object.fromEntries(files), 'npm run events');
