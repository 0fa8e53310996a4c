import type { Block, Column, Row } from '../../core/result.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { paint } from '../../terminal/paint.ts';
import type { TableOptions } from '../format-loader.ts';
import type { Rendering } from '../rendering.ts';
import { columnsOf } from './cell.ts';
import { writeGrid } from './write-grid.ts';
import { jsonLine, jsonPieces } from './write-json.ts';
import { writeIds, writeTable } from './write-rows.ts';

function isRow(value: unknown): value is Row {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    numberText(value) === undefined
  );
}

/** Lists become columns 1, 2, …, single values the column `value`. */
function asRow(value: unknown): Row {
  if (isRow(value)) return value;
  if (!Array.isArray(value)) return { value };
  return Object.fromEntries(value.map((one, index) => [String(index + 1), one]));
}

function plainText(value: unknown): string {
  return numberText(value) ?? (typeof value === 'string' ? value : JSON.stringify(value));
}

/** `labels` replaces headers that are only the key. */
function labelled(column: Column, labels: Readonly<Record<string, string>>): Column {
  const { key, header } = column;
  return header === key ? { ...column, header: labels[key] ?? key } : column;
}

interface RecordForm {
  readonly columns: readonly Column[];
  readonly idField: string;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

export async function writeRecord(
  value: Row,
  { columns, idField, labels = {} }: RecordForm,
  rendering: Rendering,
): Promise<void> {
  const { plan, sink, load } = rendering;
  switch (plan.format) {
    case 'table': {
      const { record } = await load.table();
      const showsCurrency = columns.some(
        ({ kind, key }) => kind === 'amount' && (value[key] ?? null) !== null,
      );
      const others = columnsOf([value]).filter(
        ({ key }) =>
          !columns.some((one) => one.key === key) && !(showsCurrency && key === 'currency'),
      );
      const chosen = plan.fields === undefined ? [...columns, ...others] : columns;
      const shown = chosen.map((column) => labelled(column, labels));
      return sink.write(record(shown, value, { ...tableOptions(rendering), labels }).text);
    }
    case 'csv':
    case 'xlsx':
      return writeGrid([value], Object.keys(value), columns, rendering);
    case 'id':
      return writeIds([value], idField, rendering);
    default:
      return writeTree(value, rendering);
  }
}

export async function writeBlocks(blocks: readonly Block[], rendering: Rendering): Promise<void> {
  const { blocks: drawn } = await rendering.load.table();
  return rendering.sink.write(drawn(blocks, tableOptions(rendering)));
}

function tableOptions({ plan, terminal, clock }: Rendering): TableOptions {
  const onTerminal = terminal.stdoutIsTerminal && plan.out === undefined;
  const width = onTerminal ? terminal.width : undefined;
  const color = plan.out === undefined && terminal.color.stdout;
  return { width, paint: paint(color), now: clock.now() };
}

async function writeTree(value: unknown, { plan, sink }: Rendering): Promise<void> {
  if (plan.format === 'ndjson') {
    for (const one of Array.isArray(value) ? value : [value]) await sink.write(jsonLine(one));
    return;
  }
  for (const piece of jsonPieces(value)) {
    if (sink.closed()) return;
    await sink.write(piece);
  }
}

/**
 * @param inputs the rows before the query. If the query returns only such rows, unchanged,
 * `columns` are shown.
 */
export async function writeQueried(
  value: unknown,
  inputs: ReadonlySet<unknown>,
  { columns, idField }: RecordForm,
  rendering: Rendering,
): Promise<void> {
  const { plan, sink, say } = rendering;
  if (['json', 'ndjson'].includes(plan.format)) return writeTree(value, rendering);
  if (value === null) {
    say({ kind: 'notice', text: '--query: the result is null' });
    return;
  }
  if (isRow(value))
    return writeRecord(value, { columns: columnsOf([value], columns), idField }, rendering);
  if (!Array.isArray(value)) {
    if (!['csv', 'xlsx'].includes(plan.format)) return sink.writeData(`${plainText(value)}\n`);
    return writeGrid([{ value }], ['value'], [], rendering);
  }
  if (plan.format === 'id' && !value.some(isRow)) {
    return sink.writeData(
      value.map((one) => `${plainText(one).replace(/[\r\n]+/g, ' ')}\n`).join(''),
    );
  }
  const rows = value.map(asRow);
  const chosen = rows.length > 0 && rows.every((row) => inputs.has(row));
  const shown = chosen && plan.fields === undefined ? columns : columnsOf(rows, columns);
  if (plan.format === 'id') return writeIds(rows, idField, rendering);
  if (plan.format === 'table') return writeTable(shown, rows, rendering);
  const fields = columnsOf(rows).map(({ key }) => key);
  await writeGrid(rows, fields, columns, rendering);
}
