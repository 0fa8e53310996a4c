import type { Target } from '../service-target.ts';

/**
 * Names the place a request goes to, for people: `acme · production`; `sandbox at 127.0.0.1:5010` if the
 * address is not that of the environment; the host if only a URL is known.
 */
export function placeName({
  profile,
  environment,
  baseUrl,
  isOtherAddress,
}: Pick<Target, 'profile' | 'environment' | 'baseUrl' | 'isOtherAddress'>): string {
  const { host } = new URL(baseUrl);
  if (profile === undefined) return host;
  if (isOtherAddress) return `${profile} at ${host}`;
  return environment === undefined ? profile : `${profile} · ${environment}`;
}
