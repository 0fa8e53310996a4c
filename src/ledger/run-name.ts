import { randomBytes } from 'node:crypto';

/** The name of a new run: sorts by time and is easy to type. */
export function newRun(now: number): string {
  const time = new Date(now).toISOString().replace(/[-:T]/g, '').slice(0, 14);
  return `${time.slice(0, 8)}-${time.slice(8)}-${randomBytes(2).toString('hex')}`;
}
