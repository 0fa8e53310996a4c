import type { Lang } from '../core/text/phrase.ts';

/** Questions of `setup`, `auth` and `profile`. Errors stay English; questions follow `--lang`. */
const en = {
  setup: {
    welcome: 'This sets up a profile: an organization with one or more environments.',
    name: 'Name of the profile (e.g. the organization)',
    existing: (name: string) => `"${name}" already exists. Add another environment to it?`,
    environment: 'Which environment?',
    otherEnvironment: 'another name',
    environmentName: 'Name of the environment',
    url: (environment: string) => `Base URL of ${environment}`,
    addVersion: (url: string) => `Base URLs of the service end in /api/v1. Use ${url}?`,
    key: (origin: string) =>
      `API key for ${origin} (from the service's support team; hidden; empty to add it later)`,
    checking: (origin: string) => `Checking the key: reading the sectors from ${origin}`,
    checked: 'The service responded; the key works.',
    learning: 'Detecting the names of the list parameters',
    usualNames: 'The service has the usual parameter names.',
    noNames: 'The lists do not show the parameter names. Once they have rows, run: proc doctor',
    names: (names: string) => `This service has other parameter names: ${names}`,
    saveAnyway: 'Save it anyway?',
    another: 'Add another environment?',
    makeCurrent: (name: string) => `Make "${name}" the current profile?`,
    wrongKey:
      "The service does not accept this key. Type it again, or leave it empty to add it later. If you have no key, ask the service's support team.",
    withKey: 'with its key',
    withoutKey: 'without a key',
    left: (names: string) => `Stored so far: ${names}. To continue, run: proc setup`,
    leftNothing: 'Nothing was stored.',
    done: (command: string) => `Done. To try it, run: ${command}`,
    rehearse: (command: string) =>
      `Before the first import, learn how the service stores and lists: ${command}`,
  },
  auth: {
    key: (name: string, origin: string) => `API key of ${name}, for ${origin} (hidden)`,
  },
  certificate: {
    passphrase: (file: string) => `Passphrase of ${file} (hidden)`,
    wrongPassphrase:
      'This passphrase does not open the key. Type it again, or leave it empty to stop.',
  },
  profile: {
    remove: (name: string) => `Remove ${name}?`,
    removeWithKey: (name: string) => `Remove ${name} and the key stored there?`,
  },
  completion: {
    install: (shell: string) => `Install completion for ${shell}?`,
  },
};

export type SettingsMessages = typeof en;

const es: SettingsMessages = {
  setup: {
    welcome: 'Aquí se configura un perfil: una organización con uno o más entornos.',
    name: 'Nombre del perfil (por ejemplo, la organización)',
    existing: (name) => `"${name}" ya existe. ¿Agregarle otro entorno?`,
    environment: '¿Qué entorno?',
    otherEnvironment: 'otro nombre',
    environmentName: 'Nombre del entorno',
    url: (environment) => `URL base de ${environment}`,
    addVersion: (url) => `Las URL base del servicio terminan en /api/v1. ¿Usar ${url}?`,
    key: (origin) =>
      `Clave de API para ${origin} (la da el equipo de soporte del servicio; oculta; vacía para agregarla más tarde)`,
    checking: (origin) => `Comprobando la clave: se leen los rubros de ${origin}`,
    checked: 'El servicio respondió; la clave funciona.',
    learning: 'Detectando los nombres de los parámetros de las listas',
    usualNames: 'El servicio usa los nombres habituales.',
    noNames:
      'Las listas no muestran los nombres de los parámetros. Cuando tengan filas: proc doctor',
    names: (names) => `Este servicio usa otros nombres: ${names}`,
    saveAnyway: '¿Guardar de todos modos?',
    another: '¿Agregar otro entorno?',
    makeCurrent: (name) => `¿Usar "${name}" como perfil actual?`,
    wrongKey:
      'El servicio no acepta esta clave. Escríbala otra vez, o déjela vacía para agregarla más tarde. Si no tiene una, pídala al equipo de soporte del servicio.',
    withKey: 'con su clave',
    withoutKey: 'sin clave',
    left: (names) => `Guardado hasta ahora: ${names}. Para continuar: proc setup`,
    leftNothing: 'No se guardó nada.',
    done: (command) => `Listo. Para probarlo: ${command}`,
    rehearse: (command) =>
      `Antes de la primera importación, averigüe cómo guarda y lista el servicio: ${command}`,
  },
  auth: {
    key: (name, origin) => `Clave de API de ${name}, para ${origin} (oculta)`,
  },
  certificate: {
    passphrase: (file) => `Frase de contraseña de ${file} (oculta)`,
    wrongPassphrase:
      'Esta frase de contraseña no abre la clave. Escríbala otra vez, o déjela vacía para terminar.',
  },
  profile: {
    remove: (name) => `¿Eliminar ${name}?`,
    removeWithKey: (name) => `¿Eliminar ${name} y la clave guardada?`,
  },
  completion: {
    install: (shell) => `¿Instalar el autocompletado para ${shell}?`,
  },
};

export const settingsMessages: Readonly<Record<Lang, SettingsMessages>> = { en, es };
