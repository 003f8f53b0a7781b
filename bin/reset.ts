// `npm run reset`: forgets all data of the local service.
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const home = resolve(process.env.AGENT_FLOW_HOME || '.local');
if (existsSync(join(home, 'ready.json'))) {
  console.error(
    `A service seems to run on ${home} (its ready.json is there). Stop it first, or delete that file if it crashed.`,
  );
  process.exit(1);
}
await rm(home, { recursive: true, force: true });
console.log(`${home} is gone; the next npm start seeds anew.`);
