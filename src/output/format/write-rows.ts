import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Column, Row, RowsResult } from '../../core/result.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { parseResponse } from '../../core/text/strict-json.ts';
import { paint } from '../../terminal/paint.ts';
import { visible } from '../../terminal/sanitise.ts';
import { naming } from '../out-file.ts';
import type { Rendering } from '../rendering.ts';
import { pick, valueAt } from '../select/field-path.ts';
import { columnsOf } from './cell.ts';
import { openGrid } from './write-grid.ts';
import { JsonArray, jsonLine } from './write-json.ts';

export async function writeRows(
  result: RowsResult,
  batches: AsyncIterable<readonly Row[]>,
  rendering: Rendering,
): Promise<void> {
  const { plan, sink } = rendering;
  const { fields } = plan;
  const picked = (row: Row): Row => (fields === undefined ? row : pick(row, fields));
  switch (plan.format) {
    case 'ndjson':
      for await (const batch of batches) {
        await sink.write(batch.map((row) => jsonLine(picked(row))).join(''));
        if (sink.closed()) break;
      }
      return;
    case 'id':
      for await (const batch of batches) {
        await writeIds(batch, result.idField ?? 'id', rendering);
        if (sink.closed()) break;
      }
      return;
    case 'csv':
    case 'xlsx':
      return writeGridOf(result, batches, rendering);
    case 'table': {
      const rows = await collect(batches);
      // If rows are left out, a reader would take the totals of all rows for totals of the rows shown.
      const isWhole = Array.isArray(result.rows) && rows.length === result.rows.length;
      const totals = isWhole ? result.totals : [];
      return writeTable(chosenColumns(rows, result.columns, fields), rows, rendering, totals);
    }
    case 'json': {
      const array = new JsonArray();
      for await (const batch of batches) {
        for (const piece of array.more(batch.map(picked))) {
          await sink.write(piece);
          if (sink.closed()) return;
        }
      }
      return sink.write(result.isCut?.() === true ? array.cut() : array.end());
    }
  }
}

export async function collect(batches: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) for (const row of batch) rows.push(row);
  return rows;
}

/**
 * The columns of `--fields`. Without `--fields`: the declared columns, or a column for each field if none is
 * declared.
 */
export function chosenColumns(
  rows: readonly Row[],
  declared: readonly Column[],
  fields: readonly string[] | undefined,
): readonly Column[] {
  if (fields === undefined) return declared.length === 0 ? columnsOf(rows) : declared;
  const found = columnsOf(
    rows.map((row) => pick(row, fields)),
    declared,
  );
  return fields.map((key) => {
    const column = found.find((one) => one.key === key) ?? { key, header: key };
    // A field that the user asked for is not the first to be hidden.
    return column.priority === 0 ? { ...column, priority: 1 } : column;
  });
}

export async function writeTable(
  columns: readonly Column[],
  rows: readonly Row[],
  { plan, sink, terminal, load, say, clock }: Rendering,
  totals: readonly Row[] = [],
): Promise<void> {
  if (rows.length === 0) return;
  const toStdout = plan.out === undefined;
  const table = (await load.table()).rows(columns, rows, {
    width: toStdout && terminal.stdoutIsTerminal ? terminal.width : undefined,
    paint: paint(toStdout && terminal.color.stdout),
    now: clock.now(),
    totals,
  });
  await sink.write(table.text);
  if (table.hidden.length > 0) {
    say({
      kind: 'notice',
      text: `Hidden columns: ${table.hidden.join(', ')}. To see them, use a wider terminal, --fields or -o json.`,
    });
  }
}

export async function writeIds(
  rows: readonly Row[],
  idField: string,
  { sink, say }: Rendering,
): Promise<void> {
  let without = 0;
  let text = '';
  for (const row of rows) {
    const id = valueAt(row, idField);
    const written = numberText(id) ?? (typeof id === 'string' && id !== '' ? id : undefined);
    if (written === undefined) without++;
    // Escape line breaks inside an id, because readers expect one id per line.
    else text += `${/[\r\n]/.test(written) ? visible(written) : written}\n`;
  }
  await sink.writeData(text);
  if (without > 0) {
    const what = without === 1 ? '1 row has' : `${without} rows have`;
    say({
      kind: 'warning',
      text: `-o id: ${what} no "${idField}" and ${without === 1 ? 'is' : 'are'} left out`,
    });
  }
}

