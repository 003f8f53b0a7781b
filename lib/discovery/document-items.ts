// Reads for discovery: search documents by partition. No rule about who may see what.
import * as z from 'zod';
import { controlTable } from '#lib/dynamo/client.ts';
import { queryAll } from '#lib/dynamo/query.ts';
import { type SearchDocument, searchDocument } from '#lib/registry/search-index/document.ts';

export interface IndexedDocument {
  /** The sort key of its item. */
  readonly key: string;
  readonly document: SearchDocument;
}

/** All documents of a partition. One call per 1 MB. */
export async function readDocuments(partition: string): Promise<IndexedDocument[]> {
  const items = await queryAll(controlTable, {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': partition },
    ConsistentRead: true,
  });
  return items.map(parseDocument);
}

/** The documents written since a time (RFC 3339), from an index that lags behind writes by moments. */
export async function readDocumentsSince(partition: string, since: string): Promise<IndexedDocument[]> {
  const items = await queryAll(controlTable, {
    IndexName: 'gsi1',
    KeyConditionExpression: 'gsi1pk = :pk AND gsi1sk >= :since',
    ExpressionAttributeValues: { ':pk': partition, ':since': since },
  });
  return items.map(parseDocument);
}

const documentItem = searchDocument.extend({ sk: z.string() });

function parseDocument(item: unknown): IndexedDocument {
  const { sk, ...document } = documentItem.parse(item);
  return { key: sk, document };
}
