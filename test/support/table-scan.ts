// Looks for a text in everything that the tables hold, however an attribute may hide it that is not
// encrypted.
import { constants, zstdDecompressSync } from 'node:zlib';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, paginateScan } from '@aws-sdk/lib-dynamodb';
import { requireEnv } from '#lib/env.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient());

interface Held {
  /** `pk sk attribute` */
  readonly place: string;
  readonly text: string;
}

/** All attributes of both tables. */
export const readTables = async (): Promise<Held[]> =>
  (await Promise.all([requireEnv('RUNS_TABLE'), requireEnv('CONTROL_TABLE')].map(readTable))).flat();

async function readTable(TableName: string): Promise<Held[]> {
  const all: Held[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true }))
    for (const item of Items)
      for (const [name, value] of Object.entries(item))
        all.push({ place: `${item.pk} ${item.sk} ${name}`, text: textIn(value) });
  return all;
}

/**
 * Where a text stands: in plain, in base64 (whatever stands before it), or in bytes that are only compressed.
 */
export function findText(text: string, tables: readonly Held[]): string[] {
  const forms = [text, ...base64Forms(text)];
  return tables.flatMap((held) => (forms.some((form) => held.text.includes(form)) ? [held.place] : []));
}

function textIn(value: unknown): string {
  if (!(value instanceof Uint8Array)) return JSON.stringify(value) ?? '';
  const bytes = Buffer.from(value);
  // What is kept in chunks begins with the first part of the compressed bytes.
  const options = { finishFlush: constants.ZSTD_e_flush };
  return isZstd(bytes) ? zstdDecompressSync(bytes, options).toString('latin1') : bytes.toString('latin1');
}

const zstdMagic = Buffer.from([0x28, 0xb5, 0x2f, 0xfd]);
const isZstd = (bytes: Buffer): boolean => bytes.subarray(0, zstdMagic.length).equals(zstdMagic);

/**
 * Base64 writes three bytes as four characters: the text begins at each of three offsets, and its edges share
 * characters with its neighbours.
 */
const base64Forms = (text: string): string[] =>
  [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(`${'x'.repeat(offset)}${text}`).toString('base64');
    return encoded.slice(offset === 0 ? 0 : 4, -4);
  });
