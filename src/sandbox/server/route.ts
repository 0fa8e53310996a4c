import type * as z from 'zod/mini';
import type { EndpointSpec, PathParam } from '../../core/endpoint.ts';
import type { ListQuery } from '../database/list-query.ts';
import type { Store, StoredRow } from '../database/sandbox-store.ts';
import type { Table } from '../database/tables.ts';
import type { Habits } from '../faults/behaviour.ts';
import { badField, Problem } from './problem.ts';

export interface Call<E extends EndpointSpec> {
  readonly organizationId: string;
  readonly params: Readonly<Record<PathParam<E['path']>, string>>;
  readonly body: E extends { readonly body: infer B extends z.ZodMiniObject }
    ? z.output<B>
    : undefined;
  readonly list: ListQuery;
}

export interface RouteResponse {
  readonly status: 200 | 201 | 202 | 204;
  readonly body?: unknown;
}

/**
 * `handle` is synchronous, and a write checks its whole input before its first SQL statement. The
 * class `Writer` relies on both.
 */
export interface Route {
  readonly spec: EndpointSpec;
  handle(call: Call<EndpointSpec>): RouteResponse;
}

export type RouteFactory = (store: Store, habits: Habits) => readonly Route[];

export function route<const E extends EndpointSpec>(
  spec: E,
  handle: (call: Call<E>) => RouteResponse,
): Route {
  return { spec, handle: handle as unknown as Route['handle'] };
}

/** @param remove deletes the record */
export function deleted(habits: Habits, remove: () => void): RouteResponse {
  if (habits.delete !== 'kept') remove();
  if (habits.delete === '200') return { status: 200, body: { deleted: true } };
  return { status: habits.delete === '202' ? 202 : 204 };
}

export function responseFields(spec: EndpointSpec): readonly string[] {
  return 'schema' in spec.response ? Object.keys(spec.response.schema.shape) : [];
}

export function pick(row: StoredRow, fields: readonly string[]): StoredRow {
  return Object.fromEntries(fields.map((field) => [field, row[field]]));
}

/**
 * Finds the record of a path. Throws 404 if it does not exist, 403 if it belongs to another
 * organization.
 */
export function owned(store: Store, table: Table, id: string, organizationId: string): StoredRow {
  const row = store.find(table, id);
  if (row === undefined) throw new Problem(404, `There is no ${singular(table)} "${id}"`);
  if (row.organizationId !== organizationId) throw new Problem(403, outside(table, id));
  return row;
}

/**
 * Checks a record that a body refers to. Throws 400 if it does not exist, 403 if it belongs to
 * another organization.
 */
export function referred(
  store: Store,
  table: Table,
  id: string | undefined,
  organizationId: string,
  field: string,
): void {
  if (id === undefined) return;
  const row = store.find(table, id);
  if (row === undefined) throw badField(field, `there is no ${singular(table)} "${id}"`);
  if (row.organizationId !== organizationId) throw new Problem(403, outside(table, id));
}

function outside(table: Table, id: string): string {
  return `The ${singular(table)} "${id}" belongs to another organization`;
}

function singular(table: Table): string {
  return table === 'addresses' ? 'address' : table.slice(0, -1);
}
