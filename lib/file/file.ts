// The schemas of a file: the body that creates it, what the API says of it, and the reference by which flows
// name it.
import * as z from 'zod';
import { limits } from '#lib/flow/format/limits.ts';
import { fileId, orgid, workspaceid } from '#lib/ids.ts';
import { hiddenCharacters, mediaTypePattern, nameLengthMax } from './file-labels.ts';

const name = z
  .string()
  .min(1)
  .max(nameLengthMax)
  .regex(/^[^/\\]+$/, 'must not contain "/" or "\\"')
  .refine(
    (value) => value.search(hiddenCharacters) === -1,
    'must not contain control, bidirectional or invisible characters',
  )
  .meta({ description: 'Name of the file, without folders.', example: 'invoice.png' });
const mediaType = z
  .string()
  .regex(mediaTypePattern, 'must be a media type in lower case, without parameters, such as "image/png"')
  .meta({ description: 'Media type, in lower case and without parameters.', example: 'image/png' });
const bytes = z
  .int()
  .min(1)
  .max(limits.fileBytes)
  .meta({ description: `Size in bytes, ${limits.fileBytes} at most.`, example: 48_213 });
const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in 64 hexadecimal digits, in lower case')
  .meta({
    description: 'SHA-256 of the content, in hexadecimal digits.',
    example: 'b5bb9d8014a0f9b1d61e21e796d78dccdf1352f23cd32812f4850b878ae4944c',
  });

export const newFileBody = z
  .strictObject({ name, media_type: mediaType, bytes, sha256 })
  .meta({ id: 'NewFile' });
export type NewFileBody = z.infer<typeof newFileBody>;

const timestamp = z.string().meta({ format: 'date-time', description: 'RFC 3339, UTC.' });

const facts = {
  fileid: fileId,
  workspaceid,
  orgid,
  name,
  media_type: mediaType,
  bytes,
  sha256,
  created_at: timestamp,
  expires_at: timestamp.meta({ description: 'RFC 3339, UTC. The file is deleted after that time.' }),
};

export const newFile = z
  .strictObject({
    ...facts,
    upload: z.strictObject({
      url: z.url().meta({ description: 'Takes the content once the request has these headers.' }),
      method: z.literal('PUT'),
      headers: z.record(z.string(), z.string()).meta({
        description:
          'To be sent as they are. The signature covers them: another size, type or content is refused.',
      }),
      expires_at: timestamp.meta({ description: 'RFC 3339, UTC. The URL is refused after that time.' }),
    }),
  })
  .meta({ id: 'FileUpload' });
export type NewFile = z.infer<typeof newFile>;

export const storedFile = z
  .strictObject({
    ...facts,
    download: z
      .strictObject({
        url: z.url().meta({ description: 'Answers GET with the content, as an attachment.' }),
        expires_at: timestamp.meta({ description: 'RFC 3339, UTC. The URL is refused after that time.' }),
      })
      .nullable()
      .meta({ description: 'null while nothing was uploaded.' }),
  })
  .meta({ id: 'File' });
export type StoredFile = z.infer<typeof storedFile>;
