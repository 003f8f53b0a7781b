// `npm run boot`: boots the bundle of every function in a folder that has nothing else, under a Lambda Runtime API, and
// invokes it with its sample event. The functions use the engines of a local service. A file that is missing in a
// bundle fails here.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { ensureBuilt } from '#lib/infra/build-process.ts';
import { entries } from '#lib/infra/bundle.ts';
import { bundleFolder, root } from '#lib/infra/bundle-folder.ts';
import { seed } from '#lib/local/seed.ts';
import { startService } from '#lib/local/start-service.ts';
import { eventSources } from '#lib/routes/event-sources.ts';
import { runMain } from '#test/support/run-main.ts';
import { type Answer, startRuntimeApi } from './runtime-api.ts';

const atOnce = 3;
const timeoutMs = 30_000;
const runtime = fileURLToPath(new URL('runtime.ts', import.meta.url));
const withoutRoute: ReadonlySet<string> = new Set(Object.values(eventSources).map(({ entry }) => entry));

await runMain(main);

async function main(): Promise<void> {
  await ensureBuilt();
  const startedAt = performance.now();
  const service = await startService({ dataDir: undefined, port: 0, log: () => {} });
  const scratch = await mkdtemp(join(tmpdir(), 'boot-'));
  try {
    const { apiKey } = await seed({ ...service, formerOrdersUrl: undefined, log: () => {} });
    const queue = [...entries];
    const failures: string[] = [];
    const work = async () => {
      for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
        const failure = await boot(entry, { scratch, apiKey, environment: service.environment });
        if (failure !== undefined) failures.push(`${entry}: ${failure}`);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, work));
    if (failures.length > 0) throw new Error(failures.join('\n'));
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
    console.log(`${entries.length} functions boot from their bundles and answer, in ${seconds} s.`);
  } finally {
    await service.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

interface Surroundings {
  readonly scratch: string;
  readonly apiKey: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** What is wrong, if anything is. */
async function boot(
  entry: string,
  { scratch, apiKey, environment }: Surroundings,
): Promise<string | undefined> {
  const folder = await mkdtemp(join(scratch, 'task-'));
  await cp(bundleFolder(entry), folder, { recursive: true });
  const sample = await readFile(join(root, `events/${entry}.json`), 'utf8');
  const api = await startRuntimeApi(JSON.parse(sample.replaceAll('<API_KEY>', apiKey)), timeoutMs);
  const env = {
    ...environment,
    PATH: process.env.PATH,
    _HANDLER: 'index.handler',
    LAMBDA_TASK_ROOT: folder,
    AWS_LAMBDA_RUNTIME_API: api.address,
    AWS_LAMBDA_FUNCTION_NAME: 'boot',
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '512',
  };
  try {
    const child = promisify(execFile)(process.execPath, [runtime], { cwd: folder, env, timeout: timeoutMs });
    const answer = await Promise.race([api.answer, child.then(() => api.answer)]);
    await child;
    return judge(entry, answer);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await api.close();
    await rm(folder, { recursive: true });
  }
}

function judge(entry: string, { status }: Answer): string | undefined {
  if (withoutRoute.has(entry)) return undefined;
  if (status === undefined) return 'its response has no statusCode.';
  return status >= 500 ? `it answers with status ${status}.` : undefined;
}
