// What those who follow a run cost, for docs/costs.md: by the minute, since they read as long as they listen.
import { memoryMegabytes } from '#lib/infra/routes.ts';
import { parseTenant } from '#lib/infra/tenant.ts';
import { runRoutes } from '#lib/routes/run-routes.ts';
import { lookAfterMs } from '#lib/run/lease-times.ts';
import { pollMsMax, watchedPollMsMax } from '#lib/run/tail.ts';
import { markdownTable } from './markdown-table.ts';
import { functionGigabyteSecond, perMillion } from './prices.ts';

interface Follower {
  readonly who: string;
  readonly pollMs: number;
}

const followers: readonly Follower[] = [
  { who: 'of a run that works, by its events (the console)', pollMs: watchedPollMsMax },
  { who: 'of a run that waits, by its events (the console)', pollMs: pollMsMax },
  { who: 'of a run, by a stream of A2A or a waiting request', pollMs: pollMsMax },
];

const minuteMs = 60_000;
const hoursInMonth = 730;
/** A minute in memory of the function, which is billed while its caller listens. */
const functionDollars =
  (memoryMegabytes[runRoutes.followRun.timeout] / 1_024) * (minuteMs / 1_000) * functionGigabyteSecond;

/** A stream begins with a request and takes and releases a permit, which are two writes. */
const streamDollars =
  (perMillion.gatewayRequest + perMillion.functionCall + 2 * perMillion.writeUnit) / 1_000_000;

/** Without the first second, in which a follower reads more often. */
function toCells({ who, pollMs }: Follower, streamMs: number): string[] {
  const reads = minuteMs / pollMs + minuteMs / lookAfterMs;
  const readDollars = (reads * perMillion.readUnit) / 1_000_000;
  const minute = readDollars + functionDollars + (streamDollars * minuteMs) / streamMs;
  return [
    who,
    `${reads}`,
    (readDollars * 1_000_000).toFixed(2),
    (minute * 1_000_000).toFixed(2),
    (minute * 60 * hoursInMonth).toFixed(2),
  ];
}

export function followerCosts(): string {
  const { runLimitSeconds } = parseTenant(
    { id: 'demo', models: { m: { provider: 'bedrock', model: 'm' } }, modelDefault: 'm' },
    'costs',
  );
  const rows = followers.map((follower) => toCells(follower, runLimitSeconds * 1_000));
  const head = ['A follower', 'read units a minute', '$ of reads', '$ per million minutes', '$ a month'];
  return [intro(runLimitSeconds), markdownTable([head, ...rows])].join('\n');
}

const intro = (runLimitSeconds: number): string => `
## Followers of a run

A follower is somebody who has a run open in the console, a client of \`GET /api/v1/runs/{workflow_id}/events\`, a stream of A2A or a request that waits. Each reads by itself, so ten cost ten times as much. A read unit is a read that finds nothing new; one that finds events takes a unit for each 4 KB. Every ${lookAfterMs / 1_000} s without an event a follower also reads the header of the run.
*Reads* are for a million minutes. The next column adds the function that holds the stream (${memoryMegabytes[runRoutes.followRun.timeout]} MB), and its request and permit (two write units) each ${runLimitSeconds} s, after which a client connects again. The last one is for one follower at any time of a month. A request that executes its run itself reads nothing; its function time is that of the run.
`;
