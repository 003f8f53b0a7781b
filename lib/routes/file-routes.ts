// Files that flows read and write: their content goes to S3 and comes from it by URLs that are signed here.
import * as z from 'zod';
import { newFile, newFileBody, storedFile } from '#lib/file/file.ts';
import { management, route } from '#lib/http/route.ts';
import { fileId, workspaceid } from '#lib/ids.ts';

const shared = {
  ...management,
  tag: 'Runs',
  permission: 'assistants.flows:run',
  query: z.strictObject({ workspaceid }),
} as const;

export const fileRoutes = {
  createFile: route({
    ...shared,
    method: 'POST',
    path: '/api/v1/files',
    entry: 'file/create',
    otherMethods: 'byFunction',
    audited: true,
    summary: 'Create a file, and get the URL to upload its content to',
    description:
      'The content, 25 MB at most, is sent to `upload.url` with `upload.headers`. The signature covers size, ' +
      'media type and SHA-256: other content is refused. Flows of the workspace use the file by its id.',
    body: newFileBody,
    bodyKind: 'management',
    response: { status: 201, description: 'The file, and where to upload it.', schema: newFile },
    errors: ['file_quota_exceeded'],
    uses: ['files.write', 'flowKey.seal'],
  }),

  getFile: route({
    ...shared,
    method: 'GET',
    path: '/api/v1/files/{fileid}',
    entry: 'file/get',
    summary: 'Get a file, and the URL to download its content from',
    params: z.strictObject({ fileid: fileId }),
    response: { status: 200, description: 'The file.', schema: storedFile },
    errors: ['file_not_found', 'payload_unreadable'],
    uses: ['files.read', 'flowKey.open'],
  }),

  deleteFile: route({
    ...shared,
    method: 'DELETE',
    path: '/api/v1/files/{fileid}',
    entry: 'file/delete',
    audited: true,
    summary: 'Delete a file',
    description: 'Deletes the content and then the file. Runs that use it later fail with `file.not_found`.',
    params: z.strictObject({ fileid: fileId }),
    response: { status: 204, description: 'Deleted.' },
    errors: ['file_not_found'],
    uses: ['files.delete'],
  }),
} as const;
