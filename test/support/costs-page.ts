// Writes docs/costs.md: the cost of a million requests or messages of each kind, from their measured calls and capacity
// units. It contains no measured durations, since they would change with each run.
import { memoryMegabytes as signerMegabytes } from '#lib/infra/card-signer.ts';
import { memoryMegabytes } from '#lib/infra/routes.ts';
import { queueSources } from '#lib/routes/event-sources.ts';
import { type OperationId, routes } from '#lib/routes/routes.ts';
import type { Cost, QueueName } from './call-cost.ts';
import { followerCosts } from './follower-costs.ts';
import { markdownTable } from './markdown-table.ts';
import { functionGigabyteSecond, perMillion, pricesAsOf } from './prices.ts';

/** A request, a message of a queue, or an invocation for which the column *Lambda* of a request has paid. */
export type Priced = Cost &
  (
    | { readonly operation: OperationId; readonly hasVaryingUnits: boolean }
    | { readonly queue: QueueName }
    | { readonly invoked: 'signCard' }
  );

const stepMilliseconds = 10;
const counted = ['read units', 'write units', 'KMS', 'signatures', 'SQS', 'Lambda', '$ per million'];
const step = `$ per ${stepMilliseconds} ms`;

/** `standing` is the section of `standing-costs.ts`. */
export function costsPage(measured: Readonly<Record<string, Priced>>, standing: string): string {
  const all = Object.entries(measured);
  const rows = (isWanted: (priced: Priced) => boolean) =>
    all.filter(([, priced]) => isWanted(priced)).map(([name, priced]) => cells(name, priced));
  const requests = rows((priced) => 'operation' in priced && !priced.hasVaryingUnits);
  const messages = rows((priced) => 'queue' in priced);
  return [
    intro,
    markdownTable([['Request', ...counted, step], ...requests]),
    invocationsIntro,
    markdownTable([['Invocation', ...counted, step], ...rows((priced) => 'invoked' in priced)]),
    messagesIntro,
    markdownTable([['Message', ...counted, step], ...messages]),
    keptValues,
    examplesIntro,
    markdownTable(
      [['', 'requests and messages', '$ per million'], ...examples.map((each) => toCells(each, measured))],
      2,
    ),
    followerCosts(),
    standing,
  ].join('\n');
}

function cells(name: string, priced: Priced): string[] {
  const { readUnits, writeUnits, kms, signatures, sqs, lambda } = priced;
  const counts = [readUnits, writeUnits, kms, signatures, sqs, lambda].map(String);
  return [name, ...counts, dollars(priced).toFixed(2), stepDollars(priced).toFixed(2)];
}

export function dollars(priced: Priced): number {
  const { readUnits, writeUnits, kms, signatures, sqs, lambda } = priced;
  return (
    (('invoked' in priced ? 0 : 1) + lambda) * perMillion.functionCall +
    ('operation' in priced ? perMillion.gatewayRequest : 0) +
    readUnits * perMillion.readUnit +
    writeUnits * perMillion.writeUnit +
    (kms - signatures) * perMillion.kmsRequest +
    signatures * perMillion.kmsSignature +
    sqs * perMillion.sqsRequest
  );
}

interface Example {
  readonly what: string;
  /** Names of requests and messages. */
  readonly rows: readonly string[];
}

/** What one call of a customer causes in the end. */
const examples: readonly Example[] = [
  {
    what: 'The first request for the card of a live build',
    rows: ['a2a: card of the live build, requested for the first time', 'signer: sign a card'],
  },
  {
    what: 'A webhook event that runs a flow of one node',
    rows: ['trigger: accept a webhook', 'worker: run a flow of one node for a webhook'],
  },
  {
    what: 'An A2A message to a flow of one node, with one receiver of push notifications',
    rows: [
      'a2a: SendMessage with a push notification configuration',
      'delivery: the three push notifications of a task of one node',
      'delivery: check that push notifications are delivered',
    ],
  },
  {
    what: 'A run in the background with a callback',
    rows: [
      'trigger: start a run in the background with a callback',
      'worker: run a flow of one node with a callback',
      'delivery: one callback',
      'delivery: check that a callback is delivered',
    ],
  },
];

