import type { Command } from '../core/command.ts';

/** A noun of the command line; its verbs are loaded when it is used. */
export interface Noun {
  readonly name: string;
  /** The other number: every noun answers to singular and plural. */
  readonly alias?: string;
  /** Stands here, so that `proc --help` loads no noun. */
  readonly summary: string;
  /** Under which heading the root help lists it. */
  readonly heading: string;
  /** Names between noun and verb (`requisition group add`), with their summaries. */
  readonly groups?: Readonly<Record<string, string>>;
  readonly load: () => Promise<readonly Command[]>;
}

const PROCUREMENT = 'Procurement:';
const YOURS = 'Your set-up:';
const TOOLS = 'Tools:';

/** The only list of nouns; their commands are loaded when they are used. */
export const NOUNS: readonly Noun[] = [
  {
    name: 'requisition',
    alias: 'requisitions',
    summary: 'Create requisitions, change their groups and items',
    heading: PROCUREMENT,
    groups: {
      draft: 'Drafts that the wizard keeps on this machine',
      group: 'Groups of a requisition',
      item: 'Line items of a group',
    },
    load: async () => (await import('../nouns/requisition/commands.ts')).commands,
  },
  {
    name: 'orders',
    alias: 'order',
    summary: 'Look at purchase orders',
    heading: PROCUREMENT,
    load: async () => (await import('../nouns/orders/commands.ts')).commands,
  },
  {
    name: 'items',
    alias: 'item',
    summary: 'List, create and import items of the catalogue',
    heading: PROCUREMENT,
    load: async () => (await import('../nouns/items/commands.ts')).commands,
  },
  {
    name: 'imputations',
    alias: 'imputation',
    summary: 'Record and import cost allocations',
    heading: PROCUREMENT,
    load: async () => (await import('../nouns/imputations/commands.ts')).commands,
  },
  {
    name: 'sectors',
    alias: 'sector',
    summary: 'List, show, change and delete sectors (rubros)',
    heading: PROCUREMENT,
    load: async () => (await import('../nouns/sectors/commands.ts')).commands,
  },
  {
    name: 'addresses',
    alias: 'address',
    summary: 'Show, change and delete addresses',
    heading: PROCUREMENT,
    load: async () => (await import('../nouns/addresses/commands.ts')).commands,
  },
  {
    name: 'imports',
    alias: 'import',
    summary: 'Import runs: list, show, resume, resolve, discard',
    heading: YOURS,
    load: async () => (await import('../import/commands/commands.ts')).commands,
  },
  {
    name: 'history',
    summary: 'What was written, kept on this machine',
    heading: YOURS,
    load: async () => (await import('../history/commands/commands.ts')).commands,
  },
  {
    name: 'setup',
    summary: 'Set proc up, step by step',
    heading: YOURS,
    load: async () => [(await import('../settings/commands/setup.ts')).setup],
  },
  {
    name: 'profile',
    alias: 'profiles',
    summary: 'Profiles: organizations with their environments',
    heading: YOURS,
    load: async () => (await import('../settings/commands/profile/commands.ts')).commands,
  },
  {
    name: 'auth',
    summary: 'Store, check and remove credentials',
    heading: YOURS,
    load: async () => (await import('../settings/commands/auth/commands.ts')).commands,
  },
  {
    name: 'config',
    summary: 'Settings, each with its origin',
    heading: YOURS,
    load: async () => (await import('../settings/commands/config/commands.ts')).commands,
  },
  {
    name: 'sandbox',
    summary: 'A service of your own on this machine, to try things on',
    heading: TOOLS,
    load: async () => (await import('../sandbox/commands/commands.ts')).commands,
  },
  {
    name: 'api',
    summary: 'Send a request of your own to the service',
    heading: TOOLS,
    load: async () => [(await import('../raw/commands/api.ts')).api],
  },
  {
    name: 'schema',
    summary: 'Show what an input file may hold, as JSON Schema',
    heading: TOOLS,
    load: async () => [(await import('../schema/commands/schema.ts')).schema],
  },
  {
    name: 'doctor',
    summary: 'Look whether everything works, and what this service calls its parameters',
    heading: TOOLS,
    load: async () => [(await import('../doctor/commands/doctor.ts')).doctor],
  },
  {
    name: 'completion',
    summary: 'Print the completion script of a shell',
    heading: TOOLS,
    load: async () => [(await import('../completion/commands/completion.ts')).completion],
  },
];

/** `proc help` itself: no noun to load, but listed with them. */
export const HELP_NOUN = {
  name: 'help',
  summary: 'Help on a command or a topic',
  heading: TOOLS,
  args: {
    words: { doc: 'a topic, or the words of a command', optional: true, variadic: true },
  },
  examples: [
    { run: 'proc help orders list', doc: 'a command: what it does, its flags and exit codes' },
    { run: 'proc help exit-codes', doc: 'a topic' },
  ],
} as const;

/** Pages of `proc help TOPIC`: name and one line; the texts are loaded when asked for. */
export const TOPICS: Readonly<Record<string, string>> = {
  contract: 'what the service states, what it leaves open, and what proc does there',
  environment: 'the environment variables that proc reads',
  'exit-codes': 'what each exit code means',
  flags: 'the flags that every command takes',
  import: 'how a file becomes items: mapping, plan, journal, what can be relied on',
  output: 'formats, filters, and what goes to stdout and stderr',
  scripting: 'proc in scripts and CI: targets, exit codes, JSON errors, trying things out',
};

export const loadTopics = async () => (await import('./help/topics.ts')).topicText;
