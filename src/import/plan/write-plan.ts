import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Row } from '../../core/result.ts';
import { importPlanMessages } from '../../messages/planning.ts';
import { csvHeader, csvRow } from '../../output/format/csv.ts';
import { MOST_TEXT } from '../../output/format/xlsx/sheet-xml.ts';
import { WorkbookWriter } from '../../output/format/xlsx/workbook-writer.ts';
import type { Grid } from '../../output/format-loader.ts';
import { checkOutFile, openOutFile } from '../../output/out-file.ts';
import type { PlannedRow } from '../ledger/rows/reported-rows.ts';
import type { OpenRun } from '../open-run.ts';
import { withReason } from '../report/words.ts';

const FIELDS = ['row', 'line', 'state', 'code', 'name', 'id', 'reason', 'payload', 'record'];

/** Rows in memory at once. A plan may have a million. */
const PER_BATCH = 500;

/**
 * Checks that the file of `--plan` can be written. Called before the import reads anything.
 *
 * @param source the file to import; `-` for standard input
 * @throws ProcError `invalid_usage`, `unwritable_output`
 */
export async function checkPlanFile(
  file: string | undefined,
  source: string,
  { self: { cwd } }: Ports<'self'>,
): Promise<void> {
  if (file === undefined) return;
  if (!/\.(csv|xlsx|ndjson)$/i.test(file)) {
    throw new ProcError(
      'invalid_usage',
      `--plan ${file}: its extension selects the format, one of: .csv, .xlsx, .ndjson`,
      { hint: 'Use e.g. --plan plan.xlsx' },
    );
  }
  const path = resolve(cwd, file);
  await checkOutFile(path, '--plan');
  const own = statSync(path, { throwIfNoEntry: false });
  const read =
    source === '-' ? undefined : statSync(resolve(cwd, source), { throwIfNoEntry: false });
  if (own !== undefined && own.ino === read?.ino && own.dev === read.dev) {
    throw new ProcError('invalid_usage', `--plan ${file} is the file to import`);
  }
}

/**
 * Writes the file of `--plan`, which lists every row with its state, reason and payload.
 *
 * @throws ProcError `unwritable_output`; an existing file stays unchanged
 */
export async function writePlan(
  { journal, target, progress }: OpenRun,
  ports: Ports<'io' | 'self'>,
): Promise<void> {
  const { planFile } = journal.header;
  if (planFile === undefined) return;
  const words = importPlanMessages[await ports.io.lang()];
  const file = await openOutFile(planFile, '--plan');
  try {
    const writer = writerFor(
      planFile,
      (bytes) => file.write(bytes),
      journal.rows.reported.longestPayload(),
    );
    await writer.header();
    let count = 0;
    let batch: PlanLine[] = [];
    const flush = async (): Promise<void> => {
      await writer.rows(batch);
      count += batch.length;
      batch = [];
      progress.step(words.steps.writingPlan(count), { step: 'write plan', rows: count });
      ports.self.signal.throwIfAborted();
    };
    for (const row of journal.rows.reported.planned(target.listing?.nameField ?? 'title')) {
      batch.push(withReason(row));
      if (batch.length === PER_BATCH) await flush();
    }
    await flush();
    await writer.end();
    await file.commit();
  } catch (thrown) {
    await file.abort();
    throw thrown;
  }
  journal.note({ planFile });
  if (ports.io.terminal.interactive) {
    ports.io.say({ kind: 'notice', text: words.planWritten(planFile) });
  }
}

type PlanLine = ReturnType<typeof withReason<PlannedRow>>;

interface PlanWriter {
  header(): Promise<void>;
  rows(rows: readonly PlanLine[]): Promise<void>;
  end(): Promise<void>;
}

type Write = (content: string | Uint8Array) => Promise<void>;

function writerFor(path: string, write: Write, longestPayload: number): PlanWriter {
  const ending = path.slice(path.lastIndexOf('.') + 1).toLowerCase();
  if (ending === 'xlsx') return sheetWriter(write, longestPayload);
  const done = async () => undefined;
  if (ending === 'ndjson') {
    return { header: done, rows: (rows) => write(rows.map(jsonLine).join('')), end: done };
  }
  const csv = { dialect: 'rfc4180', raw: false } as const;
  return {
    header: () => write(csvHeader(FIELDS, csv)),
    rows: (rows) => write(rows.map((row) => csvRow({ ...row }, FIELDS, csv)).join('')),
    end: done,
  };
}

/** Inserts payload and record as JSON text, because parsing could change their numbers. */
function jsonLine({ payload, record, ...row }: PlanLine): string {
  return `${JSON.stringify(row).slice(0, -1)},"payload":${payload},"record":${record}}\n`;
}

/** A cell holds 32,767 characters: a longer payload continues in the columns `payload 2`, `payload 3`, … */
function sheetWriter(write: Write, longestPayload: number): PlanWriter {
  const more = Array.from(
    { length: Math.max(0, Math.ceil(longestPayload / (MOST_TEXT - 1)) - 1) },
    (_, index) => `payload ${index + 2}`,
  );
  const at = FIELDS.indexOf('payload') + 1;
  const grid: Grid = new WorkbookWriter({ write, sheet: 'Plan', columns: [] });
  return {
    header: () => grid.header([...FIELDS.slice(0, at), ...more, ...FIELDS.slice(at)]),
    rows: (rows) => grid.rows(rows.map((row) => inCells(row, more))),
    end: () => grid.end(),
  };
}

function inCells(row: PlanLine, more: readonly string[]): Row {
  const cells: Record<string, unknown> = { ...row };
  for (const [name, value] of Object.entries(row)) {
    if (typeof value !== 'string' || value.length <= MOST_TEXT) continue;
    const [first, rest] = splitText(value);
    cells[name] = name === 'payload' ? first : `${first.slice(0, -1)}…`;
    if (name !== 'payload') continue;
    let left = rest;
    for (const column of more) [cells[column], left] = splitText(left);
  }
  return cells;
}

/** The beginning that fits in a cell, and the rest. A pair of surrogates stays together. */
function splitText(text: string): [string, string] {
  const isPair = /[\ud800-\udbff]/.test(text[MOST_TEXT - 1] ?? '');
  const end = isPair ? MOST_TEXT - 1 : MOST_TEXT;
  return [text.slice(0, end), text.slice(end)];
}
