import type { Ports } from '../../core/ports.ts';
import type { Column, Next, Result, Row } from '../../core/result.ts';
import { eachRun, importsFolder } from '../store/runs.ts';
import { checkProfile, runRow, summariesNow } from './run-row.ts';

const LIST_COLUMNS: readonly Column[] = [
  { key: 'run', header: 'RUN', priority: 4 },
  { key: 'state', header: 'STATE', kind: 'status', priority: 4 },
  { key: 'startedAt', header: 'STARTED AT', kind: 'date', priority: 0 },
  { key: 'source', header: 'SOURCE', priority: 3 },
  { key: 'profile', header: 'PROFILE' },
  { key: 'rows', header: 'ROWS', kind: 'count', priority: 2 },
  { key: 'created', header: 'CREATED', kind: 'count', priority: 2 },
  { key: 'rejected', header: 'REJECTED', kind: 'count' },
  { key: 'unconfirmed', header: 'UNCONFIRMED', kind: 'count' },
  { key: 'pending', header: 'PENDING', kind: 'count' },
];

/**
 * Shown only if a process is working on a run: without this column, the run would look interrupted.
 */
const PROCESS: Column = { key: 'process', header: 'PROCESS', kind: 'number', priority: 4 };

const NEXT: Column = { key: 'next', header: 'NEXT', priority: 5 };
/** In a narrower terminal, the command would be cut off: nobody could copy it. */
const NEXT_FITS = 150;
const MAX_NEXT = 3;

export async function listRuns(
  limit: number | undefined,
  ports: Ports<'io' | 'self'>,
): Promise<Result> {
  checkProfile(ports.self);
  const summaryNow = await summariesNow(ports);
  const rows = await eachRun(
    importsFolder(ports.self),
    (one) => runRow(summaryNow(one), ports),
    (run, error): Row => {
      ports.io.say({ kind: 'warning', text: error.message });
      return { run, state: 'damaged' };
    },
  );
  rows.sort((a, b) => (startOf(a) < startOf(b) ? 1 : -1));
  const { stdoutIsTerminal, width } = ports.io.terminal;
  const isNarrow = stdoutIsTerminal && width < NEXT_FITS;
  const next = rows.flatMap(({ next = [] }) =>
    (next as readonly Next[]).map(({ command }) => command),
  );
  if (isNarrow && next.length > 0) {
    const more = next.length > MAX_NEXT ? `\n  and ${next.length - MAX_NEXT} more` : '';
    const text = `next:\n  ${next.slice(0, MAX_NEXT).join('\n  ')}${more}`;
    ports.io.say({ kind: 'notice', text });
  }
  return {
    kind: 'rows',
    columns: [
      ...LIST_COLUMNS,
      ...(rows.some((row) => row.process !== undefined) ? [PROCESS] : []),
      ...(isNarrow || next.length === 0 ? [] : [NEXT]),
    ],
    rows,
    limit,
    idField: 'run',
    empty: 'No imports.',
  };
}

/**
 * The start time as digits, for sorting. The name of a damaged run contains this time, to the
 * second.
 */
function startOf({ run, startedAt }: Row): string {
  return startedAt === undefined
    ? String(run).replace('-', '').slice(0, 14)
    : String(startedAt).replace(/\D/g, '');
}
