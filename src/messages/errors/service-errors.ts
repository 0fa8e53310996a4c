import { inLang, type Phrase, type Said } from '../../core/text/phrase.ts';

/** Errors of requests. `says` is what the service wrote, with a colon before it, or empty. It is never translated. */
export const serviceErrors = {
  busy: (where: string, status: number, says: string): Said => ({
    en: `${where}: the service is busy and refused the request (${status})${says}`,
    es: `${where}: el servicio está ocupado y rechazó la petición (${status})${quoted(says)}`,
  }),
  asksToWait: (where: string, status: number, seconds: number, until: string): Said => ({
    en: `${where}: the service returned ${status} and asks to wait ${seconds} s, until ${until}`,
    es: `${where}: el servicio devolvió ${status} y pide esperar ${seconds} s, hasta ${until}`,
  }),
  unauthorized: (where: string, says: string): Said => ({
    en: `${where}: the key is missing or incorrect (401)${says}`,
    es: `${where}: la clave falta o no es correcta (401)${quoted(says)}`,
  }),
  forbidden: (where: string, profile: string | undefined, says: string): Said => ({
    en: `${where}: the key gives access only to ${profile === undefined ? 'this organization' : `the organization of profile "${profile}"`} (403)${says}`,
    es: `${where}: la clave solo da acceso a ${profile === undefined ? 'esta organización' : `la organización del perfil "${profile}"`} (403)${quoted(says)}`,
  }),
  notFound: (where: string, says: string): Said => ({
    en: `${where}: not found (404)${says}`,
    es: `${where}: no existe (404)${quoted(says)}`,
  }),
  notModified: (where: string): Said => ({
    en: `${where}: the service returned 304 (not modified), without data`,
    es: `${where}: el servicio devolvió 304 (sin cambios) y ningún dato`,
  }),
  redirected: (where: string, status: number, to: string | undefined): Said => ({
    en: `${where}: the service redirects (${status}) to ${to ?? 'elsewhere'}; proc does not follow redirects`,
    es: `${where}: el servicio remite (${status}) a ${to ?? 'otra dirección'}; proc no sigue esos desvíos`,
  }),
  refused: (where: string, status: number, says: string): Said => ({
    en: `${where}: the service refused the request (${status})${says}`,
    es: `${where}: el servicio rechazó la petición (${status})${quoted(says)}`,
  }),
  unknown: (where: string, why: Said): Said => ({
    en: `${where}: sent, but the outcome is unknown: ${why.en}`,
    es: `${where}: se envió y no se conoce el resultado: ${why.es}`,
  }),
  notSent: (where: string, why: Said): Said => ({
    en: `${where}: ${why.en}; nothing was sent`,
    es: `${where}: ${why.es}; no se envió nada`,
  }),
} as const satisfies Readonly<Record<string, Said | ((...values: never[]) => Said)>>;

/** What the service wrote, as a quotation: it is not the dialogue that speaks. */
export function quoted(says: string): string {
  return says.replace(/^(: )?(.+)$/s, '$1«$2»');
}

/** The message of a failed request in a run that has sent others: without its end, which would be wrong. */
export function afterSending(message: Phrase): Said {
  return {
    en: inLang(message, 'en').replace(/; nothing was sent$/, ''),
    es: inLang(message, 'es').replace(/; no se envió nada$/, ''),
  };
}

/** Why a request was not sent. */
export const notSentReasons = {
  timedOut: { en: 'the connection timed out', es: 'la conexión tardó demasiado' },
  proxyRefuses: (status: string): Said => ({
    en: `the proxy refuses the connection (${status})`,
    es: `el proxy rechaza la conexión (${status})`,
  }),
  proxySilent: (address: string | undefined, port: number): Said => ({
    en: `the proxy at ${address}:${port} does not respond`,
    es: `el proxy ${address}:${port} no responde`,
  }),
  nothingListens: (host: string): Said => ({
    en: `nothing listens at ${host}`,
    es: `nada responde en ${host}`,
  }),
  proxyUnknown: (host: string): Said => ({
    en: `the host name of the proxy, ${host}, cannot be resolved`,
    es: `no se encuentra el nombre del proxy, ${host}`,
  }),
  hostUnknown: (host: string): Said => ({
    en: `the host name ${host} cannot be resolved`,
    es: `no se encuentra el nombre ${host}`,
  }),
  untrusted: (code: string): Said => ({
    en: `the TLS certificate is not trusted (${code})`,
    es: `el certificado TLS no es de confianza (${code})`,
  }),
  handshake: (code: string): Said => ({
    en: `the TLS handshake failed (${code})`,
    es: `falló la negociación TLS (${code})`,
  }),
} as const satisfies Readonly<Record<string, Said | ((...values: never[]) => Said)>>;

