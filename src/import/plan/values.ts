import { isObject } from '../../core/is-object.ts';
import type { Row } from '../../core/result.ts';
import { grouped } from '../../core/text/decimal.ts';
import { numberText } from '../../core/text/raw-number.ts';
import { parseResponse } from '../../core/text/strict-json.ts';
import { truncate } from '../../output/width.ts';
import type { Draft } from '../draft/draft.ts';
import { placeOf } from '../report/words.ts';

interface SampleRow {
  readonly row: number;
  readonly line: number | null;
  /** All fields that are sent; of a requisition with several lines, those of the first line. */
  readonly values: Row;
  /** Of a requisition: the number of lines. */
  readonly lines?: number;
}

/** The first and the last rows of a plan, as a person sees them before they agree. */
export interface PlanValues {
  readonly rows: readonly SampleRow[];
  /** Codes of records, by the id that is sent. */
  readonly spelled?: Readonly<Record<string, string>>;
}

const FIRST_ROWS = 3;
const LAST_ROWS = 2;

/** @returns undefined if no row is to be created */
export function planValues(
  draft: Draft,
  spelled: Readonly<Record<string, string>>,
): PlanValues | undefined {
  const rows = draft.ends('pending', FIRST_ROWS, LAST_ROWS);
  if (rows.length === 0) return undefined;
  return {
    rows: rows.map(({ row, line, body: text }): SampleRow => {
      const body = parseResponse(text!) as Row;
      const values: Record<string, unknown> = {};
      for (const [field, value] of valuesIn(body)) if (!(field in values)) values[field] = value;
      const lines = linesIn(body).length;
      return { row, line, values, ...(lines > 1 ? { lines } : {}) };
    }),
    spelled,
  };
}

/** The fields of a body with their values. Groups and lines have the names of flat rows. */
function* valuesIn(body: Row): Generator<readonly [string, unknown]> {
  for (const [field, value] of Object.entries(body)) {
    if (field !== 'groups' || !Array.isArray(value)) yield [field, value];
  }
  for (const group of groupsIn(body)) {
    const { items: _, ...own } = group;
    for (const [field, value] of Object.entries(own)) yield [`group.${field}`, value];
  }
  for (const { itemId, item, ...line } of linesIn(body)) {
    if (itemId !== undefined) yield ['item.id', itemId];
    if (isObject(item)) {
      for (const [field, value] of Object.entries(item)) yield [`item.${field}`, value];
    }
    yield* Object.entries(line);
  }
}

function groupsIn({ groups }: Row): readonly Row[] {
  return Array.isArray(groups) ? groups.filter(isObject) : [];
}

function linesIn(body: Row): readonly Row[] {
  return groupsIn(body).flatMap(({ items }) =>
    Array.isArray(items) ? items.filter(isObject) : [],
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (numberText(value) ?? JSON.stringify(value));
}

const SHOWN_WIDTH = 48;

/** For a terminal: a line for each row. */
export function valuesText({ rows, spelled = {} }: PlanValues): readonly string[] {
  const shown = (field: string, value: unknown): string => {
    const text = textOf(value);
    return field === 'orderId' && Object.hasOwn(spelled, text) ? spelled[text]! : text;
  };
  return rows.map(({ row, line, values, lines }) => {
    const cells = Object.entries(values).map(
      ([field, value]) => `${field} ${truncate(shown(field, value), SHOWN_WIDTH)}`,
    );
    const more = lines === undefined ? '' : ` · ${grouped(lines)} lines`;
    return `    ${placeOf(row, line)}: ${cells.join(' · ')}${more}`;
  });
}
