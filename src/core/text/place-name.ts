import type { Target } from '../service-target.ts';

/**
 * `acme · production`. With another address from `PROC_BASE_URL`: `acme at 127.0.0.1:5010`. Without a
 * profile: the host.
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
