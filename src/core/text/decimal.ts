/** A decimal number as digits and a power of ten: `-12.50` → `-`, `125`, `-1`. */
interface Decimal {
  readonly negative: boolean;
  /** Without leading or trailing zeros; empty for zero. */
  readonly digits: string;
  readonly exponent: bigint;
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Amounts beyond this power of ten are nobody's, and adding them would fill the memory with zeros. */
const MOST_EXPONENT = 400n;

/** Whether {@link sumDecimals} can add it. */
export function isSummable(text: string): boolean {
  const decimal = parseDecimal(text);
  return (
    decimal !== undefined && decimal.exponent <= MOST_EXPONENT && decimal.exponent >= -MOST_EXPONENT
  );
}

/** Reads a decimal literal exactly; undefined where the text is none. */
function parseDecimal(text: string): Decimal | undefined {
  const match = DECIMAL.exec(text);
  if (match === null) return undefined;
  const fraction = match[3] ?? '';
  const all = (match[2]! + fraction).replace(/^0+/, '');
  const digits = all.replace(/0+$/, '');
  if (digits === '') return { negative: false, digits: '', exponent: 0n };
  const exponent =
    BigInt(match[4] ?? '0') - BigInt(fraction.length) + BigInt(all.length - digits.length);
  return { negative: match[1] === '-', digits, exponent };
}

/** Whether a JSON number survives the way through a double: `0.1` does, `12345678901234567890.12` does not. */
export function survivesDouble(source: string): boolean {
  const value = Number(source);
  if (!Number.isFinite(value)) return false;
  const wanted = parseDecimal(source);
  const kept = parseDecimal(String(value));
  return (
    wanted !== undefined &&
    kept !== undefined &&
    wanted.digits === kept.digits &&
    wanted.exponent === kept.exponent &&
    wanted.negative === kept.negative
  );
}

/**
 * The exact sum of decimal literals, as one: 0.1 + 0.2 is `0.3`.
 *
 * @throws RangeError where a literal is none or its exponent is absurd.
 */
export function sumDecimals(texts: Iterable<string>): string {
  let digits = 0n;
  let scale = 0n;
  for (const text of texts) {
    const decimal = parseDecimal(text);
    if (decimal === undefined || !isSummable(text)) {
      throw new RangeError(`${text} is not a decimal number`);
    }
    const shift = -decimal.exponent > scale ? -decimal.exponent : scale;
    digits *= 10n ** (shift - scale);
    scale = shift;
    const own = BigInt(decimal.digits === '' ? '0' : decimal.digits);
    digits += (decimal.negative ? -own : own) * 10n ** (scale + decimal.exponent);
  }
  const text = (digits < 0n ? -digits : digits).toString().padStart(Number(scale) + 1, '0');
  const whole = text.slice(0, text.length - Number(scale));
  const fraction = text.slice(whole.length).replace(/0+$/, '');
  return `${digits < 0n ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}

/** A decimal as a number where a double holds it, else as raw JSON with all its digits. */
export function exactNumber(text: string): unknown {
  return survivesDouble(text)
    ? Number(text)
    : (JSON as unknown as { rawJSON(source: string): unknown }).rawJSON(text);
}
