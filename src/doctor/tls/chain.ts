import type { X509Certificate } from 'node:crypto';
import type { DetailedPeerCertificate, PeerCertificate } from 'node:tls';
import type { CertificateRow } from '../check.ts';

const DAY_MS = 86_400_000;

export interface Certificate {
  readonly subject: string;
  readonly issuer: string;
  /** `from` and `until` are milliseconds since the epoch. */
  readonly from: number;
  readonly until: number;
  readonly fingerprint: string;
  /** The host names that the certificate is valid for, e.g. `DNS:procurement.example`. */
  readonly hosts: string;
  /** DER in base64, without line breaks. */
  readonly der: string;
}

export function chainOf(certificate: DetailedPeerCertificate): readonly Certificate[] {
  const chain: Certificate[] = [];
  for (let at: DetailedPeerCertificate | undefined = certificate; at?.raw !== undefined; ) {
    chain.push({
      subject: nameOf(at.subject),
      issuer: nameOf(at.issuer),
      from: Date.parse(at.valid_from),
      until: Date.parse(at.valid_to),
      fingerprint: at.fingerprint256,
      hosts: at.subjectaltname ?? '',
      der: at.raw.toString('base64'),
    });
    // A root certificate is its own issuer.
    at = at.issuerCertificate === at ? undefined : at.issuerCertificate;
  }
  return chain;
}

function nameOf(name: PeerCertificate['subject'] | undefined): string {
  const { CN, O, OU } = name ?? {};
  return [CN ?? O ?? OU ?? '?'].flat()[0]!;
}

export function certificateOf(found: X509Certificate): Certificate {
  return {
    subject: ofLines(found.subject),
    issuer: ofLines(found.issuer),
    from: Date.parse(found.validFrom),
    until: Date.parse(found.validTo),
    fingerprint: found.fingerprint256,
    hosts: found.subjectAltName ?? '',
    der: found.raw.toString('base64'),
  };
}

/** The most specific name: `Buyer` for `C=ES\nO=Acme\nCN=Buyer`. */
function ofLines(name: string | undefined): string {
  const parts = (name ?? '').split('\n').map((part) => part.split(/=(.*)/s));
  const of = (key: string) => parts.find(([one]) => one === key)?.[1];
  return of('CN') ?? of('O') ?? of('OU') ?? '?';
}

export function daysLeft({ until }: Certificate, now: number): number {
  return Math.floor((until - now) / DAY_MS);
}

export function ending(certificate: Certificate, now: number): string {
  if (certificate.until <= now) return `expired on ${day(certificate.until)}`;
  const left = daysLeft(certificate, now);
  return `expires in ${left === 1 ? '1 day' : `${left} days`}`;
}

export function described(certificate: Certificate, now: number): string {
  const { subject, issuer, from, until, fingerprint } = certificate;
  const by = subject === issuer ? 'issued by itself' : `issued by ${issuer}`;
  return `${subject}, ${by}, ${day(from)} to ${day(until)}, ${ending(certificate, now)}, SHA-256 ${fingerprint}`;
}

export function certificateRow(certificate: Certificate, now: number): CertificateRow {
  const { subject, issuer, from, until, fingerprint } = certificate;
  return {
    subject,
    issuer,
    validFrom: new Date(from).toISOString(),
    validTo: new Date(until).toISOString(),
    daysLeft: daysLeft(certificate, now),
    fingerprint,
  };
}

export function day(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
