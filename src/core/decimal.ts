/** A decimal number as digits and a power of ten: `-12.50` → `-`, `125`, `-1`. */
interface Decimal {
  readonly negative: boolean;
  /** Without leading or trailing zeros; empty for zero. */
  readonly digits: string;
  readonly exponent: bigint;
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Reads a decimal literal exactly; undefined where the text is none. */
export function parseDecimal(text: string): Decimal | undefined {
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
