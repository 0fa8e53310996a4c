import type { Owner } from '../machine/machine.ts';
import type { World } from '../machine/world.ts';
import type { Message, Request } from '../service/network.ts';
import { KEYS } from '../service/service.ts';

/**
 * The promises that somebody can check who knows nothing of proc but what it prints, its requests, its exit code, and
 * the service's own database.
 */
export const OUTSIDE = [
  'a second request has proof that the first had no effect',
  'nothing is sent again that was applied or may still be',
  'a wait that the service asked for is kept',
  'what was there is not created',
  'each row is created once',
  'an item defined in place is created once',
  'a row that is not in the service has an outcome',
  'a created row is there, under its id',
  'no two created rows of a run share an id',
  'a rejected row is not there',
  'only what the service refuses is rejected',
  'the summary counts every row once',
  'the exit code fits the rows',
  'the next command is named and works',
  'a run comes to its end',
  'an organization has only what was sent for it',
  'commands that meet damage no run',
  'who holds the lock is alone with the run',
  'a command waits as long as it was told to',
  'no alarm is false',
  'no bug',
] as const;

export type OutsideName = (typeof OUTSIDE)[number];

export interface Sent {
  readonly request: Request;
  readonly at: number;
  /** The request can no longer take effect. */
  isOver: boolean;
  /** The last response contradicts the request. */
  isContradicted: boolean;
  /** The write may be sent again: its response proves that it had no effect, or a person has said so. */
  mayRepeat: boolean;
}

interface List {
  readonly request: Request;
  readonly at: number;
  hasResponse: boolean;
}

/** Watches all requests. */
export class Outside {
  readonly #world: () => World;
  readonly #settleMs: number;
  readonly #sent = new Map<string, Sent[]>();
  readonly #byRequest = new Map<Request, Sent>();
  readonly #lists: List[] = [];
  #existing = new Set<string>();
  /** When each process may send again, after a response with Retry-After. */
  readonly #waits = new Map<Owner, { readonly from: number; readonly until: number }>();
  readonly #keys = new Map<Owner, string | undefined>();

  constructor(world: () => World, settleMs: number) {
    this.#world = world;
    this.#settleMs = settleMs;
  }

  #break(promise: OutsideName, what: string): void {
    this.#world().promises.break(promise, what);
  }

  /** Stores the codes that exist before proc begins. */
  existed(codes: readonly string[]): void {
    this.#existing = new Set(codes.map((code) => `sandbox ${code}`));
  }

  /** Adds codes that the service has before the next process begins. */
  exist(codes: readonly string[]): void {
    for (const code of codes) this.#existing.add(`sandbox ${code}`);
  }

  /** Called when a process begins. */
  begins(owner: Owner, env: Readonly<Record<string, string>>): void {
    this.#keys.set(owner, env.PROC_API_KEY);
  }

  /** @param givenAt when proc handed the request over */
  leaves(request: Request, givenAt: number): void {
    const { machine } = this.#world();
    if (request.method === 'GET') {
      const limit = /[?&]limit=(\d+)/.exec(request.path)?.[1];
      if (limit !== undefined && limit !== '1') {
        this.#lists.push({ request, at: machine.time, hasResponse: false });
      }
      return;
    }
    const wait = this.#waits.get(machine.owner);
    if (wait !== undefined && givenAt > wait.from && machine.time < wait.until) {
      const ms = (wait.until - machine.time).toFixed(0);
      this.#break(
        'a wait that the service asked for is kept',
        `${request.path}: ${ms} ms too early`,
      );
    }
    const thing = thingOf(request);
    machine.owner.writes++;
    if (request.headers['x-api-key'] !== this.#keys.get(machine.owner)) {
      this.#break('an organization has only what was sent for it', thing);
    }
    const earlier = this.#sent.get(thing) ?? [];
    for (const one of earlier) this.#mustBeWithoutEffect(one, thing);
    if (request.method === 'POST' && this.#existing.has(thing)) {
      this.#break('what was there is not created', thing);
    }
    const sent: Sent = {
      request,
      at: machine.time,
      isOver: false,
      isContradicted: false,
      mayRepeat: false,
    };
    this.#sent.set(thing, [...earlier, sent]);
    this.#byRequest.set(request, sent);
  }

  #mustBeWithoutEffect(sent: Sent, thing: string): void {
    const { service } = this.#world();
    if (sent.mayRepeat) return;
    const key = sent.request.headers['x-api-key'];
    const isAbsent = this.#lists.some(
      (list) =>
        list.hasResponse &&
        list.at >= sent.at + this.#settleMs &&
        list.request.headers['x-api-key'] === key,
    );
    if (!isAbsent) this.#break('a second request has proof that the first had no effect', thing);
    if (sent.request.method !== 'POST') return;
    if (!sent.isOver || service.countOf(...ofThing(thing)) > 0) {
      this.#break('nothing is sent again that was applied or may still be', thing);
    }
  }

  /** Called when the response to a request arrives. */
  noteResponse(request: Request, message: Message): void {
    if (message.share < 1) return;
    const { machine } = this.#world();
    const { status, headers } = message;
    for (const list of this.#lists) {
      if (list.request === request && status === 200) list.hasResponse = true;
    }
    const mayRepeat =
      // proc does not retry after a 400. But the file contains the row, and may be imported again.
      status === 400 ||
      status === 429 ||
      status === 401 ||
      (status === 503 && headers['retry-after'] !== undefined);
    const sent = this.#byRequest.get(request);
    if (mayRepeat && sent !== undefined) sent.mayRepeat = true;
    if (sent !== undefined) sent.isContradicted = message.isFalse === true;
    const waitMs = Number(headers['retry-after'] ?? 0) * 1_000;
    if (sent === undefined || waitMs === 0) return;
    const before = this.#waits.get(machine.owner)?.until ?? 0;
    const until = Math.max(before, machine.time + waitMs - 1);
    this.#waits.set(machine.owner, { from: machine.time, until });
  }

  over(request: Request): void {
    const sent = this.#byRequest.get(request);
    if (sent !== undefined) sent.isOver = true;
  }

  /** Called when a person has found out that the write was not applied. */
  personSaysAbsent(thing: string): void {
    for (const sent of this.#sent.get(thing) ?? []) sent.mayRepeat = true;
  }

  /** Every write that left, by what it writes. */
  get sent(): ReadonlyMap<string, readonly Sent[]> {
    return this.#sent;
  }
}

/** Names what a request writes: for a create its organization and code, otherwise its method and path. */
export function thingOf({ method, path, headers, body }: Request): string {
  if (method !== 'POST') return `${method} ${path}`;
  const { code, reference } = JSON.parse(body) as { code?: string; reference?: string };
  const organization = headers['x-api-key'] === KEYS[0]!.apiKey ? 'sandbox' : 'contoso';
  return `${organization} ${code ?? reference}`;
}

/** The code and organization id of a record, from its name. */
export function ofThing(thing: string): [code: string, organizationId: string] {
  const [organization, code = ''] = thing.split(' ');
  return [code, KEYS[organization === 'sandbox' ? 0 : 1]!.organizationId];
}
