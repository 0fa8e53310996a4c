import { wantsProxy, isLoopback } from '../client/origin.ts';
import type { ClientPorts } from '../client/call.ts';
import type { Transport } from '../client/transport.ts';
import type { Body, BodySource, Context, GlobalFlags, Pages, WriteIntent } from '../core/command.ts';
import type { AnyInput, EndpointSpec, InputOf, OutputOf } from '../core/endpoint.ts';
import { messageOf, ProcError } from '../core/errors.ts';
import type { Clock, Env, Say, Streams, Target } from '../core/ports.ts';
import type { Row } from '../core/result.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { type Asking, ensureAskable, guard } from './guard.ts';

/** What `main` hands down; the process is not touched below it. */
export interface Surroundings {
  readonly streams: Streams;
  readonly env: Env;
  readonly cwd: string;
  /** The command that starts this proc again: Node and the script. */
  readonly selfCommand: readonly string[];
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Wired extends Surroundings {
  readonly globals: GlobalFlags;
  readonly terminal: Terminal;
  readonly say: Say;
}

/** A context with what it opened, to be closed at the end of the command. */
export interface OpenContext extends Context {
  close(): Promise<void>;
}

/** The only wiring: every port, loaded when it is first used. */
export function createContext(wired: Wired): OpenContext {
  const { globals, env, say, signal, clock, cwd } = wired;
  const previewing = globals.dryRun || globals.curl;
  const transports = new Map<string, Transport>();

  const loadTarget = once(async () => {
    const { resolveTarget } = await import('../settings/resolve.ts');
    const target = await resolveTarget({ flags: globals, env, cwd, needCredential: !previewing });
    warnOfPlainHttp(target, say);
    return target;
  });

  const loadCertificates = once(async () => {
    if (globals.caFile === undefined) return undefined;
    const { readFile } = await import('node:fs/promises');
    return readFile(globals.caFile, 'utf8').catch((thrown: unknown) => {
      throw new ProcError('invalid_setting', `--ca-file ${globals.caFile}: ${messageOf(thrown)}`, {
        hint: 'Give a readable PEM file.',
      });
    });
  });

  async function transportTo(target: Target): Promise<Transport> {
    const { origin } = new URL(target.baseUrl);
    const open = transports.get(origin);
    if (open !== undefined) return open;
    const options = { origin, ca: await loadCertificates(), connectTimeoutMs: globals.timeoutMs };
    const transport = wantsProxy(origin, env)
      ? (await import('../client/proxy.ts')).openProxyTransport(options, env)
      : (await import('../client/transport.ts')).openTransport(options);
    transports.set(origin, transport);
    return transport;
  }

  async function clientPorts(target: Target): Promise<ClientPorts> {
    const { timeoutMs, retries, verbose } = globals;
    return { target, transport: await transportTo(target), clock, signal, say, timeoutMs, retries, verbose };
  }

  const guardPorts = {
    globals,
    env,
    say,
    asking: async (): Promise<Asking> => (await import('./asking.ts')).askingOn(wired),
  };

  async function callAny(spec: EndpointSpec, input: AnyInput, intent?: WriteIntent): Promise<unknown> {
    const target = await loadTarget();
    if (previewing) {
      const [{ prepare }, preview] = await Promise.all([import('../client/request.ts'), import('./preview.ts')]);
      const request = prepare(spec, input, target);
      throw new preview.Previewed(globals.curl ? preview.curl(request) : preview.dryRun(request));
    }
    if (spec.method !== 'GET') await guard(intent ?? plainIntent(spec), target, guardPorts);
    return callAt(target, spec, input);
  }

  async function callAt(target: Target, spec: EndpointSpec, input: AnyInput): Promise<unknown> {
    const { call } = await import('../client/call.ts');
    return call(spec, input, await clientPorts(target));
  }

  return {
    ...wired,
    previewing,
    target: loadTarget,
    callAny,
    call: <E extends EndpointSpec>(spec: E, input: InputOf<E>, intent?: WriteIntent) =>
      callAny(spec, input as AnyInput, intent) as Promise<OutputOf<E>>,
    callAt: <E extends EndpointSpec>(target: Target, spec: E, input: InputOf<E>) =>
      callAt(target, spec, input as AnyInput) as Promise<OutputOf<E>>,
    async ensureAskable(intent) {
      if (!previewing) await ensureAskable(intent, await loadTarget(), guardPorts);
    },
    pages: (spec, query) => lazyPages(spec, query, callAny, say),
    async body<E extends EndpointSpec>(spec: E, source: BodySource): Promise<Body<E>> {
      const [{ readBody }, { readText }] = await Promise.all([import('./body.ts'), import('./read-text.ts')]);
      return readBody(spec, source, {
        readText: (file) => readText(file, wired.streams.stdin),
        say,
        allowUnknown: globals.allowUnknown,
      });
    },
    settings: once(async () => {
      const { openSettings } = await import('../settings/settings.ts');
      return openSettings({ env, cwd, flags: globals });
    }),
    prompts: once(async () => (await import('../terminal/prompts.ts')).createPrompts(wired)),
    async close() {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
    },
  };
}

function lazyPages(
  spec: EndpointSpec,
  { limit, offset, ...rest }: Readonly<Record<string, unknown>>,
  callAny: (spec: EndpointSpec, input: AnyInput) => Promise<unknown>,
  say: Say,
): Pages {
  let complete = () => false;
  async function* rows(): AsyncGenerator<readonly Row[]> {
    const { PageWalk } = await import('../client/pages.ts');
    const read = (query: object) => callAny(spec, { query: { ...query, ...rest } }) as Promise<readonly Row[]>;
    const walk = new PageWalk(read, say, limit as number | undefined, offset as number | undefined);
    complete = () => walk.complete();
    yield* walk.rows();
  }
  return { rows: rows(), complete: () => complete() };
}

function warnOfPlainHttp(target: Target, say: Say): void {
  const url = new URL(target.baseUrl);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    say({ kind: 'warning', text: `${url.origin} is plain http: the key and all data can be read on the way` });
  }
}

/** What a write is called where its command says no more. */
function plainIntent(spec: EndpointSpec): WriteIntent {
  const weight = spec.method === 'DELETE' ? 'delete' : spec.method === 'PATCH' ? 'patch' : 'create';
  return { what: `${spec.method} ${spec.path}`, weight };
}

function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
