import type {
  ArgSpecs,
  ArgValues,
  CommandSpec,
  FlagSpecs,
  FlagValues,
} from './core/command-spec.ts';
import type { AnyInput, EndpointSpec, InputOf, OutputOf } from './core/endpoint.ts';
import { ProcError } from './core/errors.ts';
import type { GlobalFlags } from './core/global-flags.ts';
import type { Clock, Env, Io, Prompt, Streams } from './core/io.ts';
import type { Result, Row } from './core/result.ts';
import { hiding } from './core/secret.ts';
import {
  type KeyedTarget,
  requireWritable,
  type Scope,
  type Sender,
  type Target,
} from './core/service.ts';
import { targetFlags } from './core/wording.ts';
import type { ClientPorts } from './http/call.ts';
import type { Transport } from './http/connection.ts';
import type { PreparedRequest } from './http/request.ts';
import type { Ledger } from './ledger/open-ledger.ts';
import type { Sql } from './ledger/sql.ts';
import type { Pages } from './listing/list-pages.ts';
import type { FoundRows } from './listing/search.ts';
import type { OutputPlan } from './output/output-plan.ts';
import { renderError } from './output/render-error.ts';
import { doubtOf, stateDir } from './store/folder.ts';
import { createSay, describeTerminal } from './terminal/terminal.ts';
import { hideOn, writeNow } from './terminal/write.ts';

/** What `main` knows before the command line is read. */
export interface Surroundings {
  readonly streams: Streams;
  readonly env: Env;
  /** Relative paths start here. */
  readonly cwd: string;
  /** The words after `proc`. */
  readonly typed: readonly string[];
  /** The command that starts this program again, e.g. the paths of Node and of the script. */
  readonly selfCommand: readonly string[];
  readonly pid: number;
  readonly clock: Clock;
  /** Aborted by signals, with a ProcError as its reason. */
  readonly signal: AbortSignal;
  /** Errors, notices and warnings are JSON lines. */
  readonly json: boolean;
  /** The writes of this command. If its result cannot be delivered, the error names them. */
  readonly written: Written[];
}

/** What a command may use. Every member is made, and its modules are loaded, when it is first used. */
export interface Context extends Omit<Surroundings, 'streams'> {
  readonly flags: GlobalFlags;
  readonly io: Io;
  readonly prompt: Prompt;
  /** The service of this command, and its settings. In a dry run, its key may be missing. */
  target(): Promise<Target>;
  http(): Http;
  /** In a dry run, nothing in it is changed and no file is created. Closed at the end of the command. */
  ledger(): Promise<Ledger>;
  /** The service and organization of this command. Look up stored writes only in this scope. */
  scope(): Promise<Scope>;
  /** The same, as another ledger knows it. Stores nothing there. */
  scopeIn(sql: Sql): Promise<Scope>;
}

export interface Written {
  /** `create item "Bolt"`, as history has it. */
  readonly what: string;
  readonly created?: string | undefined;
  readonly see: string;
}

/** Requests to the service. In a dry run and with `readOnly`, every request but a GET is refused. */
interface Http {
  /** False in a dry run without a key. */
  canRead(): Promise<boolean>;
  /** Retries a read after any temporary failure, a write only if the attempt provably had no effect. */
  call<E extends EndpointSpec>(spec: E, input: InputOf<E>, hooks?: Hooks): Promise<OutputOf<E>>;
  /** Reads a list page by page to its end, no faster than the pages are consumed. */
  pages(spec: EndpointSpec, query: Row): Pages;
  /**
   * The rows of a list whose code is one of these, compared by the fold: by a binary search, or in the whole list.
   *
   * @param onRows called with the rows of each page that is read
   */
  find(
    spec: EndpointSpec,
    codes: Iterable<string>,
    onRows?: (rows: readonly Row[]) => void,
  ): Promise<FoundRows>;
  /**
   * A sender with its own connections, closed at the end of the command.
   *
   * @param dialect as detected by the command (default: from the settings)
   * @param at a target that is not the command's (`proc setup`)
   */
  sender(connections: number, dialect?: Target['dialect'], at?: KeyedTarget): Promise<Sender>;
  /** The request as it would be sent. */
  request(spec: EndpointSpec, input: AnyInput): Promise<PreparedRequest>;
  /** Replaces the key in a text, or in all texts of a value, by `***`. */
  mask(): Promise<<T>(value: T) => T>;
}

export type Hooks = Pick<ClientPorts, 'onOutcome' | 'mayLeave' | 'beforeRetry'>;

export interface OpenContext extends Context {
  /** How the result will be printed. A mistake in the output flags fails here, before anything is sent. */
  outputPlan(): Promise<OutputPlan>;
  close(): Promise<void>;
}

