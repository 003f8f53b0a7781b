import { getFile } from '#lib/file/own-files.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { fileRoutes } from '#lib/routes/file-routes.ts';

export const handler = endpoint(fileRoutes.getFile, async ({ caller, query, params, at }) => ({
  json: await getFile(caller, query.workspaceid, params.fileid, Date.parse(at)),
}));