function toCells({ what, rows }: Example, measured: Readonly<Record<string, Priced>>): string[] {
  const sum = rows.reduce((total, name) => {
    const priced = measured[name];
    if (!priced) throw new Error(`Nothing is measured that is called "${name}".`);
    return total + dollars(priced);
  }, 0);
  return [what, rows.join('; '), sum.toFixed(2)];
}

/** The price of the function time of a million requests that take so long each. */
function stepDollars(priced: Priced): number {
  const gigabytes = findMegabytes(priced) / 1_024;
  return gigabytes * (stepMilliseconds / 1_000) * functionGigabyteSecond * 1_000_000;
}

function findMegabytes(priced: Priced): number {
  if ('queue' in priced) return queueSources[priced.queue].memoryMegabytes;
  return 'invoked' in priced ? signerMegabytes : memoryMegabytes[routes[priced.operation].timeout];
}

const { gatewayRequest, functionCall, readUnit, writeUnit, kmsRequest, kmsSignature, sqsRequest } =
  perMillion;
const intro = `# What requests cost

\`npm run costs\` generates this page, and a test checks it, so that no number changes by accident.

The prices are in US dollars for a million warm requests or messages. They follow from the AWS calls in [aws-calls.md](aws-calls.md), the
capacity units that the embedded DynamoDB reports, and the on-demand list prices of us-east-1 as of ${pricesAsOf}
(\`test/support/prices.ts\`), without free tier and discounts. Each price includes the invocation of the function ($${functionCall.toFixed(2)}), and that
of a request API Gateway ($${gatewayRequest.toFixed(2)}). A million read units cost $${readUnit}, write units $${writeUnit}, KMS requests $${kmsRequest},
signatures $${kmsSignature}, messages $${sqsRequest}. The column *KMS* includes the signatures. The column *Lambda* has the functions that are
invoked in addition, which evaluate \`code\` nodes and sign cards.

- **Function time** is not included, since it depends on the machine. The last column is its price for a million requests, for
  each ${stepMilliseconds} ms that a request takes, with the memory of the function (${memoryMegabytes.quick} MB; ${memoryMegabytes.run} MB for synchronous runs). A request of 30 ms
  costs three times that. A synchronous run is billed for its whole duration.
- **Sizes**: the builds have a card with one skill and a flow with one node. The units grow with the items: a write unit is 1 KB,
  a read unit 4 KB.
- **Not included**: models; reads of their keys ($0.05 for 10,000, one for each process in five minutes); storage and requests of S3; the time of the function that evaluates \`code\` nodes (below 4 ms of 1769 MB, about $0.10 for a million calls); [logs](#what-a-tenant-costs-in-a-month), traces and backups; AWS WAF, if the tenant has a \`firewall\` ($0.60 for a million requests); data that leaves AWS; and searches, whose reads depend on how many agents
  have changed.

## Requests
`;

const invocationsIntro = `
## Signatures of cards

A build is stored without signatures. The function that signs is invoked by the first request for a card, for each version of the card that is
requested: once for its test URL and once for its live URL, and as often for the extended card. The request has paid for the invocation.
`;

const messagesIntro = `
## Messages of queues

The worker runs what was accepted or queued, and what was paused. A function delivers callbacks and push notifications. The column
*SQS* includes the two calls by which Lambda receives and deletes the message; when many messages wait, one call receives or
deletes up to ten of the delivery queue. The request or message before has paid for sending it. [operations.md](operations.md#costs) has the
calls to queues that are empty.
`;

const keptValues = `
## Kept values

Where the [environment](api-guide.md#environments) keeps the values of nodes, a run costs in addition one call of DynamoDB for each 300 KB of JSON, at its end, at each pause and about every two seconds in between, with one write unit for each compressed KB: $0.63 for a million runs
whose values take 1 KB, and $6.25 where they take 10 KB. The input of the synchronous trigger takes a unit for each KB more in the header of its run. In \`live\`, nothing is kept unless somebody says so, and nothing is added; with \`failed\`, only runs that fail cost that.
A reading costs half a read unit for each 4 KB that the run has kept.`;

const examplesIntro = `
## What belongs together
`;
