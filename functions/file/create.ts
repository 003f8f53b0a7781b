import { createFile } from '#lib/file/own-files.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { fileRoutes } from '#lib/routes/file-routes.ts';

export const handler = endpoint(fileRoutes.createFile, async ({ caller, query, body, at }) => ({
  json: await createFile(caller, query.workspaceid, body, Date.parse(at)),
}));
