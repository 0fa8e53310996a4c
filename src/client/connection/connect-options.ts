import { nodeModule } from '../../core/process/node-module.ts';

export interface TransportOptions {
  readonly origin: string;
  /** PEM texts of further certificate authorities; those of Node stay trusted. */
  readonly ca?: readonly string[] | undefined;
  /** Default 1. */
  readonly connections?: number | undefined;
  readonly connectTimeoutMs: number;
}

export function connectOptions(options: Pick<TransportOptions, 'ca' | 'connectTimeoutMs'>) {
  const { ca } = options;
  return {
    timeout: options.connectTimeoutMs,
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED=0 does not switch verification off.
    rejectUnauthorized: true,
    // The context is not created for each connection, because reading all authorities takes 17 ms.
    ...(ca === undefined ? {} : { secureContext: secureContextWith(ca) }),
  };
}

function secureContextWith(ca: readonly string[]) {
  const tls = nodeModule('node:tls');
  // A certificate may be in both lists. Repeats are removed, because each certificate takes time to load.
  return tls.createSecureContext({
    ca: [...new Set([...tls.getCACertificates('default'), ...ca])],
  });
}
