import { deleteFile } from '#lib/file/own-files.ts';
import { endpoint } from '#lib/http/endpoint.ts';
import { fileRoutes } from '#lib/routes/file-routes.ts';

export const handler = endpoint(fileRoutes.deleteFile, async ({ caller, query, params, at }) => {
  await deleteFile(caller, query.workspaceid, params.fileid, Date.parse(at));
  return { empty: true };
});
