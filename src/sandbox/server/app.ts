import type { HttpBindings } from '@hono/node-server';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { messageOf } from '../../core/errors.ts';
import { queryReader } from '../database/list-query.ts';
import type { Store } from '../database/sandbox-store.ts';
import type { Habits } from '../faults/behaviour.ts';
import { addressRoutes } from '../routes/addresses.ts';
import { imputationRoutes } from '../routes/imputations.ts';
import { itemRoutes } from '../routes/items.ts';
import { orderRoutes } from '../routes/orders.ts';
import { requisitionRoutes } from '../routes/requisitions.ts';
import { sectorRoutes } from '../routes/sectors.ts';
import { withAbsentFields } from './absent-fields.ts';
import { type Exchanges, exchange } from './exchange.ts';
import { refusal, send } from './http.ts';
import { Problem } from './problem.ts';
import { CONTROL_PATH, proofOf } from './registration.ts';
import type { RouteFactory } from './route.ts';

export const BASE_PATH = '/api/v1';

const ROUTES: readonly RouteFactory[] = [
  requisitionRoutes,
  orderRoutes,
  itemRoutes,
  imputationRoutes,
  sectorRoutes,
  addressRoutes,
];

/** Lets other proc commands check and stop a running sandbox. */
export interface Control {
  /** A request to stop sends the token in the header `x-sandbox-control`. */
  readonly token: string;
  stop(): void;
}

type Bindings = { Bindings: HttpBindings };

/** A slash at the end counts: `/items/` is an endpoint and `/items` is a 404. */
export function buildApp(
  store: Store,
  habits: Habits,
  shared: Exchanges,
  control: Control | undefined,
): Hono<Bindings> {
  const app = new Hono<Bindings>();
  const routes = ROUTES.flatMap((factory) => factory(store, habits));
  for (const route of routes.map((one) => withAbsentFields(one, habits))) {
    const run = exchange(shared, route, queryReader(route.spec, habits));
    const path = BASE_PATH + route.spec.path.replace(/\{(\w+)\}/g, ':$1');
    app.on(route.spec.method, path, async (c) => {
      await run(c.env.incoming, c.env.outgoing, c.req.param());
      return RESPONSE_ALREADY_SENT;
    });
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
  const reply = (c: Context<Bindings>, body: unknown) => {
    send(c.env.outgoing, shared.nextRequestId(), { status: 200, body });
    return RESPONSE_ALREADY_SENT;
  };
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
  send(c.env.outgoing, shared.nextRequestId(), refusal(problem));
  return RESPONSE_ALREADY_SENT;
}
