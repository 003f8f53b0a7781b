// `npm run reset`: deletes all data of the local service.
import { giveUp } from '#lib/cli/give-up.ts';
import { resolveHome } from '#lib/local/home.ts';
import { reset } from '#lib/local/reset.ts';

try {
  console.log(reset(resolveHome()));
} catch (error) {
  giveUp(error);
}
