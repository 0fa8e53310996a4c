import { nodeModule } from '../../core/process/node-module.ts';

export interface TransportOptions {
  readonly origin: string;
  /** PEM text of further certificate authorities; the system's stay trusted. */
  readonly ca?: string | undefined;
  /** Connections at once. Default 1: a single command needs no more. */
  readonly connections?: number | undefined;
  /** Milliseconds that connecting may take. */
  readonly connectTimeoutMs: number;
}

/** TLS and connection settings, the same with and without a proxy. */
export function connectOptions(options: Pick<TransportOptions, 'ca' | 'connectTimeoutMs'>) {
  return {
    timeout: options.connectTimeoutMs,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off.
    rejectUnauthorized: true,
    // Made once: reading all authorities takes 17 ms, which every connection would spend again.
    ...(options.ca === undefined ? {} : { secureContext: secureContextWith(options.ca) }),
  };
}

function secureContextWith(ca: string) {
  // Loaded only here, because it takes 5 ms.
  const tls = nodeModule('node:tls');
  return tls.createSecureContext({ ca: [...tls.getCACertificates('default'), ca] });
}
