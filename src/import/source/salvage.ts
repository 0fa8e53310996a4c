import { KEPT_BYTES } from './bytes/limits.ts';
import { RAW } from './record.ts';

/** How much text of an unreadable record is kept: a spreadsheet cell holds 32,767 characters. */
const MOST_CHARS = 32_000;

type Kept = Readonly<Record<string, string>>;

/**
 * Keeps the text of a record in `_raw`, and its cells under their columns while there is room. A
 * person can then correct it.
 *
 * @param columns of a CSV file
 * @param cells of a CSV file, as far as they were recognised
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

/** The same as {@link salvaged} for bytes. Bytes that are not UTF-8 become �. */
export function salvagedBytes(bytes: Buffer): Kept {
  return salvaged(bytes.toString('utf8', 0, KEPT_BYTES));
}

function shortened(text: string): string {
  const whole = text.replace(/[\r\n]+$/, '');
  if (whole.length <= MOST_CHARS) return writable(whole);
  const cut = whole.slice(0, MOST_CHARS - CUT.length);
  return writable(cut) + CUT;
}

const CUT = ' … (cut here)';

/** Text that can be written to any file and read back: a NUL or half a character becomes �. */
function writable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
