// docs/drills.md: what became of each fault and of its cure.
import { notDrilled } from './drills.ts';
import { procedures } from './procedures.ts';
import type { Transcript } from './transcript.ts';

const head = `# Failure drills

For each [runbook](operations.md#alarms), the fault that it is about is made in a local host with the deployed template, and the cure is followed as written. \`npm run drills\` does it and writes this page; \`.ci/run\` compares the page with what happens. What is injected are answers of AWS, as a proxy in front
of DynamoDB gives them, a disabled key, invalid items and late clocks. Metrics that the functions print are counted from their lines. Metrics of AWS itself (errors of Lambda, messages of SQS, throttles of DynamoDB) are not emulated; there the page has what they would count. [Procedures](#change-the-address) that no alarm asks for are at the end.
`;

const anchor = (runbook: string): string => runbook.toLowerCase().replaceAll(' ', '-');
const linkTo = (runbook: string, text: string): string =>
  `[${text}](${procedures[runbook]?.page ?? 'operations.md'}#${anchor(runbook)})`;

const section = (runbook: string, { fault, seen, cure, after }: Transcript): string =>
  [
    `## ${runbook}`,
    '',
    `Runbook: ${linkTo(runbook, runbook.toLowerCase())}.`,
    '',
    `- **Fault.** ${fault}`,
    `- **Seen.** ${seen.join(' ')}`,
    `- **Cure.** ${cure}`,
    `- **After.** ${after.join(' ')}`,
    '',
  ].join('\n');

/** The transcripts by runbook, in the order of the page. */
export const drillsPage = (transcripts: Readonly<Record<string, Transcript>>): string =>
  [
    head,
    ...Object.entries(transcripts).map(([runbook, transcript]) => section(runbook, transcript)),
    '## Not drilled here',
    '',
    ...Object.entries(notDrilled).map(([runbook, reason]) => `- ${linkTo(runbook, runbook)}: ${reason}.`),
    '',
  ].join('\n');
