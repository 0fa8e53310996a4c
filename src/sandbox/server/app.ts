import { type Context, Hono } from 'hono';
import type { EndpointSpec } from '../../core/endpoint.ts';
import { messageOf } from '../../core/errors.ts';
import { queryReader } from '../database/list-query.ts';
import type { Store, StoredRow } from '../database/sandbox-store.ts';
import type { Habits } from '../faults/behaviour.ts';
import { type Route, responseFields, routesOf } from '../routes.ts';
import { type Bindings, type Exchanges, handlerOf } from './exchange.ts';
import { answer, refusal } from './http.ts';
import { Problem } from './problem.ts';
import { CONTROL_PATH, proofOf } from './registration.ts';

export const BASE_PATH = '/api/v1';

/** Lets other proc commands check and stop a running sandbox. */
export interface Control {
  /** A request to stop sends the token in the header `x-sandbox-control`. */
  readonly token: string;
  stop(): void;
}

/** A slash at the end counts: `/items/` is an endpoint and `/items` is a 404. */
export function buildApp(
  store: Store,
  habits: Habits,
  shared: Exchanges,
  control: Control | undefined,
): Hono<Bindings> {
  const app = new Hono<Bindings>();
  for (const route of routesOf(store, habits).map((one) => withAbsentFields(one, habits))) {
    const path = BASE_PATH + route.spec.path.replace(/\{(\w+)\}/g, ':$1');
    app.on(route.spec.method, path, handlerOf(shared, route, queryReader(route.spec, habits)));
  }
  if (control !== undefined) addControl(app, shared, control);
  app.notFound((c) => {
    const { method, url } = c.env.incoming;
    const path = url!.split('?', 1)[0];
    return refuse(c, shared, new Problem(404, `There is no endpoint ${method} ${path}`));
  });
  app.onError((thrown, c) => refuse(c, shared, new Problem(500, messageOf(thrown))));
  return app;
}

function addControl(app: Hono<Bindings>, shared: Exchanges, control: Control): void {
  const isAllowed = (c: Context<Bindings>) =>
    c.env.incoming.headers['x-sandbox-control'] === control.token;
  const reply = (c: Context<Bindings>, body: unknown) =>
    answer(c, shared.nextRequestId(), { status: 200, body });
  app.get(CONTROL_PATH, (c) => {
    const nonce = String(c.env.incoming.headers['x-sandbox-nonce'] ?? '');
    return reply(c, { running: true, proof: proofOf(control.token, nonce) });
  });
  app.post(`${CONTROL_PATH}/stop`, (c) => {
    if (!isAllowed(c)) return refuse(c, shared, new Problem(403, 'Not yours'));
    c.env.outgoing.once('finish', () => control.stop());
    return reply(c, { stopping: true });
  });
}

function refuse(c: Context<Bindings>, shared: Exchanges, problem: Problem): Response {
  return answer(c, shared.nextRequestId(), refusal(problem));
}

/** `absent=empty` omits these fields, because a number cannot be an empty text. */
const NUMBERS: ReadonlySet<string> = new Set(['amount']);

/**
 * Shows fields without a value as the habit `absent` says. The default omits them: the contract has
 * no null. With the habit `bare`, the response to a create has only the id.
 */
function withAbsentFields(route: Route, { absent, isBare }: Habits): Route {
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
