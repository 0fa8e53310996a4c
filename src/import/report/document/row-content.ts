import { plainDecimal, withMark } from '../../../core/text/decimal.ts';
import type { Lang } from '../../../core/text/phrase.ts';
import { numberText } from '../../../core/text/raw-number.ts';
import { parseResponse } from '../../../core/text/strict-json.ts';

export type Body = Readonly<Record<string, unknown>>;

/** Numbers keep all their digits. */
export function exactBody(text: string): Body {
  return parseResponse(text) as Body;
}

/**
 * The fields of a body in one line: `amount: 1250.5 · groups: Workshop (12 × Brakes; 4 × item-7)`.
 *
 * @param shown fields to leave out, because other columns show them
 */
export function contentText(body: Body, shown: readonly string[], lang: Lang): string {
  return Object.entries(body)
    .filter(([field]) => !shown.includes(field))
    .map(([field, value]) => `${field}: ${textOf(value, lang)}`)
    .join(' · ');
}

function textOf(value: unknown, lang: Lang): string {
  const digits = numberText(value);
  if (digits !== undefined) return withMark(plainDecimal(digits), lang);
  if (Array.isArray(value)) return value.map((one) => textOf(one, lang)).join('; ');
  if (typeof value !== 'object' || value === null) return String(value);
  const { items, quantity, ...fields } = value as Body;
  const own = Object.values(fields).map((one) => textOf(one, lang));
  const said = own.join(', ');
  if (items !== undefined) return `${said} (${textOf(items, lang)})`.trim();
  return quantity === undefined ? said : `${textOf(quantity, lang)} × ${said}`;
}
