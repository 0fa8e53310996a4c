import { visible } from '../../terminal/sanitise.ts';

/** The name of a column or of a field of a record: `createdAt` → `CREATED AT`. */
export function headerText(header: string): string {
  return visible(header.replace(/([a-z\d])([A-Z])/g, '$1 $2').toUpperCase());
}
