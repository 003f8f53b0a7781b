// A service that moves from one address to another, with its data. Two names of this machine lead to it, as two domains
// lead to a gateway.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ForkedHost, forkHost, type Service } from './forked-host.ts';

export interface MovingService {
  /** Without a slash at the end. */
  readonly former: string;
  readonly next: string;
  readonly service: () => Service;
  /** Starts it again, as the deployment with the new address first does. Tests then call that one. */
  readonly move: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function startMovingService(): Promise<MovingService> {
  const dataDir = mkdtempSync(join(tmpdir(), 'agent-flow-moving-'));
  let host = await forkHost({ dataDir });
  const { port, origin: former } = new URL(host.service.baseUrl);
  const next = `http://localhost:${port}`;
  enter(host, former);
  return {
    former,
    next,
    service: () => host.service,
    move: async () => {
      await host.stop();
      host = await forkHost({ dataDir, port: Number(port), publicUrl: next, otherAddresses: [former] });
      enter(host, next);
    },
    close: async () => {
      delete process.env.OWN_SERVICE_URL;
      delete process.env.OTHER_ADDRESSES;
      await host.stop();
      rmSync(dataDir, { recursive: true });
    },
  };
}

function enter({ service }: ForkedHost, url: string): void {
  Object.assign(process.env, service.environment, { OWN_SERVICE_URL: url });
}
