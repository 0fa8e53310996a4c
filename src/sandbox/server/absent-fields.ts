import type { StoredRow } from '../database/sandbox-store.ts';
import type { Habits } from '../faults/habits.ts';
import { type Route, responseFields } from './route.ts';

/** The only numbers that a record may lack. */
const NUMBERS: ReadonlySet<string> = new Set(['amount']);

/**
 * Applies the habit for fields without a value to the answers of a route. The contract has no null, so
 * normally such a field is left out.
 */
export function withAbsentFields(route: Route, { absent }: Habits): Route {
  if (absent === 'null' || responseFields(route.spec).length === 0) return route;
  const shown = (row: StoredRow): StoredRow => {
    let copy: Record<string, unknown> | undefined;
    for (const field in row) {
      if (row[field] !== null) continue;
      copy ??= { ...row };
      if (absent === 'empty' && !NUMBERS.has(field)) copy[field] = '';
      else delete copy[field];
    }
    return copy ?? row;
  };
  return {
    spec: route.spec,
    handle(call) {
      const { status, body } = route.handle(call);
      if (Array.isArray(body)) return { status, body: body.map(shown) };
      return { status, body: shown(body as StoredRow) };
    },
  };
}
