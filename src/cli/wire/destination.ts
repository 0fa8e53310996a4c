import type { AnyInput, EndpointSpec } from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports, Say } from '../../core/ports.ts';
import { requireWritable } from '../../core/service/read-only.ts';
import { hiding } from '../../core/service/secret.ts';
import type { KeyedTarget, Target } from '../../core/service-target.ts';
import { isLoopback } from '../../core/text/loopback.ts';
import type { ClientPorts } from '../../http/call.ts';
import type { Transport } from '../../http/connection.ts';
import { hideOn } from '../../terminal/write.ts';

export interface Destination {
  /** The same target on every call. In a preview, its key may be missing. */
  target(): Promise<KeyedTarget>;
  /** Runs a `credentialCommand` even in a preview. Returns undefined if no credential can be read. */
  targetWithKey(): Promise<KeyedTarget | undefined>;
  transportTo(target: KeyedTarget, connections?: number): Promise<Transport>;
  clientPorts(target: KeyedTarget): Promise<ClientPorts>;
  callAt(target: KeyedTarget, spec: EndpointSpec, input: AnyInput): Promise<unknown>;
  close(): Promise<void>;
}

export function createDestination(ports: Ports<'io' | 'self'>, isPreview: boolean): Destination {
  const { io, self } = ports;
  const { streams, say } = io;
  const { flags, env, cwd, clock, signal } = self;
  const transports = new Map<string, Transport>();

  const resolve = async (needCredential: boolean): Promise<KeyedTarget> => {
    const { resolveTarget } = await import('../../config/resolve-target.ts');
    return resolveTarget({ flags, env, needCredential, say });
  };
  const target = once(async () => {
    const found = await resolve(!isPreview);
    const hide = hiding(found.credential);
    hideOn(streams.stdout, hide);
    hideOn(streams.stderr, hide);
    warnOfPlainHttp(found, say);
    return found;
  });

  async function transportTo(target: KeyedTarget, connections = 1): Promise<Transport> {
    const { baseUrl, authorities } = target;
    const { origin } = new URL(baseUrl);
    const key = `${connections} ${origin}`;
    const open = transports.get(key);
    if (open !== undefined) return open;
    const ca = authorities && [await read(authorities)];
    const { openTransport } = await import('../../http/connection.ts');
    const opened = openTransport({
      origin,
      env,
      ca,
      connections,
      connectTimeoutMs: flags.timeoutMs,
    });
    const transport = { ...opened, requireWritable: (what: string) => refuseWrite(target, what) };
    transports.set(key, transport);
    return transport;
  }

  /** Every request passes through this check. */
  function refuseWrite(target: Target, what: string): void {
    requireWritable(target, what);
    if (isPreview) throw new ProcError('read_only', `${what} is not sent: this is a dry run`);
  }

  async function read({ path, name }: NonNullable<Target['authorities']>): Promise<string> {
    const { readAuthorities } = await import('../../config/settings.ts');
    return readAuthorities({ path, name }, cwd);
  }

  async function clientPorts(to: KeyedTarget): Promise<ClientPorts> {
    const { timeoutMs, retries, verbose } = flags;
    const transport = await transportTo(to);
    return { target: to, transport, clock, signal, say, timeoutMs, retries, verbose };
  }

  return {
    target,
    async targetWithKey() {
      const found = await target();
      if (found.credential !== undefined) return found;
      try {
        return await resolve(true);
      } catch (thrown) {
        if (thrown instanceof ProcError) return undefined;
        throw thrown;
      }
    },
    transportTo,
    clientPorts,
    async callAt(to, spec, input) {
      const { call } = await import('../../http/call.ts');
      return call(spec, input, await clientPorts(to));
    },
    async close() {
      await Promise.all([...transports.values()].map((transport) => transport.close()));
    },
  };
}

/** Warns even if the setting `allowHttp` permits plain HTTP. */
function warnOfPlainHttp(target: Target, say: Say): void {
  const url = new URL(target.baseUrl);
  if (url.protocol === 'http:' && !isLoopback(url.hostname)) {
    say({
      kind: 'warning',
      text: `${url.origin} uses plain http: others on the network can read the key and all data`,
    });
  }
}

/** Calls `load` once. Every call returns the same promise, even if it was rejected. */
export function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => (loaded ??= load());
}