/**
 * The header is written before the rows. A file gets a column for every field, so its rows are read to the end
 * first. Standard output must not wait: it gets the stated fields and those of the first rows.
 */
async function writeGridOf(
  result: RowsResult,
  batches: AsyncIterable<readonly Row[]>,
  rendering: Rendering,
): Promise<void> {
  const { plan, sink, say } = rendering;
  const { columns: declared, fields: stated = [] } = result;
  const first = stated.length > 0 ? stated : declared.map(({ key }) => key);
  const isKnown = plan.out === undefined || Array.isArray(result.rows);
  const grid = await openGrid(declared, rendering);
  const others = new Set<string>();
  let names = plan.fields;
  let rows = batches;
  const readsTwice = plan.fields === undefined && (plan.out !== undefined || stated.length === 0);
  using kept = readsTwice ? (isKnown ? keepInMemory() : keepInFile(plan.out)) : undefined;
  if (kept !== undefined) {
    const all = new Set(first);
    for await (const batch of batches) {
      for (const row of batch) for (const key of Object.keys(row)) all.add(key);
      kept.add(batch);
    }
    names = [...all];
    rows = kept.batches();
  }
  let isBegun = false;
  for await (const batch of rows) {
    if (batch.length === 0) continue;
    names ??= [...new Set([...first, ...batch.flatMap((row) => Object.keys(row))])];
    if (!isBegun) await grid.header(names);
    isBegun = true;
    await grid.rows(batch);
    if (sink.closed()) return;
    if (plan.fields === undefined) noteOthers(batch, names, others);
  }
  if (!isBegun) await grid.header(names ?? first);
  // A reader must not take the beginning of a list for all of it.
  if (result.isCut?.() !== true) await grid.end();
  if (others.size > 0) say({ kind: 'warning', text: withoutColumn([...others], names ?? first) });
}

/** Notes the fields that have no column: the header was written before the rows were read. */
function noteOthers(rows: readonly Row[], known: readonly string[], others: Set<string>): void {
  for (const row of rows) {
    for (const key of Object.keys(row)) if (!known.includes(key)) others.add(key);
  }
}

function withoutColumn(others: readonly string[], known: readonly string[]): string {
  const shown = others.slice(0, 8);
  const all = [...known, ...shown].join(',');
  return `Later rows have more fields: ${shown.join(', ')}${others.length > shown.length ? ', …' : ''}. To include them, use --out FILE, or add --fields ${all}`;
}

const BATCH = 1000;

/** Rows that are read twice: first for the names of their fields. */
interface KeptRows extends Disposable {
  add(rows: readonly Row[]): void;
  batches(): AsyncIterable<readonly Row[]>;
}

function keepInMemory(): KeptRows {
  const kept: Array<readonly Row[]> = [];
  return {
    add: (rows) => kept.push(rows),
    async *batches() {
      yield* kept;
    },
    [Symbol.dispose]: () => undefined,
  };
}

/**
 * A temporary file beside `--out`, because the rows of a long list do not fit in memory.
 *
 * @throws ProcError `unwritable_output`, also from the functions of the result
 */
function keepInFile(out: string): KeptRows {
  const suffix = Math.random().toString(36).slice(2, 10);
  const path = join(dirname(out), `.${basename(out)}.${suffix}.rows.tmp`);
  const file = naming(out, () => openSync(path, 'wx+', 0o600));
  // An open file needs no name, and without one nothing is left after a kill.
  const unnamed = () => rmSync(path, { force: true });
  try {
    unnamed();
  } catch {
    // Windows may keep the name until the file is closed.
  }
  /** Where each batch ends, in bytes. */
  const ends: number[] = [];
  return {
    add(rows) {
      for (let from = 0; from < rows.length; from += BATCH) {
        const bytes = Buffer.from(JSON.stringify(rows.slice(from, from + BATCH)));
        naming(out, () => {
          for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
        });
        ends.push((ends.at(-1) ?? 0) + bytes.length);
      }
    },
    async *batches() {
      let start = 0;
      for (const end of ends) {
        const bytes = Buffer.alloc(end - start);
        for (let at = 0; at < bytes.length; ) {
          at += readSync(file, bytes, at, bytes.length - at, start + at);
        }
        yield parseResponse(bytes.toString()) as readonly Row[];
        start = end;
      }
    },
    [Symbol.dispose]() {
      closeSync(file);
      unnamed();
    },
  };
}
