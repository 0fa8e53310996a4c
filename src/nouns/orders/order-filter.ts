import type { FlagValues } from '../../core/command-spec.ts';
import { ProcError } from '../../core/errors.ts';
import type { Say } from '../../core/io.ts';
import { momentText, parseLastMoment, parseMoment } from '../../core/moment.ts';
import type { Row, RowFilter } from '../../core/result.ts';
import type { FILTER_FLAGS } from './index.ts';

/** The date of an order. The contract mentions this field only for sorting. */
const DATE = 'createdAt';

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
  const statuses = status?.split(',').map((one) => one.trim().toLowerCase());
  const from = since === undefined ? undefined : parseMoment(since, '--since', now);
  const to = until === undefined ? undefined : parseLastMoment(until, '--until', now);
  if (from !== undefined && to !== undefined && from > to)
    throw new ProcError('invalid_usage', `--since ${since} is after --until ${until}`, {
      hint: 'Swap them',
    });
  const range = [
    ...(from === undefined ? [] : [`since ${momentText(from)}`]),
    ...(to === undefined ? [] : [`until ${momentText(to)}`]),
  ].join(' ');
  if (range !== '') say({ kind: 'notice', text: `Orders created ${range}.` });
  else if (statuses === undefined) return undefined;
  const dates = [
    ...(from === undefined ? [] : ['--since']),
    ...(to === undefined ? [] : ['--until']),
  ];
  let dated = 0;
  /** Orders that are left out only because they have no date. */
  let undated = 0;
  let withoutDate: Row | undefined;
  return {
    flags: [...(statuses === undefined ? [] : ['--status']), ...dates],
    fields: [...(statuses === undefined ? [] : ['status']), ...(range === '' ? [] : [DATE])],
    keeps(order) {
      const hasStatus = statuses?.includes(String(order.status ?? '').toLowerCase()) ?? true;
      if (range === '') return hasStatus;
      const value = order[DATE];
      const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
      if (Number.isNaN(at)) {
        withoutDate ??= order;
        if (hasStatus) undated++;
        return false;
      }
      dated++;
      return hasStatus && at >= (from ?? at) && at <= (to ?? at);
    },
    end() {
      if (withoutDate === undefined || dated > 0) return;
      const fields = Object.keys(withoutDate).join(', ');
      const message = `${dates[0]}: no order has a date in the field ${DATE}`;
      const hint = `Filter by another field with --where. Fields: ${fields}`;
      throw new ProcError('invalid_usage', message, { hint });
    },
    warnings() {
      if (undated === 0) return [];
      const orders = undated === 1 ? '1 order, which has' : `${undated} orders, which have`;
      return [`${dates.join(' and ')} leaves out ${orders} no date in ${DATE}`];
    },
  };
}
