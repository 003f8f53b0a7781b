// `npm run bench`: measures what the project promises, compares it with other software, prints one table, and
// fails when a promise is missed. `--markdown` prints the table for the README, `--json FILE` also writes the
// figures to a file, `--only NAME` measures one section, and `--rows N` sets the largest list: 100000 takes
// minutes to fill.
import { runMain } from '#test/support/run-main.ts';
import { a2aRows } from './a2a.ts';
import { bundleRows } from './bundle-size.ts';
import { codeRows } from './code.ts';
import { connectorRows } from './connector.ts';
import { conversationRows } from './conversations.ts';
import { dynamoDbRows } from './dynamodb.ts';
import { engineRows } from './engine.ts';
import { importRows } from './import-time.ts';
import { loadRows } from './load.ts';
import { mapRows } from './maps.ts';
import { registryRows, searchSection } from './registry.ts';
import { runSections, type Sections } from './run-sections.ts';
import { startRows } from './start-time.ts';
import { tokenRows } from './token.ts';
import { triggerRows } from './triggers.ts';

/** In this order, since `import` measures the bundles that `bundles` builds. */
const sections: Sections = {
  bundles: bundleRows,
  import: importRows,
  start: startRows,
  engine: engineRows,
  maps: mapRows,
  conversations: conversationRows,
  code: codeRows,
  dynamodb: dynamoDbRows,
  triggers: triggerRows,
  a2a: a2aRows,
  connector: connectorRows,
  token: tokenRows,
  load: loadRows,
  registry: ({ rows }) => registryRows(rows),
  search: ({ rows }) => searchSection(rows),
};

await runMain(() => runSections(sections, process.argv.slice(2)));
