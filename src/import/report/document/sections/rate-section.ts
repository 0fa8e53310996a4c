import type { Block, Section, Table } from '../../../../core/document/document.ts';
import { withMark } from '../../../../core/text/decimal.ts';
import type { RateSpan } from '../sending-rate.ts';
import { columnsOf, type RunContent } from './row-table.ts';

export function rateSection(content: RunContent): Section | undefined {
  const { rate } = content.report;
  const { title, chart, unit, table, sheet } = content.words.rate;
  const [first] = rate;
  const last = rate.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const clockTime = timesOf(rate);
  const most = Math.max(...rate.map(({ perSecond }) => perSecond));
  const spans: Table = {
    kind: 'table',
    title: table,
    sheet,
    columns: columnsOf(content, ['time', 'rows', 'perSecond']),
    rows: rate.map(({ at, rows, perSecond }) => ({ time: clockTime(at), rows, perSecond })),
    count: rate.length,
    most: undefined,
    isFolded: true,
  };
  const said = chart(withMark(most, content.lang), clockTime(first.at), clockTime(last.at));
  const points = rate.map(({ at, perSecond }) => ({ label: clockTime(at), value: perSecond }));
  const drawing: readonly Block[] =
    points.length < 2 ? [] : [{ kind: 'line', title: said, points, unit }];
  return { title, blocks: [...drawing, spans] };
}

const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * `14:05:09`, in the time zone of this machine. The date is added if the times span a day or more.
 */
function timesOf(rate: readonly RateSpan[]): (iso: string) => string {
  const [first, last] = [rate[0], rate.at(-1)].map((span) => Date.parse(span?.at ?? ''));
  const isLong = Number(last) - Number(first) >= DAY_MS;
  return (iso) => {
    const time = new Date(iso);
    const two = (n: number) => String(n).padStart(2, '0');
    const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':');
    if (!isLong) return clock;
    return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} ${clock}`;
  };
}
