import type { Paint } from '../../terminal/paint.ts';

/** Words that services and proc use for states. Others have no colour. */
const GOOD =
  /^(?:ok|done|complete|completed|created|existing|approved|accepted|active|delivered|received|paid|finished|closed)$/i;
const OPEN =
  /^(?:pending|open|draft|new|sending|submitted|waiting|processing|partial|unfinished|unconfirmed|unknown|parked|warning|not-applied)$/i;
const BAD =
  /^(?:rejected|failed|failure|error|cancelled|canceled|denied|expired|overdue|damaged|refused|problem)$/i;

/** A state in the colour of its meaning. */
export function paintStatus(text: string, paint: Paint): string {
  if (GOOD.test(text)) return paint.green(text);
  if (OPEN.test(text)) return paint.yellow(text);
  return BAD.test(text) ? paint.red(text) : text;
}
