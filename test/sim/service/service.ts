import { DatabaseSync } from 'node:sqlite';
import { buildApp } from '../../../src/sandbox/app.ts';
import { faultDrawer, parseFaults } from '../../../src/sandbox/faults.ts';
import { SANDBOX_KEYS } from '../../../src/sandbox/seed.ts';
import { SCHEMA, Store } from '../../../src/sandbox/store.ts';
import type { Random } from '../../support/random.ts';
import type { Machine } from '../machine/machine.ts';
import type { Trace } from '../machine/trace.ts';
import { CODE_HABITS, type CodeHabitName } from './codes.ts';
import { type ListHabits, listed, shown } from './lists.ts';
import type { Request, Wire } from './network.ts';

export interface ServiceHabits {
  /** As for `sandbox start --faults`. */
  readonly faults: string;
  /** The delay of a commit whose connection was reset, ms. */
  readonly lateCommitMs: number;
  /** Probability that a POST gets a 503 without Retry-After. The service applies half of these requests. */
  readonly busy: number;
  /** When the service begins to refuse the key with 401, and for how long, ms. */
  readonly locked: { readonly from: number; readonly ms: number } | undefined;
  readonly lists: ListHabits;
  /** Probability that the response to a create has the id of an earlier record. */
  readonly falseIds: number;
  /** Probability that the response to a create has another name and amount than were sent. Missing in older stories. */
  readonly falseContent?: number | undefined;
  /** How the service stores codes of items. Missing in older stories. */
  readonly codes?: CodeHabitName | undefined;
  /** Codes whose creates the service rejects with 400. */
  readonly refuses: readonly string[];
}

interface ServicePorts {
  readonly machine: Machine;
  readonly random: Random;
  readonly trace: Trace;
  /** Called when the request can no longer have an effect. */
  onOver(request: Request): void;
}

type Exchanges = Parameters<typeof buildApp>[1];

/** The routes of the sandbox, without server and sockets. The database is in memory. */
export class Service {
  readonly database: DatabaseSync;
  readonly #ports: ServicePorts;
  readonly #store: Store;
  readonly #app: ReturnType<typeof buildApp>;
  /** The routes after `calmDown`, without faults. */
  readonly #calm: ReturnType<typeof buildApp>;
  readonly #habits: ServiceHabits;
  /** The current request, for a commit that comes late. */
  #handled: Request | undefined;
  readonly #late = new Set<Request>();
  #isCalm = false;
  #count = 0;

  constructor(habits: ServiceHabits, ports: ServicePorts) {
    this.#habits = habits;
    this.#ports = ports;
    this.database = new DatabaseSync(':memory:');
    this.database.exec(SCHEMA);
    // The clock of the service is not the wall clock of proc's machine, which a story may change.
    this.#store = new Store(this.database, () => SINCE + ports.machine.time);
    for (const key of ['tools', 'paint'])
      this.#store.insert('sectors', KEYS[0]!.organizationId, { key, name: key });
    const plan = parseFaults(habits.faults);
    const shared: Exchanges = {
      draw: faultDrawer(plan),
      lateCommitMs: habits.lateCommitMs,
      later: (ms, commit) => {
        const request = this.#handled!;
        this.#late.add(request);
        ports.machine.after(ms, () => {
          ports.trace.add(ports.machine.time, `late commit ${request.number}`);
          commit();
          ports.machine.immediate(() => ports.onOver(request), ports.machine.around);
        });
      },
      nextRequestId: () => `sim-${++this.#count}`,
    };
    this.#app = buildApp(this.#store, shared);
    const calm = { ...shared, draw: undefined };
    this.#calm = buildApp(this.#store, calm);
  }

  countOf(code: string, organizationId = KEYS[0]!.organizationId): number {
    return this.idsOf(code, organizationId).length;
  }

  idsOf(code: string, organizationId = KEYS[0]!.organizationId): string[] {
    return ['items', 'imputations', 'requisitions'].flatMap((table) =>
      this.database
        .prepare(
          `SELECT id FROM ${table} WHERE ${table === 'imputations' ? 'reference' : 'code'} = ? AND organizationId = ?`,
        )
        .all(this.#stored(code), organizationId)
        .map(({ id }) => String(id)),
    );
  }

  #stored(code: string): string {
    return CODE_HABITS[this.#habits.codes ?? 'as they are'].stored(code);
  }

  calmDown(): void {
    this.#isCalm = true;
  }

  /**
   * Called for a request that will have no effect, e.g. because its connection was closed before it arrived.
   */
  lost(request: Request): void {
    this.#ports.onOver(request);
  }

  receive(request: Request, wire: Pick<Wire, 'respond' | 'end' | 'reset'>): void {
    const { machine, random } = this.#ports;
    const { busy, locked } = this.#habits;
    const say = (status: number, text: string) => {
      const headers = { 'content-type': 'application/json' };
      wire.respond({ request, status, headers, text, share: 1 });
    };
    if (!this.#isCalm) {
      if (
        locked !== undefined &&
        machine.time >= locked.from &&
        machine.time < locked.from + locked.ms
      ) {
        this.lost(request);
        say(401, '{"message":"The key is not known"}');
        return;
      }
      if (request.method === 'POST' && busy > 0 && random() < busy) {
        const isDone = random() < 0.5;
        if (isDone) this.#handle(request, SILENT, this.#calm);
        else this.lost(request);
        say(503, '{"message":"Busy"}');
        return;
      }
    }
    this.#handle(request, wire, this.#isCalm ? this.#calm : this.#app);
  }

  /** Creates a record as another client would. */
  createElsewhere(key: string, body: object): void {
    this.#handle(
      {
        number: 0,
        method: 'POST',
        path: '/api/v1/items/',
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        body: JSON.stringify(body),
      },
      SILENT,
      this.#calm,
    );
  }

