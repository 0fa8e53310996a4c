/** What `JSON.rawJSON` makes: a number whose exact text must survive, as JSON would round it. */
export interface RawNumber {
  readonly rawJSON: string;
}

const json = JSON as typeof JSON & {
  rawJSON(text: string): RawNumber;
  isRawJSON(value: unknown): boolean;
};

/** A number of JSON that is written with just these digits. */
export function rawNumber(text: string): RawNumber {
  return json.rawJSON(text);
}

/** True for a number that was kept as its text. */
export function isRawNumber(value: unknown): value is RawNumber {
  return json.isRawJSON(value);
}

/** The digits of a number, as exactly as they are known; undefined for anything else. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return isRawNumber(value) ? value.rawJSON : undefined;
}
