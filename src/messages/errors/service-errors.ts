/** Errors of requests. `says` is what the service wrote, with a colon before it, or empty. It is never translated. */
export const serviceErrors = {
  busy: (where: string, status: number, says: string): string =>
    `${where}: the service is busy and refused the request (${status})${says}`,
  asksToWait: (where: string, status: number, seconds: number, until: string): string =>
    `${where}: the service returned ${status} and asks to wait ${seconds} s, until ${until}`,
  unauthorized: (where: string, says: string): string =>
    `${where}: the key is missing or incorrect (401)${says}`,
  forbidden: (where: string, profile: string | undefined, says: string): string =>
    `${where}: the key gives access only to ${profile === undefined ? 'this organization' : `the organization of profile "${profile}"`} (403)${says}`,
  notFound: (where: string, says: string): string => `${where}: not found (404)${says}`,
  notModified: (where: string): string =>
    `${where}: the service returned 304 (not modified), without data`,
  redirected: (where: string, status: number, to: string | undefined): string =>
    `${where}: the service redirects (${status}) to ${to ?? 'elsewhere'}; proc does not follow redirects`,
  refused: (where: string, status: number, says: string): string =>
    `${where}: the service refused the request (${status})${says}`,
  unknown: (where: string, why: string): string =>
    `${where}: sent, but the outcome is unknown: ${why}`,
  notSent: (where: string, why: string): string => `${where}: ${why}; nothing was sent`,
} as const satisfies Readonly<Record<string, string | ((...values: never[]) => string)>>;

/** The message of a failed request in a run that has sent others: without its end, which would be wrong. */
export function afterSending(message: string): string {
  return message.replace(/; nothing was sent$/, '');
}

/** Why a request was not sent. */
export const notSentReasons = {
  timedOut: 'the connection timed out',
  proxyRefuses: (status: string): string => `the proxy refuses the connection (${status})`,
  proxySilent: (address: string | undefined, port: number): string =>
    `the proxy at ${address}:${port} does not respond`,
  nothingListens: (host: string): string => `nothing listens at ${host}`,
  proxyUnknown: (host: string): string => `the host name of the proxy, ${host}, cannot be resolved`,
  hostUnknown: (host: string): string => `the host name ${host} cannot be resolved`,
  untrusted: (code: string): string => `the TLS certificate is not trusted (${code})`,
  handshake: (code: string): string => `the TLS handshake failed (${code})`,
} as const satisfies Readonly<Record<string, string | ((...values: never[]) => string)>>;

const BASE_URL = 'proc profile show';

export const serviceHints = {
  later: (isWrite: boolean): string =>
    `${isWrite ? 'Nothing was applied. ' : ''}Try again later, or with more --retries.`,
  afterThatTime: 'Nothing was applied. Run the command again after that time.',
  key: 'See which key is used: proc profile show. Store another: proc auth login. Your organization gets its key from the support team.',
  organization: 'See which key is used: proc profile show',
  id: `Check the id, and the base URL: ${BASE_URL}`,
  headers: 'Remove headers such as if-none-match and if-modified-since.',
  setUrl:
    'Set the base URL to the address of the service itself: proc profile set NAME -e ENV base-url=URL',
  contract: 'Check what the service accepts: proc doctor',
  correct:
    'Nothing was applied. Correct the problem that the service reports, then run the command again.',
  moreTime: 'Allow more time: --timeout 60',
  serviceItself: `Check that the base URL is the service itself, with /api/v1: ${BASE_URL}`,
  unchanged: 'Nothing was changed. Try again later.',
  check:
    'The service may have applied the request. Check before you send it again: proc history list --open',
  network: 'Check the network, or allow more time: --timeout 60',
  proxy: 'Check HTTPS_PROXY, or list the host in NO_PROXY',
  sandbox: 'Start the sandbox: proc sandbox start',
  url: `Check the base URL: ${BASE_URL}`,
  httpOrHttps: `Check the base URL, https or http: ${BASE_URL}`,
  networkAndUrl: `Check the network and the base URL: ${BASE_URL}`,
  authority:
    'If it is the authority of your organization, add it to the certificates of the system, or set PROC_CA_FILE=FILE',
  certificate: 'Tell the operators of the service, and check the clock of this machine',
} as const satisfies Readonly<Record<string, string | ((...values: never[]) => string)>>;
