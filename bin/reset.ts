// `npm run reset`: deletes all data of the local service.
import { giveUp } from '#lib/cli/give-up.ts';
import { takeNoArguments } from '#lib/cli/script-options.ts';
import { resolveHome } from '#lib/local/home.ts';
import { reset } from '#lib/local/reset.ts';

takeNoArguments(`Usage: npm run reset

Deletes all data of the local service in the folder AGENT_FLOW_HOME (default .local).`);
try {
  console.log(reset(resolveHome()));
} catch (error) {
  giveUp(error);
}
