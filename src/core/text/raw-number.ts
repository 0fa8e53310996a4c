/** The result of `JSON.rawJSON`: a number that keeps its exact text, which JSON would round. */
export interface RawNumber {
  readonly rawJSON: string;
}

const json = JSON as typeof JSON & {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): boolean;
};

/** A JSON number with exactly these digits. */
export function rawNumber(text: string): RawNumber {
  return json.rawJSON(text);
}

export function isRawNumber(value: unknown): value is RawNumber {
  return json.isRawJSON(value);
}

/** The digits of a number, as exactly as known; undefined for anything else. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}
