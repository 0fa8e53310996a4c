import { type AnyInput, type EndpointSpec, nounOf } from '../../core/endpoint.ts';
import type {
  ApiPort,
  Body,
  BodySource,
  InputPort,
  IoPort,
  Kept,
  KeptKind,
  LookupPort,
  Pages,
  Say,
  SelfPort,
  StorePort,
  Terminal,
  WriteIntent,
  Written,
} from '../../core/ports.ts';
import type { Column, RecordResult, Row, ShownRequest } from '../../core/result.ts';
import type { Sender } from '../../core/service/sender.ts';
import { type KeyedTarget, placeName, type Target } from '../../core/service-target.ts';
import { parseResponse } from '../../core/text/strict-json.ts';
import { trace } from '../../http/call.ts';
import { CREDENTIAL_HEADER, type PreparedRequest, prepare, urlOf } from '../../http/request.ts';
import { begin, send } from '../../http/send-once.ts';
import { firstQuery, listPages } from '../../listing/list-pages.ts';
import { clearPassing } from '../../terminal/write.ts';
import type { WritePorts } from '../../write.ts';
import { readText } from '../input/read-text.ts';
import { type Destination, once } from './destination.ts';

export function withoutKey({ credential: _, ...target }: KeyedTarget): Target {
  return target;
}

/** Shorter reads show no progress. */
const AFTER_MS = 500;

export interface ReadingPorts {
  readonly io: Pick<IoPort, 'streams' | 'terminal'>;
  readonly self: Pick<SelfPort, 'clock' | 'flags'>;
  /** What is read is for a question. */
  readonly isDialogue?: boolean;
}

class Reading {
  count = 0;
  /** True while the consumer handles a page, because the consumer may write to the terminal. */
  isPaused = false;
  readonly #ended = new AbortController();
  readonly #ports: ReadingPorts;

  constructor(noun: string, ports: ReadingPorts) {
    this.#ports = ports;
    const { io, self } = ports;
    if (!io.terminal.stderrIsTerminal || self.flags.quiet) return;
    // Rejects if the read ends within AFTER_MS.
    this.#show(noun).catch(() => undefined);
  }

  async #show(noun: string): Promise<void> {
    const { io, self } = this.#ports;
    const { signal } = this.#ended;
    await self.clock.sleep(AFTER_MS, signal);
    const { spin } = await import('../../terminal/spinner.ts');

    const text = `Reading ${noun}`;
    const now = () => (this.isPaused ? undefined : { text, count: this.count });
    await spin(now, { ...io, stderr: io.streams.stderr, clock: self.clock }, signal);
  }

  pause(): void {
    this.isPaused = true;
    clearPassing(this.#ports.io.streams.stderr);
  }

  end(): void {
    this.pause();
    this.#ended.abort();
  }
}

/** Shows progress on a terminal if the read takes long. */
export async function whileReading<T>(
  noun: string,
  ports: ReadingPorts,
  read: () => Promise<T>,
): Promise<T> {
  const reading = new Reading(noun, ports);
  try {
    return await read();
  } finally {
    reading.end();
  }
}

/** Passes the pages on. If the read takes long, a terminal shows how many rows were read. */
export async function* countedRows(
  noun: string,
  pages: Pages['rows'],
  ports: ReadingPorts,
): AsyncGenerator<readonly Row[]> {
  const reading = new Reading(noun, ports);
  try {
    for await (const page of pages) {
      reading.count += page.length;
      reading.pause();
      yield page;
      reading.isPaused = false;
    }
  } finally {
    reading.end();
  }
}

/** Each stands for a record that was not looked up: `<item AR-5381>`. */
export type Placeholders = Set<string>;

const REQUEST: readonly Column[] = [
  { key: 'method', header: 'method' },
  { key: 'url', header: 'url' },
];
const DRY_RUN: readonly Column[] = [{ key: 'dryRun', header: 'dry run' }];
const HEADERS: readonly Column[] = [{ key: 'headers', header: 'headers' }];
const BODY: readonly Column[] = [{ key: 'body', header: 'body' }];

