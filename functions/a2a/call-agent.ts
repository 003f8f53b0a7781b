import { a2aRoutes } from '#lib/api/a2a-routes.ts';
import { callDoor } from '#lib/api/call-door.ts';
import { streamEndpoint } from '#lib/api/endpoint.ts';
import { readRow } from '#lib/registry/store.ts';

export const { handler, buffered } = streamEndpoint(
  a2aRoutes.callAgent,
  callDoor(({ registryId }) => readRow(registryId)),
);