export function createContext(
  surroundings: Surroundings,
  flags: GlobalFlags,
  form: Pick<CommandSpec, 'path' | 'anyOut' | 'toleratesSettings' | 'page'>,
): OpenContext {
  const { streams, ...around } = surroundings;
  const { env, cwd, json } = surroundings;
  const terminal = describeTerminal(streams, env, flags);
  const outputPlan = once(async () => {
    const { planOutput } = await import('./output/output-plan.ts');
    return planOutput({ globals: flags, env, form, terminal, cwd });
  });
  const io: Io = {
    streams,
    terminal,
    say: createSay({ streams, terminal, json, quiet: flags.quiet }),
    complain: (error) =>
      writeNow(
        streams.stderr,
        renderError(error, { json, color: terminal.color.stderr, target: targetFlags(flags) }),
      ),
    async showsTable() {
      const { format, out, query } = await outputPlan();
      return terminal.stdoutIsTerminal && format === 'table' && (out ?? query) === undefined;
    },
  };
  const shared = { ...around, flags, io };
  const destination = createDestination(shared);
  const store = createStore(shared, destination.target);
  const http = createHttp(shared, destination);
  return {
    ...shared,
    prompt: createPrompt(io, surroundings.signal),
    target: async () => withoutKey(await destination.target()),
    http: () => http,
    ledger: store.ledger,
    scope: store.scope,
    scopeIn: store.scopeIn,
    outputPlan,
    async close() {
      await store.close();
      await destination.close();
    },
  };
}

type Around = Omit<Surroundings, 'streams'> & { readonly flags: GlobalFlags; readonly io: Io };

/** Calls `load` once. Every call returns the same promise, even if it was rejected. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}

/** Loads the library of prompts with the first question. */
function createPrompt({ streams, terminal }: Io, signal: AbortSignal): Prompt {
  const prompts = once(async () => {
    const { createPrompts } = await import('./terminal/create-prompts.ts');
    return createPrompts({ streams, terminal, signal });
  });
  return {
    confirm: async (...asked) => (await prompts()).confirm(...asked),
    typed: async (...asked) => (await prompts()).typed(...asked),
    select: async (...asked) => (await prompts()).select(...asked),
    checkbox: async (...asked) => (await prompts()).checkbox(...asked),
    search: async (...asked) => (await prompts()).search(...asked),
    lines: async (...asked) => (await prompts()).lines(...asked),
    input: async (...asked) => (await prompts()).input(...asked),
    secret: async (...asked) => (await prompts()).secret(...asked),
  };
}

interface Destination {
  /** The same target on every call. In a dry run, its key may be missing. */
  target(): Promise<KeyedTarget>;
  /** In a dry run, runs a `credentialCommand` too. */
  targetToRead(): Promise<KeyedTarget>;
  transportTo(target: KeyedTarget, connections?: number): Promise<Transport>;
  close(): Promise<void>;
}

function createDestination({ io, flags, env, cwd }: Around): Destination {
  const transports = new Map<string, Promise<Transport>>();
  const resolved = (needCredential: boolean) =>
    once(async () => {
      const { resolveTarget } = await import('./config/resolve-target.ts');
      const found = await resolveTarget({ flags, env, needCredential, say: io.say });
      const hide = hiding(found.credential);
      hideOn(io.streams.stdout, hide);
      hideOn(io.streams.stderr, hide);
      return found;
    });
  const target = resolved(!flags.dryRun);
  const keyed = resolved(true);
  const targetToRead = async () => ((await target()).credential === undefined ? keyed() : target());

  /** Every request passes through this check. */
  function refuseWrite(to: Target, what: string): void {
    requireWritable(to, what);
    if (flags.dryRun) throw new ProcError('read_only', `${what} is not sent: this is a dry run`);
  }

  function transportTo(to: KeyedTarget, connections = 1): Promise<Transport> {
    const { origin } = new URL(to.baseUrl);
    const key = `${connections} ${origin}`;
    const open = transports.get(key);
    if (open !== undefined) return open;
    const opening = (async () => {
      const { authorities } = to;
      const { readAuthorities } = await import('./config/settings.ts');
      const { openTransport } = await import('./http/connection.ts');
      const opened = openTransport({
        ...{ origin, env, connections, connectTimeoutMs: flags.timeoutMs },
        ca: authorities && [readAuthorities(authorities, cwd)],
      });
      return { ...opened, requireWritable: (what: string) => refuseWrite(to, what) };
    })();
    transports.set(key, opening);
    return opening;
  }

  return {
    target,
    targetToRead,
    transportTo,
    async close() {
      const opened = await Promise.allSettled(transports.values());
      await Promise.all(opened.map((one) => one.status === 'fulfilled' && one.value.close()));
    },
  };
}

