// Writes docs/costs.md: the cost of a million requests of each kind, from their measured calls and capacity
// units. It contains no measured durations, since they would change with each run.
import { memoryMegabytes } from '#lib/infra/routes.ts';
import { type OperationId, routes } from '#lib/routes/routes.ts';
import type { Cost } from './call-cost.ts';
import { functionGigabyteSecond, perMillion, pricesAsOf } from './prices.ts';

export interface Priced extends Cost {
  readonly operation: OperationId;
  readonly hasVaryingUnits: boolean;
}

const stepMilliseconds = 10;
const everyRequest = perMillion.gatewayRequest + perMillion.functionCall;
const head = [
  'Request',
  'read units',
  'write units',
  'KMS',
  'signatures',
  'SQS',
  '$ per million',
  `$ per ${stepMilliseconds} ms`,
];

export function costsPage(measured: Readonly<Record<string, Priced>>): string {
  const rows = Object.entries(measured)
    .filter(([, { hasVaryingUnits }]) => !hasVaryingUnits)
    .map(([name, priced]) => cells(name, priced));
  return `${intro}\n${table([head, ...rows])}\n`;
}

function cells(name: string, priced: Priced): string[] {
  const { readUnits, writeUnits, kms, signatures, sqs } = priced;
  const dollars =
    everyRequest +
    readUnits * perMillion.readUnit +
    writeUnits * perMillion.writeUnit +
    (kms - signatures) * perMillion.kmsRequest +
    signatures * perMillion.kmsSignature +
    sqs * perMillion.sqsRequest;
  const counts = [readUnits, writeUnits, kms, signatures, sqs].map(String);
  return [name, ...counts, dollars.toFixed(2), stepDollars(priced.operation).toFixed(2)];
}

/** The price of the function time of a million requests that take so long each. */
function stepDollars(operation: OperationId): number {
  const gigabytes = memoryMegabytes[routes[operation].timeout] / 1_024;
  return gigabytes * (stepMilliseconds / 1_000) * functionGigabyteSecond * 1_000_000;
}

function table(lines: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)));
  const rule = widths.map((width, column) =>
    column === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [lines[0] ?? [], rule, ...lines.slice(1)]
    .map((line) => {
      const aligned = line.map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      );
      return `| ${aligned.join(' | ')} |`;
    })
    .join('\n');
}

const { gatewayRequest, functionCall, readUnit, writeUnit, kmsRequest, kmsSignature, sqsRequest } =
  perMillion;
const intro = `# What requests cost

\`npm run costs\` generates this page, and a test checks it, so that no number changes by accident.

The prices are in US dollars for a million warm requests. They follow from the AWS calls in [aws-calls.md](aws-calls.md), the
capacity units that the embedded DynamoDB reports, and the on-demand list prices of us-east-1 as of ${pricesAsOf}
(\`test/support/prices.ts\`), without free tier and discounts. Each price includes API Gateway ($${gatewayRequest.toFixed(2)}) and the
invocation of the function ($${functionCall.toFixed(2)}). A million read units cost $${readUnit}, write units $${writeUnit}, KMS requests $${kmsRequest},
signatures $${kmsSignature}, messages $${sqsRequest}. The column *KMS* includes the signatures.

- **Function time** is not included, since it depends on the machine. The last column is its price for a million requests, for
  each ${stepMilliseconds} ms that a request takes, with the memory of the function (${memoryMegabytes.quick} MB; ${memoryMegabytes.run} MB for synchronous runs). A request of 30 ms
  costs three times that. A synchronous run is billed for its whole duration.
- **Sizes**: the builds have a card with one skill and a flow with one node. The units grow with the items: a write unit is 1 KB,
  a read unit 4 KB.
- **Not included**: the worker that runs the flow of an accepted event; models; logs, traces and backups; data that leaves AWS;
  and searches, whose reads depend on how many agents have changed.
`;
