/** What `JSON.rawJSON` makes: a number whose exact text must survive, as JSON would round it. */
export interface RawNumber {
  readonly rawJSON: string;
}

const json = JSON as typeof JSON & { readonly isRawJSON?: (value: unknown) => boolean };

/** True for a number that was kept as its text. */
export function isRawNumber(value: unknown): value is RawNumber {
  return typeof value === 'object' && value !== null && json.isRawJSON?.(value) === true;
}

/** The digits of a number, as exactly as they are known; undefined for anything else. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}
