import type { Row } from '../../core/result.ts';

/** Fields that a formatted address is made of. */
const PARTS = ['street', 'streetNumber', 'city', 'state', 'postalCode', 'country'] as const;

/**
 * The formatted address that no longer fits: a part of it was changed, and the service left the
 * text as it was. Undefined where all is well, or cannot be told.
 */
export function staleText(before: Row | undefined, body: Row, after: Row): string | undefined {
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
