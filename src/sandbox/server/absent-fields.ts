import type { EndpointSpec } from '../../core/endpoint.ts';
import type { StoredRow } from '../database/sandbox-store.ts';
import type { Habits } from '../faults/behaviour.ts';
import { type Route, responseFields } from './route.ts';

/** `absent=empty` omits these fields, because a number cannot be an empty text. */
const NUMBERS: ReadonlySet<string> = new Set(['amount']);

/**
 * Shows fields without a value as the habit `absent` says. The default omits them: the contract has
 * no null. With the habit `bare`, the response to a create has only the id.
 */
export function withAbsentFields(route: Route, { absent, isBare }: Habits): Route {
  const idField = isBare ? createdField(route.spec) : undefined;
  if (absent === 'null' && idField === undefined) return route;
  if (responseFields(route.spec).length === 0) return route;
  const shown = (row: StoredRow): StoredRow => {
    if (idField !== undefined) return { [idField]: row[idField] };
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

function createdField({ response }: EndpointSpec): string | undefined {
  return 'created' in response ? response.created : undefined;
}
