// What was measured as a table of docs/security.md: the costliest request of each route, in bounds that do
// not change with the machine.
import { routeList } from '#lib/routes/routes.ts';
import type { Case } from './cases.ts';
import type { Cost } from './measure.ts';

export interface Measured extends Case {
  readonly cost: Cost;
}

export interface Row {
  readonly route: string;
  readonly kind: string;
  /** Milliseconds, one of the bounds below. */
  readonly cpuBound: number;
  readonly sentBytes: number;
  readonly answerBytes: number;
}

/** Far enough apart that a machine twice as fast or slow changes few rows. */
const cpuBounds = [50, 250, 1_000, 2_000];
const cpuMsMax = 2_000;
/** Below that an answer is small, whatever was sent. */
const answerBytesFloor = 4_096;
/** The same of an answer that is a whole page, with its styles. */
const pageBytesFloor = 8_192;
const answerRatioMax = 3;
/** A buffered answer of Lambda, as text inside JSON; what is read is bounded by that alone. */
const readBytesMax = 6 * 1024 * 1024;
/** Between machines, and between runs on one that is busy. */
const tolerance = 2;

export function toRows(measured: readonly Measured[]): Row[] {
  return [...Map.groupBy(measured, ({ route }) => route)].map(([route, cases]) => {
    const [worst] = [...cases].sort((a, b) => b.cost.cpuMs - a.cost.cpuMs);
    const kind = worst?.kind ?? '';
    const cpuBound = cpuBounds.find((bound) => bound >= (worst?.cost.cpuMs ?? 0)) ?? Number.POSITIVE_INFINITY;
    const sentBytes = Math.max(...cases.map(({ cost }) => cost.sentBytes));
    return {
      route,
      kind,
      cpuBound,
      sentBytes,
      answerBytes: Math.max(...cases.map(({ cost }) => cost.answerBytes)),
    };
  });
}

/** Whether it takes more of the processor than any request may, or than the page says. */
export function isTooSlow({ route, cost }: Pick<Measured, 'route' | 'cost'>, page?: string): boolean {
  const documented = page === undefined ? undefined : rowsIn(page).find((row) => row.route === route);
  return cost.cpuMs > Math.min(cpuMsMax, (documented?.cpuBound ?? cpuMsMax) * tolerance);
}

/** What no request may cost, and what costs more than the page says. */
export function findFaults(measured: readonly Measured[], page?: string): string[] {
  const documented = page === undefined ? undefined : new Map(rowsIn(page).map((row) => [row.route, row]));
  return measured.flatMap(({ route, kind, reads = false, cost }) => {
    const name = `${route}, ${kind} (${cost.status})`;
    const bound = documented?.get(route)?.cpuBound;
    return [
      ...(cost.status >= 500 ? [`${name}: ${cost.answer.slice(0, 200)}`] : []),
      ...(cost.cpuMs > cpuMsMax ? [`${name}: ${cost.cpuMs.toFixed(0)} ms of CPU`] : []),
      ...(cost.answerBytes > answerBytesMax(route, cost, reads)
        ? [`${name}: ${cost.answerBytes} bytes for ${cost.sentBytes}`]
        : []),
      ...(documented && bound === undefined
        ? [`${name}: docs/security.md has no row; npm run worst-requests writes it`]
        : []),
      ...(bound !== undefined && cost.cpuMs > bound * tolerance
        ? [`${name}: ${cost.cpuMs.toFixed(0)} ms, and docs/security.md says ${bound}`]
        : []),
    ];
  });
}

/** What reads is as large as what is stored; a refusal, and what a body makes, is bound by what was sent. */
const answerBytesMax = (route: string, { status, sentBytes }: Cost, reads: boolean): number =>
  reads && status < 400
    ? readBytesMax
    : Math.max(isPage(route) ? pageBytesFloor : answerBytesFloor, answerRatioMax * sentBytes);

const isPage = (route: string): boolean =>
  routeList.some(([id, { response }]) => id === route && response.contentType === 'text/html');

const begin = '<!-- worst requests: written by npm run worst-requests -->';
const end = '<!-- end of worst requests -->';

export function pageWith(page: string, rows: readonly Row[]): string {
  const [before = '', rest = ''] = page.split(begin);
  const [, after = ''] = rest.split(end);
  return `${before}${begin}\n${writeTable(rows)}\n${end}${after}`;
}

const writeTable = (rows: readonly Row[]) =>
  [
    '| route | costliest | CPU, below | sent at most | answer at most |',
    '|---|---|---|---|---|',
    ...rows.map(
      ({ route, kind, cpuBound, sentBytes, answerBytes }) =>
        `| ${route} | ${kind} | ${cpuBound} ms | ${formatSize(sentBytes)} | ${formatSize(answerBytes)} |`,
    ),
  ].join('\n');

/** Rounded up to a power of two, so that ids and times do not change it. */
function formatSize(bytes: number): string {
  const kib = Math.max(1, 2 ** Math.ceil(Math.log2(bytes / 1_024)));
  return kib < 1_024 ? `${kib} KiB` : `${kib / 1_024} MiB`;
}

export function rowsIn(page: string): { route: string; cpuBound: number }[] {
  const [, table = ''] = page.split(begin);
  const [own = ''] = table.split(end);
  return [...own.matchAll(/^\| (\w+(?: [\w()]+)?) \|[^|]*\| (\d+) ms \|/gm)].map(([, route = '', bound]) => ({
    route,
    cpuBound: Number(bound),
  }));
}
