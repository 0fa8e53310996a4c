import { type Context, Hono } from 'hono';
import { messageOf } from '../../core/errors.ts';
import { queryReader } from '../database/list-query.ts';
import type { Store, StoredRow } from '../database/sandbox-store.ts';
import { type Route, responseFields, routesOf } from '../routes.ts';
import { type Bindings, type Exchanges, handlerOf } from './exchange.ts';
import { answer, refusal } from './http.ts';
import { Problem } from './problem.ts';

export const BASE_PATH = '/api/v1';

/**
 * A slash at the end counts: `/items/` is an endpoint and `/items` is a 404.
 *
 * @param base the path of the base URL
 */
export function buildApp(store: Store, shared: Exchanges, base = BASE_PATH): Hono<Bindings> {
  const app = new Hono<Bindings>();
  for (const route of routesOf(store).map(withoutNulls)) {
    const path = base + route.spec.path.replace(/\{(\w+)\}/g, ':$1');
    app.on(route.spec.method, path, handlerOf(shared, route, queryReader(route.spec)));
  }
  app.notFound((c) => {
    const { method, url } = c.env.incoming;
    const path = url!.split('?', 1)[0];
    return refuse(c, shared, new Problem(404, `There is no endpoint ${method} ${path}`));
  });
  app.onError((thrown, c) => refuse(c, shared, new Problem(500, messageOf(thrown))));
  return app;
}

function refuse(c: Context<Bindings>, shared: Exchanges, problem: Problem): Response {
  return answer(c, shared.nextRequestId(), refusal(problem));
}

/** Leaves out fields without a value: the contract has no null. */
function withoutNulls(route: Route): Route {
  if (responseFields(route.spec).length === 0) return route;
  const shown = (row: StoredRow): StoredRow => {
    let copy: Record<string, unknown> | undefined;
    for (const field in row) {
      if (row[field] !== null) continue;
      copy ??= { ...row };
      delete copy[field];
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
