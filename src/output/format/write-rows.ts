import type { Column, Row, RowsResult } from '../../core/result.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { paint } from '../../terminal/paint.ts';
import { visible } from '../../terminal/sanitise.ts';
import type { Rendering } from '../rendering.ts';
import { pick, valueAt } from '../select/field-path.ts';
import { columnsOf } from './cell.ts';
import { openGrid, writeGrid } from './write-grid.ts';
import { jsonBatches, jsonLine, jsonPieces } from './write-json.ts';

export async function writeRows(
  result: RowsResult,
  batches: AsyncIterable<readonly Row[]>,
  rendering: Rendering,
): Promise<void> {
  const { plan, sink, load } = rendering;
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
    case 'tsv':
    case 'xlsx':
      return writeGridOf(result, batches, rendering);
    case 'table': {
      const rows = await collect(batches);
      // If rows are left out, a reader would take the totals of all rows for totals of the rows shown.
      const isWhole = Array.isArray(result.rows) && rows.length === result.rows.length;
      const totals = isWhole ? result.totals : [];
      return writeTable(chosenColumns(rows, result.columns, fields), rows, rendering, totals);
    }
    case 'yaml': {
      const rows = (await collect(batches)).map(picked);
      return sink.write((await load.yaml())(rows));
    }
    case 'json': {
      if (result.isStored === true) {
        for await (const piece of jsonBatches(pickedOf(batches, picked))) {
          await sink.write(piece);
          if (sink.closed()) break;
        }
        return;
      }
      const rows = (await collect(batches)).map(picked);
      for (const piece of jsonPieces(rows)) {
        await sink.write(piece);
        if (sink.closed()) break;
      }
    }
  }
}

export async function collect(batches: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const batch of batches) for (const row of batch) rows.push(row);
  return rows;
}

async function* pickedOf(
  batches: AsyncIterable<readonly Row[]>,
  picked: (row: Row) => Row,
): AsyncGenerator<readonly Row[]> {
  for await (const batch of batches) yield batch.map(picked);
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
    noHeaders: plan.noHeaders,
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

async function writeGridOf(
  { columns: declared, fields: stated = [] }: RowsResult,
  batches: AsyncIterable<readonly Row[]>,
  rendering: Rendering,
): Promise<void> {
  const { plan, sink, say } = rendering;
  const fields = plan.fields ?? (stated.length > 0 ? stated : undefined);
  if (fields !== undefined) {
    const others = new Set<string>();
    const grid = await openGrid(declared, rendering);
    await grid.header(fields);
    for await (const batch of batches) {
      await grid.rows(batch);
      if (sink.closed()) break;
      if (plan.fields === undefined) noteOthers(batch, fields, others);
    }
    await grid.end();
    if (others.size > 0) say({ kind: 'notice', text: withoutColumn([...others], fields) });
    return;
  }
  // Even the last row may have a new field, so the header is written after all rows are read.
  const rows = await collect(batches);
  const names = [
    ...new Set([...declared.map(({ key }) => key), ...columnsOf(rows).map(({ key }) => key)]),
  ];
  await writeGrid(rows, names, declared, rendering);
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
  return `The rows have more fields: ${shown.join(', ')}${others.length > shown.length ? ', …' : ''}. To include them, add --fields ${all}`;
}