/** What a table shows. Everything else is always in the data. */
interface ShownParts {
  /** A review has already shown the body, and said that this is a dry run. */
  readonly isReviewed?: boolean;
  readonly headers?: boolean;
}

export function dryRun(
  request: PreparedRequest,
  { isReviewed = false, headers: withHeaders = false }: ShownParts = {},
  placeholders: Iterable<string> = [],
): RecordResult {
  const headers: Record<string, string> = { ...request.headers };
  const scheme = request.credential?.scheme ?? 'api-key';
  headers[CREDENTIAL_HEADER[scheme]] = scheme === 'bearer' ? 'Bearer ***' : '***';
  return {
    kind: 'record',
    columns: [
      ...(isReviewed ? [] : DRY_RUN),
      ...REQUEST,
      ...(withHeaders ? HEADERS : []),
      ...(isReviewed || request.body === undefined ? [] : BODY),
    ],
    isBrief: true,
    value: {
      dryRun: true,
      method: request.method,
      url: readable(urlOf(request), placeholders),
      headers,
      body: request.body === undefined ? null : parseResponse(request.body),
    },
  };
}

/** Undoes the percent-encoding of placeholders in a URL. */
function readable(text: string, placeholders: Iterable<string>): string {
  let shown = text;
  for (const one of placeholders) shown = shown.replaceAll(encodeURIComponent(one), one);
  return shown;
}

interface SenderOptions {
  readonly connections: number;
  readonly dialect?: Target['dialect'] | undefined;
  /** Default: the target of the command. */
  readonly at?: KeyedTarget | undefined;
}

export async function openSender(
  destination: Destination,
  { flags: { timeoutMs, verbose }, clock }: SelfPort,
  { connections, dialect, at }: SenderOptions,
): Promise<Sender> {
  const found = at ?? (await destination.target());
  const target = dialect === undefined ? found : { ...found, dialect };
  const transport = await destination.transportTo(target, connections);
  const { say } = await destination.clientPorts(target);
  const options = { timeoutMs, now: clock.now };
  return {
    target: withoutKey(target),
    async send(spec, input) {
      const request = prepare(spec, input, target);
      const started = clock.monotonic();
      const outcome = await send(request, transport, options);
      if (verbose) say(trace(request, outcome, 1, Math.round(clock.monotonic() - started)));
      return outcome;
    },
    poster(spec) {
      const request = prepare(spec, { rawBody: '' }, target);
      const shared = { ...options, isKept: true };
      return (body, onOutcome, mayLeave) =>
        begin({ ...request, body }, transport, { ...shared, mayLeave }, onOutcome);
    },
  };
}

export function atDestination(destination: Destination, self: SelfPort) {
  return {
    target: async () => withoutKey(await destination.target()),
    callAt: destination.callAt as ApiPort['callAt'],
    async sender(connections, dialect, at) {
      return openSender(destination, self, { connections, dialect, at });
    },
  } satisfies Partial<ApiPort>;
}

export interface ApiOptions {
  readonly self: SelfPort;
  readonly io: IoPort;
  readonly destination: Destination;
  readonly writing: WritePorts;
}

export function createApi(options: ApiOptions): ApiPort {
  const { self, destination } = options;
  const { target } = destination;

  async function read(spec: EndpointSpec, input: AnyInput): Promise<unknown> {
    return destination.callAt(await target(), spec, input);
  }

  return {
    isPreview: false,
    ...atDestination(destination, self),
    // `as never`: the compiler cannot prove that the endpoint determines the type of the response.
    async send(spec, input, intent, then) {
      const { write } = await import('../../write.ts');
      let isSaid = false;
      const onWritten = (written: Written): void => {
        isSaid = written.isSaid === true;
        options.writing.onWritten(written);
      };
      const value = await write(spec, input, intent, { ...options.writing, onWritten });
      const result = await then(value as never);
      return isSaid ? { ...result, isSaid } : result;
    },
    read: async (spec, input, then) =>
      then((await whileReading(nounOf(spec), options, () => read(spec, input))) as never),
    async list(spec, query, then) {
      const pages = lazyPages(async () => {
        const readPart = (list: EndpointSpec, part: Row) =>
          read(list, { query: part }) as Promise<readonly Row[]>;
        return listPages(spec, query, async () => ({ target: await target(), read: readPart }));
      });
      return then({ ...pages, rows: countedRows(nounOf(spec), pages.rows, options) });
    },
    shownAs: async (_spec, _input, work) => work(),
    confirm: async (intent) =>
      (await import('../../write.ts')).confirm(intent, await target(), options.writing),
    ensureAskable: async (intent) =>
      (await import('../../write.ts')).ensureAskable(intent, await target(), options.writing),
    noteWritten: options.writing.onWritten,
  };
}

