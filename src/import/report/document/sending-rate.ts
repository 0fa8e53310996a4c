import type { Journal } from '../../ledger/journal.ts';

export interface RateSpan {
  /** ISO time at which the span begins. */
  readonly at: string;
  readonly rows: number;
  /** Rounded to a tenth. */
  readonly perSecond: number;
}

/** The most spans, so that their table stays short in the summary of a CI job. */
const MOST_SPANS = 20;

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** No span is shorter than a second, because the report shows times to the second. */
const SPANS_MS = [
  ...[1, 2, 5, 10, 30].map((seconds) => seconds * SECOND),
  ...[1, 2, 5, 10, 30].map((minutes) => minutes * MINUTE),
  ...[1, 6, 24].map((hours) => hours * HOUR),
];

/** Rows sent over time, in equal spans; empty if nothing was sent. */
export function sendingRate(journal: Journal): readonly RateSpan[] {
  const time = journal.reported.sendingTime();
  if (time === undefined) return [];
  const { first, last } = time;
  const spanMs =
    SPANS_MS.find((span) => (last - first) / span < MOST_SPANS) ??
    Math.ceil((last - first + 1) / MOST_SPANS);
  const counts = new Map(
    journal.reported.sentPerSpan(first, spanMs).map(({ span, rows }) => [span, rows]),
  );
  const spans = Math.floor((last - first) / spanMs) + 1;
  return Array.from({ length: spans }, (_, span) => {
    const rows = counts.get(span) ?? 0;
    return {
      at: new Date(first + span * spanMs).toISOString(),
      rows,
      perSecond: Math.round((rows / spanMs) * 10 * SECOND) / 10,
    };
  });
}
