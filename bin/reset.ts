// `npm run reset`: forgets all data of the local service.

import { giveUp } from '#lib/cli/give-up.ts';
import { homeOf } from '#lib/local/home.ts';
import { reset } from '#lib/local/reset.ts';

try {
  console.log(reset(homeOf()));
} catch (error) {
  giveUp(error);
}