function lazyPages(load: () => Promise<Pages>): Pages {
  let pages: Pages | undefined;
  async function* rows(): AsyncGenerator<readonly Row[]> {
    pages = await load();
    yield* pages.rows;
  }
  return {
    rows: rows(),
    complete: () => pages?.complete() ?? false,
    isCut: () => pages?.isCut() ?? false,
    failure: () => pages?.failure(),
  };
}

interface TwinOptions {
  readonly self: SelfPort;
  readonly terminal: Terminal;
  readonly destination: Destination;
  readonly placeholders: Placeholders;
  readonly io: IoPort;
  store(): Promise<StorePort>;
  show(record: Row): Promise<void>;
}

/** The port of `--dry-run`: shows requests instead of sending them. */
export function createApiTwin(options: TwinOptions): ApiPort {
  const { self, terminal, destination, placeholders } = options;
  const { target } = destination;

  async function shown(
    spec: EndpointSpec,
    input: AnyInput,
    intent?: WriteIntent,
  ): Promise<ShownRequest> {
    const to = await target();
    const request = prepare(spec, input, to);
    const isReviewed = terminal.interactive && intent !== undefined;
    if (isReviewed) {
      const text = `Dry run, nothing is sent: ${intent.what} on ${placeName(to)}.`;
      options.io.say({ kind: 'notice', text });
      const { showWrite } = await import('../../write.ts');
      await showWrite(intent, input.body, options);
    }
    const parts = {
      isReviewed: isReviewed && terminal.stdoutIsTerminal,
      headers: self.flags.verbose,
    };
    return dryRun(request, parts, placeholders);
  }

  async function foreseen(
    spec: EndpointSpec,
    given: unknown,
    once: string | undefined,
  ): Promise<ShownRequest | undefined> {
    if (once === undefined) return undefined;
    const { foreseeOnce } = await import('../../write.ts');
    return foreseeOnce({ spec, once, body: given, target: await target() }, options);
  }

  return {
    isPreview: true,
    ...atDestination(destination, self),
    async send(spec, given, intent) {
      const body = typeof given === 'function' ? undefined : given.body;
      const first = await foreseen(spec, intent.given ?? body, intent.once);
      return first ?? shown(spec, typeof given === 'function' ? await given() : given, intent);
    },
    read: (spec, input) => shown(spec, input),
    list: async (spec, query) => shown(spec, { query: firstQuery(spec, query, await target()) }),
    shownAs: (spec, input) => shown(spec, input),
    confirm: async () => undefined,
    ensureAskable: async () => undefined,
    noteWritten: () => undefined,
  };
}

export interface LookupPorts extends ReadingPorts {
  readonly io: IoPort;
}

export function createLookup(destination: Destination, ports: LookupPorts): LookupPort {
  const reads = readsFrom(destination, destination.target, ports);
  return {
    ...reads,
    allowed: async () => true,
    mayReadLists: async () => true,
    before: (spec, input) => reads.call(spec, input) as Promise<Row>,
    placeholder: (what, text) => `<${what} ${text}>`,
  };
}

