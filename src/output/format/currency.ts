export function currencyCode(currency: unknown): string | undefined {
  return typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : undefined;
}

const found = new Map<string, number>();

/** 2 for `USD`, 0 for `JPY`, 3 for `KWD`; 2 for anything that is no currency. */
export function decimalsOf(currency: unknown): number {
  const code = currencyCode(currency);
  if (code === undefined) return 2;
  let decimals = found.get(code);
  if (decimals === undefined) {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency: code });
    decimals = format.resolvedOptions().maximumFractionDigits ?? 2;
    found.set(code, decimals);
  }
  return decimals;
}
