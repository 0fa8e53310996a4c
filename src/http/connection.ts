import { readFileSync } from 'node:fs';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { isUnknownAuthority, ProcError, systemCode } from '../core/errors.ts';
import type { Env } from '../core/io.ts';
import { isLoopback } from '../core/service.ts';
import { nodeModule } from '../core/system.ts';

export interface TransportOptions {
  readonly origin: string;
  readonly env: Env;
  /** PEM texts of further certificate authorities; those of Node stay trusted. */
  readonly ca?: readonly string[] | undefined;
  /** At once, for reads and for writes each. Default 1. */
  readonly connections?: number | undefined;
  readonly connectTimeoutMs: number;
}

/** The connections to one origin. */
export interface Transport {
  dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void;
  /**
   * Trusts the certificates of the system too, for an error that shows an unknown authority.
   *
   * @returns undefined for another error; else when a request may be sent again
   */
  trustSystem(error: Error): Promise<void> | undefined;
  /** Throws a ProcError (`read_only`) in a dry run, and if the target is read-only. */
  readonly requireWritable?: (what: string) => void;
  /** Aborts the requests under way. */
  close(): Promise<void>;
}

/**
 * HTTP/1.1 with one request at a time, so that a lost response leaves only one request unconfirmed. A `Pool` does what
 * an `Agent` does for one origin, with 10 µs less a request.
 */
const AGENT = {
  pipelining: 1,
  allowH2: false,
  // send-once.ts limits an attempt as a whole; undici's timers restart with every byte.
  headersTimeout: 0,
  bodyTimeout: 0,
  // A service may be closing a connection that was idle for longer. The outcome of a write on it would be unknown.
  keepAliveTimeout: 2_000,
  keepAliveMaxTimeout: 2_000,
} as const;

/** @throws ProcError `invalid_setting` if a variable does not hold the address of a proxy */
export function openTransport(options: TransportOptions): Transport {
  const { origin, env, connections = 1, ca = [], connectTimeoutMs } = options;
  const proxies = isLoopback(new URL(origin).hostname) ? undefined : proxiesIn(env);
  const opened: Dispatcher[] = [];
  const open = (authorities: readonly string[]) => {
    const connect = connectWith(authorities, connectTimeoutMs);
    const common = { ...AGENT, connections, connect };
    const dispatcher = (): Dispatcher => {
      const made =
        proxies === undefined
          ? new Pool(origin, common)
          : new EnvHttpProxyAgent({
              ...common,
              ...proxies,
              requestTls: connect,
              proxyTls: connect,
            });
      opened.push(made);
      return made;
    };
    // A write never goes to a connection of reads: who closes it in the same moment leaves the write unknown.
    return { reads: dispatcher(), writes: dispatcher() };
  };
  let agents = open(ca);
  let trusting: Promise<void> | undefined;
  return {
    dispatch: (request, handler) => {
      (request.method === 'GET' ? agents.reads : agents.writes).dispatch(request, handler);
    },
    trustSystem(error) {
      if (!isUnknownAuthority(systemCode(error))) return undefined;
      trusting ??= (async () => {
        agents = open([...ca, ...systemCertificates(env)]);
      })();
      return trusting;
    },
    close: async () => {
      await Promise.all(opened.map((agent) => agent.destroy()));
    },
  };
}

function connectWith(authorities: readonly string[], timeout: number) {
  return {
    timeout,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off.
    rejectUnauthorized: true,
    // One context for all connections, because reading all authorities takes 17 ms.
    ...(authorities.length === 0 ? {} : { secureContext: secureContextWith(authorities) }),
  };
}

function secureContextWith(authorities: readonly string[]) {
  const tls = nodeModule('node:tls');
  // A certificate may be in both lists. Repeats are removed, because each certificate takes time to load.
  return tls.createSecureContext({
    ca: [...new Set([...tls.getCACertificates('default'), ...authorities])],
  });
}

/**
 * The certificate authorities of the system and of `SSL_CERT_FILE`, as PEM texts. On macOS and Windows, Node's list for
 * the system does not include `SSL_CERT_FILE`. Reading takes 0.15 s on Linux, and much longer on some machines.
 */
function systemCertificates({ SSL_CERT_FILE: file }: Env): readonly string[] {
  const ofSystem = nodeModule('node:tls').getCACertificates('system');
  if (file === undefined || file === '') return ofSystem;
  try {
    return [...ofSystem, readFileSync(file, 'utf8')];
  } catch {
    // As with OpenSSL, an unreadable file has no certificates.
    return ofSystem;
  }
}

/** All are set even if empty, because undici would otherwise read the environment of the process. Undefined without any. */
function proxiesIn(env: Env) {
  const proxy = (name: 'HTTPS_PROXY' | 'HTTP_PROXY'): string => {
    const typed = env[name.toLowerCase()] ?? env[name] ?? '';
    // A value without a scheme (`proxy.corp:3128`) means plain HTTP.
    const url = typed === '' || typed.includes('://') ? typed : `http://${typed}`;
    if (url === '' || /^https?:$/.test(URL.parse(url)?.protocol ?? '')) return url;
    // The value may hold a password, so the error does not repeat it.
    throw new ProcError('invalid_setting', `${name} is not the address of an http or https proxy`, {
      hint: `Use e.g. ${name}=http://proxy.example:3128`,
    });
  };
  const httpProxy = proxy('HTTP_PROXY');
  const httpsProxy = proxy('HTTPS_PROXY') || httpProxy;
  if (httpsProxy === '') return undefined;
  return { httpProxy, httpsProxy, noProxy: env.no_proxy ?? env.NO_PROXY ?? '' };
}