export function readsFrom(
  destination: Destination,
  source: () => Promise<KeyedTarget>,
  given: LookupPorts,
): Pick<LookupPort, 'call' | 'pages' | 'find'> {
  const ports = { ...given, isDialogue: true };
  const send = async (spec: EndpointSpec, input: AnyInput): Promise<unknown> =>
    destination.callAt(await source(), spec, input);
  const call = (spec: EndpointSpec, input: AnyInput) =>
    whileReading(nounOf(spec), ports, () => send(spec, input));
  const read = (list: EndpointSpec, part: Row) =>
    send(list, { query: part }) as Promise<readonly Row[]>;
  const list = async () => ({ target: await destination.target(), read });
  return {
    call: call as LookupPort['call'],
    pages(spec, query) {
      const pages = listPages(spec, query, list);
      return { ...pages, rows: countedRows(nounOf(spec), pages.rows, ports) };
    },
    find: (spec, field, value, onRows) =>
      whileReading(nounOf(spec), ports, async () => {
        const { findRows } = await import('../../listing/search-codes.ts');
        return findRows({ spec, field, value }, await list(), ports.io.say, onRows);
      }),
  };
}

/** A preview looks records up if there is a key. */
export function createLookupTwin(
  destination: Destination,
  ports: LookupPorts & { readonly self: SelfPort },
  placeholders: Placeholders,
): LookupPort {
  const { say } = ports.io;
  const keyed = once(() => destination.targetWithKey());
  const source = async () => (await keyed()) ?? (await destination.target());
  const reads = readsFrom(destination, source, ports);
  const allowed = async () => (await keyed()) !== undefined;
  return {
    ...reads,
    allowed,
    mayReadLists: async () => (await destination.target()).key !== undefined,
    before: async (spec, input, { isShown }) =>
      isShown && (await allowed()) ? (reads.call(spec, input) as Promise<Row>) : undefined,
    placeholder(what, text) {
      const placeholder = `<${what} ${text}>`;
      if (!placeholders.has(placeholder)) {
        placeholders.add(placeholder);
        say({ kind: 'warning', text: `${placeholder} was not looked up (no key)` });
      }
      return placeholder;
    },
  };
}

interface StoreOptions {
  readonly isPreview: boolean;
  readonly self: SelfPort;
  readonly say: Say;
  target(): Promise<KeyedTarget>;
}

export interface OpenStore extends StorePort {
  close(): void;
}

export function createStore({ isPreview, self, say, target }: StoreOptions): OpenStore {
  const { env } = self;
  const opened = new Map<KeptKind<Kept>, Kept>();
  const open = async <T extends Kept>(kind: KeptKind<T>): Promise<T> => {
    const found = opened.get(kind) ?? (isPreview ? kind.twin(self) : kind.open(self));
    opened.set(kind, found);
    return found as T;
  };
  const scope = once(async () => {
    const [{ LEDGER, ledgerExists }, { scopeOf }] = await Promise.all([
      import('../../ledger/open-ledger.ts'),
      import('../../history/scope-of.ts'),
    ]);
    const here = await target();
    // The organization of a key in a profile is known without a ledger. So a missing one is not created.
    const needsNoFile =
      here.credentialProfile !== undefined && !opened.has(LEDGER) && !ledgerExists(self);
    const ledger = needsNoFile ? LEDGER.twin(self) : await open(LEDGER);
    try {
      return await scopeOf(here, env.PROC_ORGANIZATION, ledger.sql, { keeps: !isPreview, say });
    } finally {
      if (needsNoFile) ledger.close();
    }
  });
  return {
    scope,
    open,
    close() {
      for (const one of opened.values()) one.close();
    },
  };
}

export function createInput({ streams, say }: IoPort, { cwd, signal }: SelfPort): InputPort {
  const origin = { cwd, stdin: streams.stdin, signal };
  return {
    readText: (file) => readText(file, origin),
    async body<E extends EndpointSpec>(spec: E, source: BodySource): Promise<Body<E>> {
      const { readBody } = await import('../input/body.ts');
      return readBody(spec, source, {
        readText: (file, ifTooLarge) => readText(file, origin, ifTooLarge),
        say,
      });
    },
  };
}