function withoutKey({ credential: _, ...target }: KeyedTarget): Target {
  return target;
}

function createHttp(around: Around, destination: Destination): Http {
  const { io, flags, clock, signal } = around;
  const { timeoutMs, retries, verbose } = flags;

  async function callTarget(
    spec: EndpointSpec,
    input: AnyInput,
    hooks: Hooks = {},
  ): Promise<unknown> {
    const target = await destination.targetToRead();
    const { call } = await import('./http/call.ts');
    const transport = await destination.transportTo(target);
    const client = { target, transport, clock, signal, say: io.say, timeoutMs, retries, verbose };
    return call(spec, input, { ...client, ...hooks });
  }
  const listing = async () => ({
    target: await destination.target(),
    read: (list: EndpointSpec, query: Row) =>
      callTarget(list, { query }) as Promise<readonly Row[]>,
  });

  return {
    async canRead() {
      if (!flags.dryRun) return true;
      return destination.targetToRead().then(
        () => true,
        (thrown) => {
          if (thrown instanceof ProcError) return false;
          throw thrown;
        },
      );
    },
    call: callTarget as Http['call'],
    pages(spec, query) {
      let pages: Pages | undefined;
      async function* rows(): AsyncGenerator<readonly Row[]> {
        const { listPages } = await import('./listing/list-pages.ts');
        pages = listPages(spec, query, listing);
        yield* pages.rows;
      }
      return {
        rows: rows(),
        complete: () => pages?.complete() ?? false,
        isCut: () => pages?.isCut() ?? false,
        failure: () => pages?.failure(),
      };
    },
    async find(spec, codes, onRows) {
      const { findCodes } = await import('./listing/search.ts');
      return findCodes(spec, codes, await listing(), onRows);
    },
    async sender(connections, dialect, at) {
      const found = at ?? (await destination.targetToRead());
      const target = dialect === undefined ? found : { ...found, dialect };
      const transport = await destination.transportTo(target, connections);
      return openSender(target, transport, around);
    },
    async request(spec, input) {
      const { prepare } = await import('./http/request.ts');
      return prepare(spec, input, await destination.target());
    },
    mask: async () => hiding((await destination.target()).credential).value,
  };
}

async function openSender(
  target: KeyedTarget,
  transport: Transport,
  { flags, clock, io }: Around,
): Promise<Sender> {
  const [{ prepare }, { begin, send }, { trace }] = await Promise.all([
    import('./http/request.ts'),
    import('./http/send-once.ts'),
    import('./http/call.ts'),
  ]);
  const options = { timeoutMs: flags.timeoutMs, now: clock.now };
  return {
    target: withoutKey(target),
    async send(spec, input) {
      const request = prepare(spec, input, target);
      const started = clock.monotonic();
      const outcome = await send(request, transport, options);
      if (flags.verbose)
        io.say(trace(request, outcome, 1, Math.round(clock.monotonic() - started)));
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

function createStore(around: Around, target: () => Promise<KeyedTarget>) {
  const { env, flags, io } = around;
  let opened: Ledger | undefined;
  const look = once(async () => {
    const doubt = doubtOf(stateDir(env));
    if (doubt !== undefined) io.say({ kind: 'warning', text: doubt });
    return import('./ledger/open-ledger.ts');
  });
  const ledger = once(async (): Promise<Ledger> => {
    const { openLedger } = await look();
    opened = await openLedger(around, flags.dryRun);
    return opened;
  });
  const scopeIn = async (sql: Sql, keeps = false): Promise<Scope> => {
    const { scopeOf } = await import('./history/scope-of.ts');
    return scopeOf(await target(), env.PROC_ORGANIZATION, sql, keeps);
  };
  const scope = once(async () => {
    const { ledgerExists, openLedger } = await look();
    const here = await target();
    // The organization of a key in a profile is known without a ledger. So a missing one is not created.
    const needsNoFile =
      here.credentialProfile !== undefined && opened === undefined && !ledgerExists(around);
    const found = needsNoFile ? await openLedger(around, true) : await ledger();
    try {
      return await scopeIn(found.sql, !flags.dryRun);
    } finally {
      if (needsNoFile) found.close();
    }
  });
  return { ledger, scope, scopeIn, close: () => opened?.close() };
}

export type Command<A extends ArgSpecs = ArgSpecs, F extends FlagSpecs = FlagSpecs> = CommandSpec<
  A,
  F
> & {
  run(ctx: Context, args: ArgValues<A>, flags: FlagValues<F>): Promise<Result>;
};

/** Declares a command. Load heavy modules inside `run`, with `import()`. */
export function command<const A extends ArgSpecs, const F extends FlagSpecs>(
  spec: Command<A, F>,
): Command {
  return spec as unknown as Command;
}