  #handle(
    request: Request,
    wire: Pick<Wire, 'respond' | 'end' | 'reset'>,
    app: ReturnType<typeof buildApp>,
  ): void {
    const { lists, falseIds, falseContent = 0, refuses } = this.#habits;
    const { machine, random, onOver } = this.#ports;
    const isList = request.method === 'GET' && /^\/api\/v1\/items\/\?/.test(request.path);
    const url = isList && !this.#isCalm ? listed(request.path, lists) : request.path;
    const isRefused =
      request.number > 0 && refuses.some((code) => request.body.includes(`"${code}"`));
    // The routes reject this invalid body with 400.
    const sent = isRefused ? '{"code":[],"reference":[]}' : this.#asStored(request);
    let status = 0;
    let headers: Readonly<Record<string, string>> = {};
    const end = (text: string, share: number): void => {
      let body = text;
      if (isList && !this.#isCalm && status === 200) body = shown(text, lists, random);
      const mayLie =
        /\/items\/$/.test(request.path) &&
        request.method === 'POST' &&
        status === 201 &&
        !this.#isCalm;
      const isJson = text.startsWith('{');
      if (mayLie && isJson && falseIds > 0 && random() < falseIds) body = this.#withEarlierId(text);
      const isFalse = mayLie && isJson && falseContent > 0 && random() < falseContent;
      if (isFalse)
        body = JSON.stringify({ ...JSON.parse(body), error: 'not stored', amount: 999_999 });
      wire.respond({ request, status, headers, text: body, share, isFalse });
    };
    const socket = { writable: true, end: () => wire.end(), resetAndDestroy: () => wire.reset() };
    const incoming = {
      method: request.method,
      url,
      headers: request.headers,
      socket,
      async *[Symbol.asyncIterator]() {
        yield Buffer.from(sent);
      },
    };
    const outgoing = {
      socket,
      headersSent: false,
      writeHead(code: number, named: Readonly<Record<string, string>>) {
        status = code;
        headers = named;
      },
      end: (text = '') => end(text, 1),
      write: (part: Buffer) => end(part.toString(), 0.999_999),
      once: () => undefined,
    };
    const staleMs = isList && !this.#isCalm ? lists.staleMs : 0;
    const hides = isList && !this.#isCalm ? lists.hides : undefined;
    if (staleMs > 0 || hides !== undefined) this.#hide(SINCE + machine.time - staleMs, hides);
    this.#handled = request;
    const response = app.fetch(new Request(`http://127.0.0.1${url}`, { method: request.method }), {
      incoming,
      outgoing,
    } as never) as Promise<Response>;
    const handled = response.then(async (answer) => {
      if (staleMs > 0 || hides !== undefined) this.database.exec('ROLLBACK');
      if (answer.headers.has('x-hono-already-sent')) return;
      status = answer.status;
      headers = Object.fromEntries(answer.headers);
      end(await answer.text(), 1);
    });
    void handled.finally(() => {
      if (!this.#late.has(request)) onOver(request);
    });
  }

  #asStored({ method, path, body }: Request): string {
    if (this.#habits.codes === undefined || method !== 'POST' || !path.endsWith('/items/'))
      return body;
    const item = JSON.parse(body) as { readonly code: string };
    return JSON.stringify({ ...item, code: this.#stored(item.code) });
  }

  /** Hides newer rows, and rows with such codes. The caller rolls this back in the same turn. */
  #hide(since: number, ending: string | undefined): void {
    this.database.exec('BEGIN');
    this.database
      .prepare('DELETE FROM items WHERE createdAt > ? OR code LIKE ?')
      .run(new Date(since).toISOString(), ending === undefined ? null : `%${ending}`);
  }

  #withEarlierId(text: string): string {
    const earlier = this.database.prepare('SELECT id FROM items ORDER BY seq LIMIT 1').get();
    return JSON.stringify({ ...JSON.parse(text), id: earlier!.id });
  }
}

const SINCE = Date.UTC(2026, 0, 1);
const SILENT = { respond() {}, end() {}, reset() {} };

export const KEYS = SANDBOX_KEYS.map(({ apiKey, organizationId }) => ({ apiKey, organizationId }));
