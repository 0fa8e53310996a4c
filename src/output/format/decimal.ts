/** A decimal taken apart: `sign × 0.digits × 10^exponent`, digits without outer zeros. */
interface Decimal {
  readonly sign: -1 | 0 | 1;
  readonly digits: string;
  readonly exponent: number;
}

const DECIMAL = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

/** True for `12`, `-12.50`, `1e3`: what compares as a number. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text);
}

function parse(text: string): Decimal {
  const [, minus, whole = '', fraction = '', power = '0'] = DECIMAL.exec(text) ?? [];
  const all = whole + fraction;
  const leading = /^0*/.exec(all)![0].length;
  const digits = all.slice(leading).replace(/0+$/, '');
  if (digits === '') return { sign: 0, digits: '', exponent: 0 };
  return {
    sign: minus === '-' ? -1 : 1,
    digits,
    exponent: whole.length - leading + Number(power),
  };
}

/** Below 0, 0 or above 0, exactly: no rounding at any length. Both must be decimals. */
export function compareDecimals(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  if (left.sign !== right.sign) return left.sign - right.sign;
  if (left.exponent !== right.exponent) return left.sign * (left.exponent - right.exponent);
  if (left.digits === right.digits) return 0;
  // Without trailing zeros, and 0.12 < 0.123, the digits order like words.
  return left.sign * (left.digits < right.digits ? -1 : 1);
}

/** Longest plain form written out; beyond it (1e300) the exponent stays. */
const LONGEST = 40;

/** Without an exponent where that is readable: `1e+21` → `1000000000000000000000`. */
export function plainDecimal(text: string): string {
  if (!/[eE]/.test(text) || !isDecimal(text)) return text;
  const { sign, digits, exponent } = parse(text);
  if (sign === 0) return '0';
  if (Math.abs(exponent) > LONGEST) return text;
  const whole = exponent > 0 ? digits.slice(0, exponent).padEnd(exponent, '0') : '0';
  const fraction = exponent > 0 ? digits.slice(exponent) : '0'.repeat(-exponent) + digits;
  return `${sign < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`;
}
