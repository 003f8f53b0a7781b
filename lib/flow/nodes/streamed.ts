// The field with which a node that asks a model says that its text is for the caller. Shared by the types that ask models.
import * as z from 'zod';
import { madeOnce } from '#lib/made-once.ts';
import type { Report } from './node-type.ts';

export const streamField = madeOnce(() => ({ stream: z.boolean().optional() }));

interface Streamed {
  readonly stream?: boolean | undefined;
  readonly output_schema?: object | undefined;
}

export function checkStream({ stream, output_schema }: Streamed, report: Report): void {
  if (stream && output_schema)
    report(
      ['stream'],
      'expected no `stream` beside `output_schema`: an object is of no use before it is whole',
    );
}
