import type { Paint } from '../../terminal/paint.ts';

/** Words that services and proc use for states. Other words have no colour. */
const GOOD =
  /^(?:ok|done|complete|completed|created|existing|approved|accepted|active|delivered|received|paid|finished|closed)$/i;
const OPEN =
  /^(?:pending|open|draft|new|sending|submitted|waiting|processing|partial|unfinished|unconfirmed|unknown|parked|warning|not-applied)$/i;
const BAD =
  /^(?:rejected|failed|failure|error|cancelled|canceled|denied|expired|overdue|damaged|refused|problem)$/i;

function meaningOf(status: string): 'good' | 'open' | 'bad' | undefined {
  if (GOOD.test(status)) return 'good';
  if (OPEN.test(status)) return 'open';
  return BAD.test(status) ? 'bad' : undefined;
}

export function paintStatus(text: string, paint: Paint): string {
  const meaning = meaningOf(text);
  if (meaning === undefined) return text;
  return { good: paint.green, open: paint.yellow, bad: paint.red }[meaning](text);
}
