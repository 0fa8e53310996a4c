import { RAW } from '../map/repair/marks.ts';
import { KEPT_BYTES } from './bytes/limits.ts';

/** What a record that could not be read keeps of its text: a spreadsheet's cell holds 32,767 characters. */
const MOST_CHARS = 32_000;

type Kept = Readonly<Record<string, string>>;

/**
 * What is kept of a record that cannot be read, for whoever will mend it: its text in `_raw`, and the
 * cells that could be told apart under their columns, as far as there is room for them.
 *
 * @param columns and `cells`: CSV only
 */
export function salvaged(
  text: string,
  columns: readonly string[] = [],
  cells: readonly string[] = [],
): Kept {
  const kept: Record<string, string> = {};
  let room = MOST_CHARS;
  for (const [index, column] of columns.entries()) {
    const cell = cells[index];
    if (cell === undefined || cell.length > room) break;
    room -= cell.length;
    // A column named `__proto__` must not become the prototype.
    Object.defineProperty(kept, column, {
      value: writable(cell),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  kept[RAW] = shortened(text);
  return kept;
}

/** The same of bytes; those that are no UTF-8 show as �. */
export function salvagedBytes(bytes: Buffer): Kept {
  return salvaged(bytes.toString('utf8', 0, KEPT_BYTES));
}

function shortened(text: string): string {
  const whole = text.replace(/[\r\n]+$/, '');
  if (whole.length <= MOST_CHARS) return writable(whole);
  const cut = whole.slice(0, MOST_CHARS - CUT.length);
  return writable(cut) + CUT;
}

/** Said where a text goes on. */
const CUT = ' … (cut here)';

/** Text that can be written into any file and be read again: a NUL, or half a character, shows as �. */
function writable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
