import type { Row } from '../../core/result.ts';

const PARTS = ['street', 'streetNumber', 'city', 'state', 'postalCode', 'country'] as const;

/**
 * The formatted address, if it lacks a part that was changed. Undefined if it is up to date or cannot be
 * checked.
 */
export function outdatedAddress(
  before: Row | undefined,
  body: Row,
  after: Row,
): string | undefined {
  const text = after.formattedAddress;
  if (typeof text !== 'string' || text === '' || text !== before?.formattedAddress)
    return undefined;
  if (body.formattedAddress !== undefined) return undefined;
  const isMissing = PARTS.some((part) => {
    const value = body[part];
    return typeof value === 'string' && value !== '' && !text.includes(value);
  });
  return isMissing ? text : undefined;
}
