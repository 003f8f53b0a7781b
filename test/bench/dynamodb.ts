// The CPU time of one write to DynamoDB by our client, beside one by a document client with default settings, in turns.
import * as z from 'zod';
import { type Row, toFigure } from './row.ts';
import { startSubject } from './subject.ts';

const repetitions = 9;
/** Ours may not cost more. */
const ratioMin = 1;

const cost = z.object({ ours: z.number(), bare: z.number() });

export async function dynamoDbRows(): Promise<Row[]> {
  await using subject = await startSubject(new URL('subject-dynamodb.ts', import.meta.url));
  const costs: z.infer<typeof cost>[] = [];
  for (let n = 0; n < repetitions; n += 1) costs.push(cost.parse(await subject.ask('cost')));
  return [
    {
      what: 'a write to DynamoDB, CPU; peer: a document client with default settings',
      unit: 'µs',
      ours: toFigure(costs.map(({ ours }) => ours)),
      peer: toFigure(costs.map(({ bare }) => bare)),
      ratioMin,
    },
  ];
}
