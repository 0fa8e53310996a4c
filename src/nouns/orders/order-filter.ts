import type { FlagSpecs, FlagValues } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import type { Say } from '../../core/io.ts';
import type { Row, RowFilter } from '../../core/result.ts';
import { momentText, parseLastMoment, parseMoment } from '../../core/time/moment.ts';
import { fieldNames } from '../../output/field-path.ts';

/** The date of an order. The contract mentions this field only for sorting. */
const DATE = 'createdAt';

export const FILTER_FLAGS = {
  status: {
    kind: 'string',
    value: 'a,b',
    doc: 'only orders with one of these statuses; case is ignored',
  },
  since: { kind: 'string', value: 'when', doc: 'only orders created since then: 30d or a date' },
  until: {
    kind: 'string',
    value: 'when',
    doc: 'only orders created up to and including this day',
  },
} as const satisfies FlagSpecs;

/**
 * The filter of `--status`, `--since` and `--until`; undefined without these flags. It counts orders, so
 * each reading of the list needs a new filter.
 *
 * @param say prints the range of dates with its time zone
 * @throws ProcError `invalid_usage`
 */
export function orderFilter(
  { status, since, until }: FlagValues<typeof FILTER_FLAGS>,
  now: number,
  say: Say,
): RowFilter | undefined {
  if (status === undefined && since === undefined && until === undefined) return undefined;
  const from = since === undefined ? undefined : parseMoment(since, '--since', now);
  const to = until === undefined ? undefined : parseLastMoment(until, '--until', now);
  if (from !== undefined && to !== undefined && from > to) {
    throw new ProcError('invalid_usage', `--since ${since} is after --until ${until}`, {
      hint: 'Swap them',
    });
  }
  const range = [
    ...(from === undefined ? [] : [`since ${momentText(from)}`]),
    ...(to === undefined ? [] : [`until ${momentText(to)}`]),
  ].join(' ');
  if (range !== '') say({ kind: 'notice', text: `Orders created ${range}.` });
  return new OrderFilter(status, from, to);
}

class OrderFilter implements RowFilter {
  readonly flags: readonly string[];
  readonly fields: readonly string[];
  readonly #statuses: readonly string[] | undefined;
  readonly #from: number | undefined;
  readonly #to: number | undefined;
  #dated = 0;
  /** Orders that are left out only because they have no date. */
  #undated = 0;
  #withoutDate: Row | undefined;

  constructor(status: string | undefined, from: number | undefined, to: number | undefined) {
    const isDated = from !== undefined || to !== undefined;
    this.#statuses = status?.split(',').map((one) => one.trim().toLowerCase());
    this.#from = from;
    this.#to = to;
    this.flags = [
      ...(status === undefined ? [] : ['--status']),
      ...(from === undefined ? [] : ['--since']),
      ...(to === undefined ? [] : ['--until']),
    ];
    this.fields = [...(status === undefined ? [] : ['status']), ...(isDated ? [DATE] : [])];
  }

  keeps(order: Row): boolean {
    const wanted = this.#statuses;
    const hasStatus =
      wanted === undefined || wanted.includes(String(order.status ?? '').toLowerCase());
    if (this.#from === undefined && this.#to === undefined) return hasStatus;
    const value = order[DATE];
    const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(at)) {
      this.#withoutDate ??= order;
      if (hasStatus) this.#undated++;
      return false;
    }
    this.#dated++;
    return hasStatus && at >= (this.#from ?? at) && at <= (this.#to ?? at);
  }

  end(): void {
    if (this.#withoutDate === undefined || this.#dated > 0) return;
    const flag = this.#from === undefined ? '--until' : '--since';
    const fields = [...fieldNames([this.#withoutDate])].join(', ');
    throw new ProcError('invalid_usage', `${flag}: no order has a date in the field ${DATE}`, {
      hint: `Filter by another field with --where. Fields: ${fields}`,
    });
  }

  warnings(): readonly string[] {
    const flags = this.flags.filter((flag) => flag !== '--status').join(' and ');
    if (this.#undated === 0) return [];
    return this.#undated === 1
      ? [`${flags} leaves out 1 order, which has no date in ${DATE}`]
      : [`${flags} leaves out ${this.#undated} orders, which have no date in ${DATE}`];
  }
}
