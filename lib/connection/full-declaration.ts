// The declaration of a connection that is used outside of a flow: everything that its owner allows.
import type { ConnectionDeclaration } from '#lib/flow/format/connection.ts';
import type { ConnectionValue } from './connection.ts';

export function declareInFull({ type, hosts, credential }: ConnectionValue): ConnectionDeclaration {
  const aws = 'role_arn' in credential && {
    aws: { services: credential.services, regions: credential.regions },
  };
  return { type, hosts, ...aws };
}
