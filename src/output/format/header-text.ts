import { visible } from '../../terminal/sanitise.ts';

/** The header of a column, or the label of a field in a record: `createdAt` → `CREATED AT`. */
export function headerText(header: string): string {
  return visible(header.replace(/([a-z\d])([A-Z])/g, '$1 $2').toUpperCase());
}
