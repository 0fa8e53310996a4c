/** What `setup`, `auth` and `profile` ask. Errors stay English; questions follow `--lang`. */
const en = {
  setup: {
    welcome: 'This sets up a profile: an organization with one or more environments.',
    name: 'Name of the profile (for instance the organization)',
    existing: (name: string) => `"${name}" exists. Add another environment to it?`,
    environment: 'Which environment?',
    otherEnvironment: 'another name',
    environmentName: 'Name of the environment',
    url: (environment: string) => `Base URL of ${environment}`,
    addVersion: (url: string) => `The service has /api/v1 in every base URL. Use ${url}?`,
    key: (origin: string) => `API key for ${origin} (hidden; empty to leave it out)`,
    checking: (origin: string) => `Reading the sectors from ${origin} as a check`,
    checked: 'The service answered; the key works.',
    saveAnyway: 'Save it all the same?',
    another: 'Add another environment?',
    makeCurrent: (name: string) => `Make "${name}" the current profile?`,
    wrongKey:
      'The service does not accept this key. Type it again, or leave it empty to add it later.',
    withKey: 'with its key',
    withoutKey: 'without a key',
    left: (names: string) => `Stored so far: ${names}. To add more, run: proc setup`,
    leftNothing: 'Nothing was stored.',
    done: (command: string) => `Done. Try: ${command}`,
  },
  auth: {
    key: (name: string, origin: string) => `API key of ${name}, for ${origin} (hidden)`,
  },
  profile: {
    remove: (name: string) => `Remove ${name}?`,
    removeWithKey: (name: string) => `Remove ${name} and the key stored there?`,
  },
};

export type SettingsMessages = typeof en;

const es: SettingsMessages = {
  setup: {
    welcome: 'Configura un perfil: una organización con uno o más entornos.',
    name: 'Nombre del perfil (por ejemplo, la organización)',
    existing: (name) => `"${name}" ya existe. ¿Añadirle otro entorno?`,
    environment: '¿Qué entorno?',
    otherEnvironment: 'otro nombre',
    environmentName: 'Nombre del entorno',
    url: (environment) => `URL base de ${environment}`,
    addVersion: (url) => `El servicio lleva /api/v1 en todas sus URL base. ¿Usar ${url}?`,
    key: (origin) => `Clave de API para ${origin} (oculta; vacía para dejarla sin poner)`,
    checking: (origin) => `Se leen los rubros de ${origin} como comprobación`,
    checked: 'El servicio respondió; la clave funciona.',
    saveAnyway: '¿Guardar de todos modos?',
    another: '¿Añadir otro entorno?',
    makeCurrent: (name) => `¿Usar "${name}" como perfil actual?`,
    wrongKey:
      'El servicio no acepta esta clave. Escríbala otra vez, o déjela vacía para añadirla más tarde.',
    withKey: 'con su clave',
    withoutKey: 'sin clave',
    left: (names) => `Guardado hasta ahora: ${names}. Para añadir más: proc setup`,
    leftNothing: 'No se guardó nada.',
    done: (command) => `Listo. Pruebe: ${command}`,
  },
  auth: {
    key: (name, origin) => `Clave de API de ${name}, para ${origin} (oculta)`,
  },
  profile: {
    remove: (name) => `¿Eliminar ${name}?`,
    removeWithKey: (name) => `¿Eliminar ${name} y la clave guardada?`,
  },
};

export const settingsMessages: Readonly<Record<'en' | 'es', SettingsMessages>> = { en, es };
