// The objects of the local S3: in memory, or as two files each in a folder, of which the second has the headers.
// Objects that a lifecycle rule has expired are not found.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { S3Error } from './s3-error.ts';

const objectHeaders = z.object({
  contentType: z.string(),
  checksum: z.string().optional(),
  /** Ms since 1970. */
  writtenAt: z.number(),
});
type ObjectHeaders = z.output<typeof objectHeaders>;

export interface StoredObject extends ObjectHeaders {
  readonly content: Buffer;
}

export interface Objects {
  /** From the template. */
  readonly createBucket: (name: string, bucket: BucketResource) => void;
  readonly put: (bucket: string, key: string, object: StoredObject) => void;
  readonly get: (bucket: string, key: string, now: number) => StoredObject | undefined;
  readonly delete: (bucket: string, key: string) => void;
}

export const bucketResource = z.object({
  LifecycleConfiguration: z
    .object({
      Rules: z.array(
        z.object({ ExpirationInDays: z.coerce.number().optional(), Status: z.literal('Enabled') }),
      ),
    })
    .default({ Rules: [] }),
});
type BucketResource = z.output<typeof bucketResource>;

const dayMs = 86_400_000;

export function openObjects(dataDir: string | undefined): Objects {
  const buckets = new Map<string, BucketResource>();
  const files = dataDir === undefined ? inMemory() : inFolder(dataDir);
  const requireBucket = (name: string): BucketResource => {
    const bucket = buckets.get(name);
    if (bucket) return bucket;
    throw new S3Error(404, 'NoSuchBucket', 'The specified bucket does not exist');
  };
  return {
    createBucket: (name, bucket) => void buckets.set(name, bucket),
    put: (bucket, key, object) => {
      requireBucket(bucket);
      files.write(fileName(bucket, key), object);
    },
    get: (bucket, key, now) => {
      const { Rules } = requireBucket(bucket).LifecycleConfiguration;
      const object = files.read(fileName(bucket, key));
      const days = Math.min(...Rules.flatMap(({ ExpirationInDays }) => ExpirationInDays ?? []));
      return object && now < expiry(object.writtenAt, days) ? object : undefined;
    },
    delete: (bucket, key) => {
      requireBucket(bucket);
      files.delete(fileName(bucket, key));
    },
  };
}

/** S3 rounds up to the next midnight UTC. */
const expiry = (writtenAt: number, days: number): number =>
  Math.ceil((writtenAt + days * dayMs) / dayMs) * dayMs;

const fileName = (bucket: string, key: string): string =>
  createHash('sha256')
    .update(JSON.stringify([bucket, key]))
    .digest('hex');

interface Files {
  readonly write: (name: string, object: StoredObject) => void;
  readonly read: (name: string) => StoredObject | undefined;
  readonly delete: (name: string) => void;
}

function inMemory(): Files {
  const stored = new Map<string, StoredObject>();
  return {
    write: (name, object) => void stored.set(name, object),
    read: (name) => stored.get(name),
    delete: (name) => void stored.delete(name),
  };
}

function inFolder(folder: string): Files {
  const path = (name: string) => join(folder, name);
  return {
    write: (name, { content, ...headers }) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileSync(path(name), content, { mode: 0o600 });
      writeFileSync(path(`${name}.json`), JSON.stringify(headers), { mode: 0o600 });
    },
    read: (name) => {
      try {
        const headers = objectHeaders.parse(JSON.parse(readFileSync(path(`${name}.json`), 'utf8')));
        return { ...headers, content: readFileSync(path(name)) };
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    delete: (name) => {
      // Without its headers, an object is not found.
      for (const file of [`${name}.json`, name]) rmSync(path(file), { force: true });
    },
  };
}
