// `npm run reset`: forgets all data of the local service.
import { homeOf } from '#lib/local/home.ts';
import { reset } from '#lib/local/reset.ts';
import { giveUp } from '#lib/local/terminal/give-up.ts';

try {
  console.log(reset(homeOf()));
} catch (error) {
  giveUp(error);
}
