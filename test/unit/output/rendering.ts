import type { GlobalFlags } from '../../../src/core/global-flags.ts';
import type { Column, Result, Row, RowsResult } from '../../../src/core/result.ts';
import { errorsAsJson } from '../../../src/output/format.ts';
import { planOutput } from '../../../src/output/output-plan.ts';
import { render } from '../../../src/output/render.ts';
import { createSay, describeTerminal } from '../../../src/terminal/terminal.ts';
import { type MemoryStreams, memoryStreams } from '../../support/streams.ts';

export interface Setup {
  readonly terminal?: boolean;
  readonly columns?: number;
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly streams?: MemoryStreams;
}

type Flags = Partial<GlobalFlags>;

export async function rendered(result: Result, flags: Flags = {}, setup: Setup = {}) {
  const streams =
    setup.streams ??
    memoryStreams({ terminal: setup.terminal ?? false, columns: setup.columns ?? 80 });
  const env = { NO_COLOR: '1', ...setup.env };
  const terminal = describeTerminal(streams, env, { color: flags.color, noInput: false });
  const plan = await planOutput({
    globals: { where: [], ...flags } as GlobalFlags,
    env,
    terminal,
    cwd: setup.cwd ?? '/',
  });
  const json = errorsAsJson({
    flag: plan.format,
    env: undefined,
    outFile: undefined,
    stdoutIsTerminal: terminal.stdoutIsTerminal,
    stderrIsTerminal: terminal.stderrIsTerminal,
  });
  const say = createSay({ streams, terminal, json, quiet: false });
  const exitCode = await render(result, { plan, streams, terminal, say });
  return { stdout: streams.stdoutText(), stderr: streams.stderrText(), exitCode };
}

export const COLUMNS: readonly Column[] = [
  { key: 'code', header: 'Code', priority: 3 },
  { key: 'status', header: 'Status', priority: 2 },
  { key: 'amount', header: 'Amount', kind: 'amount', priority: 3 },
  { key: 'title', header: 'Title' },
];

export const ORDERS: readonly Row[] = [
  {
    id: 'ord_1',
    code: 'PO-00042',
    status: 'pending',
    amount: 23153.23,
    currency: 'USD',
    title: 'Bolts',
  },
  {
    id: 'ord_2',
    code: 'PO-00043',
    status: 'approved',
    amount: 900,
    currency: 'CLP',
    title: 'Señal, "50 km"',
  },
  {
    id: 'ord_3',
    code: 'PO-00044',
    status: null,
    amount: 50000,
    currency: 'USD',
    title: '工具一式',
    extra: [1],
  },
];

export function list(rows: RowsResult['rows'], more: Partial<RowsResult> = {}): RowsResult {
  return { kind: 'rows', columns: COLUMNS, rows, empty: 'There are no orders.', ...more };
}

export async function* pages(
  rows: readonly Row[],
  size: number,
  onPage: () => void = () => undefined,
): AsyncGenerator<readonly Row[]> {
  for (let from = 0; from < rows.length; from += size) {
    onPage();
    yield rows.slice(from, from + size);
  }
}
