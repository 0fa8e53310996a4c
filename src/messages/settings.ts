/** Questions of `setup`, `auth` and `profile`. */
export const settingsMessages = {
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
};

export type SettingsMessages = typeof settingsMessages;
