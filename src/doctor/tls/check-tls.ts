import { existsSync } from 'node:fs';
import tls from 'node:tls';
import { systemCertificates } from '../../client/connection/system-store.ts';
import { isUnknownAuthority } from '../../client/connection/untrusted.ts';
import { messageOf, ProcError, systemCode } from '../../core/errors.ts';
import type { Env } from '../../core/ports.ts';
import { type Check, ok, problem, warning } from '../check.ts';
import { certificateRow, day, daysLeft, described, ending } from './chain.ts';
import { examineTls, type Handshake, type Route } from './examine-tls.ts';

export const ENDS_SOON_DAYS = 30;

export interface TlsPorts {
  readonly env: Env;
  readonly ca: string | undefined;
  readonly now: number;
}

/** `name` says where the authorities come from. `ca` has their certificates as PEM texts. */
interface TrustStore {
  readonly name: string;
  readonly ca: readonly string[];
}

/** Trusts the same certificate authorities as all other commands. */
export async function checkTls(route: Route, ports: TlsPorts): Promise<Check> {
  const where = `${route.host}:${route.port}`;
  const stores: TrustStore[] = [
    { name: 'Node.js', ca: tls.getCACertificates('bundled') },
    { name: 'NODE_EXTRA_CA_CERTS', ca: tls.getCACertificates('extra') },
    // With NODE_USE_SYSTEM_CA, Node's default authorities include those of the system.
    {
      name: 'the settings of Node.js, e.g. NODE_USE_SYSTEM_CA',
      ca: tls.getCACertificates('default'),
    },
    ...(ports.ca === undefined ? [] : [{ name: '--ca-file', ca: [ports.ca] }]),
  ];
  try {
    let seen = await examineTls(route, pems(stores));
    if (isUnknownAuthority(seen.refusal)) {
      const { SSL_CERT_FILE: file } = ports.env;
      const name = file ? 'the system or SSL_CERT_FILE' : 'the system';
      stores.push({ name, ca: systemCertificates(ports.env) });
      seen = await examineTls(route, pems(stores));
    }
    const check =
      seen.refusal === undefined
        ? trusted(seen, stores, route, ports.now)
        : problem('tls', refused(seen, route, ports));
    return {
      ...check,
      evidence: seen.chain.map((one) => described(one, ports.now)),
      certificates: seen.chain.map((one) => certificateRow(one, ports.now)),
    };
  } catch (thrown) {
    return problem('tls', unreached(where, thrown));
  }
}

function pems(stores: readonly TrustStore[]): readonly string[] {
  return [...new Set(stores.flatMap(({ ca }) => ca))];
}

function trusted(
  { protocol, chain }: Handshake,
  stores: readonly TrustStore[],
  { proxy }: Route,
  now: number,
): Check {
  const [own] = chain;
  const root = chain.at(-1)!;
  const store = stores.find(({ ca }) =>
    ca.some((pem) => pem.replace(/\s/g, '').includes(root.der)),
  );
  const isBundled = store?.name === 'Node.js';
  const finding = [
    `${protocol}, certificate of ${own!.subject} ${ending(own!, now)}`,
    `proc knows its authority, ${root.subject}${store === undefined ? '' : `, from ${store.name}`}`,
    ...(proxy === undefined || isBundled
      ? []
      : [`the proxy ${new URL(proxy).host} may decrypt the connection`]),
  ].join('; ');
  const first = chain.reduce((a, b) => (b.until < a.until ? b : a));
  if (daysLeft(first, now) >= ENDS_SOON_DAYS) return ok('tls', finding);
  const which =
    first === own
      ? finding
      : `${finding}; the certificate of ${first.subject} ${ending(first, now)}`;
  return warning('tls', which, 'Tell the operators of the service');
}

const ADD = 'add it to the certificates of the system, or use --ca-file FILE';

function refused(
  { refusal = '?', chain }: Handshake,
  route: Route,
  { env, now }: TlsPorts,
): ProcError {
  const own = chain[0]!;
  const last = chain.at(-1)!;
  const behind =
    route.proxy === undefined
      ? ''
      : ` The proxy ${new URL(route.proxy).host} may decrypt the connection.`;
  const [reason, hint] = ((): readonly [string, string] => {
    switch (refusal) {
      case 'CERT_HAS_EXPIRED': {
        const ended = chain.find(({ until }) => until <= now) ?? own;
        return [
          `the certificate of ${ended.subject} ${ending(ended, now)}`,
          'Tell the operators of the service, and check the clock of this machine',
        ];
      }
      case 'CERT_NOT_YET_VALID':
        return [
          `the certificate of ${own.subject} is not valid before ${day(own.from)}`,
          'Check the clock of this machine',
        ];
      case 'ERR_TLS_CERT_ALTNAME_INVALID':
        return [
          `it is for ${own.hosts || own.subject}, not for ${route.host}`,
          `Check the base URL: proc config list.${behind}`,
        ];
      case 'DEPTH_ZERO_SELF_SIGNED_CERT':
        return [
          `the certificate of ${own.subject} is signed by itself, not by an authority`,
          `If the operators confirm its SHA-256 (-v shows it), ${ADD}`,
        ];
      case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
        return [
          `the service sends one certificate, from the unknown issuer ${own.issuer}`,
          `An intermediate certificate may be missing: ask the operators to send the whole chain. If the issuer is the authority of your organization, ${ADD}.${behind}`,
        ];
      default:
        return isUnknownAuthority(refusal)
          ? [
              `neither Node.js nor the system knows its authority, ${last.issuer}`,
              `If it is the authority of your organization, ${ADD}.${behind}`,
            ]
          : [refusal, 'Tell the operators of the service'];
    }
  })();
  const file = env.SSL_CERT_FILE;
  const isGone = file !== undefined && file !== '' && !existsSync(file);
  const gone = isGone && isUnknownAuthority(refusal) ? ` SSL_CERT_FILE names a missing file.` : '';
  const message = `the certificate is not trusted: ${reason} (${refusal})`;
  return new ProcError('unreachable', message, { hint: hint + gone });
}

function unreached(where: string, thrown: unknown): ProcError {
  const reason = systemCode(thrown) ?? messageOf(thrown);
  return new ProcError('unreachable', `no TLS connection to ${where} (${reason})`, {
    hint: 'Check the network and the base URL: proc config list',
  });
}