const BASE_URL = 'proc config list';

export const serviceHints = {
  later: (isWrite: boolean): Said => ({
    en: `${isWrite ? 'Nothing was applied. ' : ''}Try again later, or with more --retries.`,
    es: `${isWrite ? 'No se aplicó nada. ' : ''}Inténtelo más tarde, o con más --retries.`,
  }),
  afterThatTime: {
    en: 'Nothing was applied. Run the command again after that time.',
    es: 'No se aplicó nada. Ejecute el comando otra vez después de esa hora.',
  },
  key: {
    en: 'See which key is used: proc auth status. Store another: proc auth login. Your organization gets its key from the support team.',
    es: 'Vea qué clave se usa: proc auth status. Para guardar otra: proc auth login. El equipo de soporte da la clave a su organización.',
  },
  organization: {
    en: 'See which organization the key belongs to: proc auth status',
    es: 'Vea de qué organización es la clave: proc auth status',
  },
  id: {
    en: `Check the id, and the base URL: ${BASE_URL}`,
    es: `Compruebe el id y la URL base: ${BASE_URL}`,
  },
  headers: {
    en: 'Remove headers such as if-none-match and if-modified-since.',
    es: 'Quite encabezados como if-none-match e if-modified-since.',
  },
  setUrl: {
    en: 'Set the base URL to the address of the service itself: proc profile set NAME -e ENV base-url=URL',
    es: 'Ponga como URL base la dirección del servicio mismo: proc profile set NAME -e ENV base-url=URL',
  },
  contract: {
    en: 'See what proc assumes about the service: proc help contract',
    es: 'Vea qué supone proc del servicio: proc help contract',
  },
  correct: {
    en: 'Nothing was applied. Correct the problem that the service reports, then run the command again.',
    es: 'No se aplicó nada. Corrija el problema que indica el servicio y ejecute el comando otra vez.',
  },
  moreTime: { en: 'Allow more time: --timeout 60', es: 'Dé más tiempo: --timeout 60' },
  serviceItself: {
    en: `Check that the base URL is the service itself, with /api/v1: ${BASE_URL}`,
    es: `Compruebe que la URL base es el servicio mismo, con /api/v1: ${BASE_URL}`,
  },
  unchanged: {
    en: 'Nothing was changed. Try again later.',
    es: 'No se cambió nada. Inténtelo más tarde.',
  },
  check: {
    en: 'The service may have applied the request. Check before you send it again: proc history list --state unknown',
    es: 'El servicio puede haber aplicado la petición. Compruébelo antes de enviarla otra vez: proc history list --state unknown',
  },
  network: {
    en: 'Check the network, or allow more time: --timeout 60',
    es: 'Compruebe la red, o dé más tiempo: --timeout 60',
  },
  proxy: {
    en: 'Check HTTPS_PROXY, or list the host in NO_PROXY',
    es: 'Compruebe HTTPS_PROXY, o agregue el servidor a NO_PROXY',
  },
  sandbox: {
    en: 'Start the sandbox: proc sandbox start',
    es: 'Inicie el sandbox: proc sandbox start',
  },
  url: { en: `Check the base URL: ${BASE_URL}`, es: `Compruebe la URL base: ${BASE_URL}` },
  httpOrHttps: {
    en: `Check the base URL, https or http: ${BASE_URL}`,
    es: `Compruebe la URL base, https o http: ${BASE_URL}`,
  },
  networkAndUrl: {
    en: `Check the network and the base URL: ${BASE_URL}`,
    es: `Compruebe la red y la URL base: ${BASE_URL}`,
  },
  authority: {
    en: 'If it is the authority of your organization, add it to the certificates of the system, or set PROC_CA_FILE=FILE',
    es: 'Si es la autoridad de su organización, agréguela a los certificados del sistema, o defina PROC_CA_FILE=FILE',
  },
  certificate: {
    en: 'Tell the operators of the service, and check the clock of this machine',
    es: 'Avise a los operadores del servicio y compruebe el reloj de este equipo',
  },
} as const satisfies Readonly<Record<string, Said | ((...values: never[]) => Said)>>;
