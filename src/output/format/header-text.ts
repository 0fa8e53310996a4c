import { visible } from '../../terminal/sanitise.ts';

/** `createdAt` → `CREATED AT`. */
export function headerText(header: string): string {
  return visible(header.replace(/([a-z\d])([A-Z])/g, '$1 $2').toUpperCase());
}
