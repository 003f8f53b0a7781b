// `npx agent-flow` and `npm run flow`: works on flows in the terminal, and with a service that runs (docs/cli.md).
import { main } from '#lib/cli/command/main.ts';

process.exitCode = await main(process.argv.slice(2));
