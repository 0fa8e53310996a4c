import type { Command } from '../command.ts';

export interface Noun {
  readonly name: string;
  /** Words that mean the same: `order` and `po` for `orders`. Reference and man page name the first. */
  readonly aliases?: readonly string[];
  /** Kept here, so that `proc --help` loads no noun. */
  readonly summary: string;
  readonly heading: string;
  /** The words between noun and verb, as in `requisition group add`, with their summaries. */
  readonly groups?: Readonly<Record<string, string>>;
  readonly load: () => Promise<readonly Command[]>;
}

export const PROCUREMENT = 'Procurement';
const RUNS = 'Imports and history';
const YOURS = 'Your setup';
const TOOLS = 'Tools';

export const NOUNS: readonly Noun[] = [
  {
    name: 'requisition',
    aliases: ['requisitions', 'req', 'reqs'],
    summary: 'Create requisitions and change their groups and items',
    heading: PROCUREMENT,
    groups: {
      group: 'Manage the groups of a requisition',
      item: 'Manage the line items of a group',
    },
    load: async () => (await import('../nouns/requisition/commands.ts')).commands,
  },
  {
    name: 'orders',
    aliases: ['order', 'po', 'pos'],
    summary: 'List and show purchase orders',
    heading: PROCUREMENT,
    load: async () => (await import('../nouns/orders/commands.ts')).commands,
  },
  {
    name: 'items',
    aliases: ['item'],
    summary: 'List, create and import items of the catalogue',
    heading: PROCUREMENT,
    load: async () => (await import('../nouns/items/commands.ts')).commands,
  },
  {
    name: 'imputations',
    aliases: ['imputation', 'allocations', 'allocation'],
    summary: 'Record and import cost allocations',
    heading: PROCUREMENT,
    load: async () => (await import('../nouns/imputations/commands.ts')).commands,
  },
  {
    name: 'sectors',
    aliases: ['sector', 'rubros', 'rubro'],
    summary: 'List, show, change and delete sectors (rubros)',
    heading: PROCUREMENT,
    load: async () => (await import('../nouns/sectors/commands.ts')).commands,
  },
  {
    name: 'addresses',
    aliases: ['address'],
    summary: 'Show, change and delete addresses',
    heading: PROCUREMENT,
    load: async () => (await import('../nouns/addresses/commands.ts')).commands,
  },
  {
    name: 'imports',
    aliases: ['import'],
    summary: 'List, resume, resolve and remove import runs',
    heading: RUNS,
    load: async () => (await import('../import/commands/commands.ts')).commands,
  },
  {
    name: 'history',
    summary: 'List, show and resolve writes sent from this machine',
    heading: RUNS,
    load: async () => (await import('../history/commands/commands.ts')).commands,
  },
  {
    name: 'setup',
    summary: 'Set up proc step by step',
    heading: YOURS,
    load: async () => [(await import('../config/commands/setup.ts')).setup],
  },
  {
    name: 'profile',
    aliases: ['profiles'],
    summary: 'Manage profiles: organizations and their environments',
    heading: YOURS,
    load: async () => (await import('../config/commands/profile/commands.ts')).commands,
  },
  {
    name: 'auth',
    summary: 'Store and remove keys',
    heading: YOURS,
    load: async () => (await import('../config/commands/auth/commands.ts')).commands,
  },
  {
    name: 'sandbox',
    summary: 'Run a local server to try things out',
    heading: TOOLS,
    load: async () => (await import('../sandbox/commands/commands.ts')).commands,
  },
  {
    name: 'api',
    summary: 'Send any request to the service',
    heading: TOOLS,
    load: async () => [(await import('../raw/commands/api.ts')).api],
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a payload',
    heading: TOOLS,
    load: async () => [(await import('../schema/commands/schema.ts')).schema],
  },
  {
    name: 'doctor',
    summary: "Check the setup and detect the service's parameter names",
    heading: TOOLS,
    load: async () => [(await import('../doctor/commands/doctor.ts')).doctor],
  },
  {
    name: 'completion',
    summary: 'Print a shell completion script',
    heading: TOOLS,
    load: async () => [(await import('../completion/commands/completion.ts')).completion],
  },
];
