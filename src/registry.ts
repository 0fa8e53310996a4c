import type { Command } from './command.ts';
import type { CommandTree } from './core/command-tree.ts';
import { GLOBAL_FLAGS } from './core/global-flags.ts';

export interface Noun {
  readonly name: string;
  /** Words that mean the same: `order` and `po` for `orders`. Reference and man page name the first. */
  readonly aliases?: readonly string[];
  /** Kept here, so that `proc --help` loads no noun. */
  readonly summary: string;
  readonly heading: string;
  /** The words between noun and verb, as in `requisition group add`, with their summaries. */
  readonly groups?: Readonly<Record<string, string>>;
  /** What the service cannot do, for help and for the error of an unknown verb or flag. */
  readonly notInApi?: string;
  readonly load: () => Promise<readonly Command[]>;
}

const PROCUREMENT = 'Procurement';
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
    notInApi: 'show, change or delete requisitions (list prints those that history has)',
    load: async () => (await import('./nouns/requisition/commands.ts')).commands,
  },
  {
    name: 'orders',
    aliases: ['order', 'po', 'pos'],
    summary: 'List and show purchase orders',
    heading: PROCUREMENT,
    notInApi: 'create, change, approve or delete orders',
    load: async () => (await import('./nouns/orders/commands.ts')).commands,
  },
  {
    name: 'items',
    aliases: ['item'],
    summary: 'List, create and import items of the catalogue',
    heading: PROCUREMENT,
    notInApi: 'change or delete items',
    load: async () => (await import('./nouns/items/commands.ts')).commands,
  },
  {
    name: 'imputations',
    aliases: ['imputation', 'allocations', 'allocation'],
    summary: 'Record and import cost allocations',
    heading: PROCUREMENT,
    notInApi: 'list, show, change or delete imputations',
    load: async () => (await import('./nouns/imputations/commands.ts')).commands,
  },
  {
    name: 'sectors',
    aliases: ['sector', 'rubros', 'rubro'],
    summary: 'List, show, change and delete sectors (rubros)',
    heading: PROCUREMENT,
    notInApi: 'create sectors',
    load: async () => (await import('./nouns/sectors/commands.ts')).commands,
  },
  {
    name: 'addresses',
    aliases: ['address'],
    summary: 'Show, change and delete addresses',
    heading: PROCUREMENT,
    notInApi: 'list or create addresses',
    load: async () => (await import('./nouns/addresses/commands.ts')).commands,
  },
  {
    name: 'imports',
    aliases: ['import'],
    summary: 'List, resume, resolve and remove import runs',
    heading: RUNS,
    load: async () => (await import('./import/commands/commands.ts')).commands,
  },
  {
    name: 'history',
    summary: 'List, show and resolve writes sent from this machine',
    heading: RUNS,
    load: async () => (await import('./history/commands/commands.ts')).commands,
  },
  {
    name: 'setup',
    summary: 'Set up proc step by step',
    heading: YOURS,
    load: async () => [(await import('./config/commands/setup.ts')).setup],
  },
  {
    name: 'profile',
    aliases: ['profiles'],
    summary: 'Manage profiles: organizations and their environments',
    heading: YOURS,
    load: async () => (await import('./config/commands/profile/commands.ts')).commands,
  },
  {
    name: 'auth',
    summary: 'Store and remove keys',
    heading: YOURS,
    load: async () => (await import('./config/commands/auth/commands.ts')).commands,
  },
  {
    name: 'sandbox',
    summary: 'Run a local server to try things out',
    heading: TOOLS,
    load: async () => (await import('./sandbox/commands/commands.ts')).commands,
  },
  {
    name: 'api',
    summary: 'Send any request to the service',
    heading: TOOLS,
    load: async () => [(await import('./raw/commands/api.ts')).api],
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a payload',
    heading: TOOLS,
    load: async () => [(await import('./schema/commands/schema.ts')).schema],
  },
  {
    name: 'doctor',
    summary: "Check the setup and detect the service's parameter names",
    heading: TOOLS,
    load: async () => [(await import('./doctor/commands/doctor.ts')).doctor],
  },
  {
    name: 'completion',
    summary: 'Print a shell completion script',
    heading: TOOLS,
    load: async () => [(await import('./completion/commands/completion.ts')).completion],
  },
];

/** Slow, because it loads every noun. */
export async function loadTree(): Promise<CommandTree> {
  const nouns = await Promise.all(
    NOUNS.map(async ({ name, aliases = [], summary, groups = {}, load }) => ({
      ...{ name, aliases, summary, groups },
      commands: (await load()).filter(({ path }) => path[0] === name),
    })),
  );
  return { nouns, globals: GLOBAL_FLAGS };
}

/** `proc` alone and `proc --help`: one screen of 80 × 24, made without loading a noun. */
export function rootHelp(): string {
  const others = NOUNS.filter(({ heading }) => heading !== PROCUREMENT);
  const more = others.map(({ name }) => name);
  return `Usage: proc <noun> <verb> [flags]     (help on each: add --help)

First steps:
  proc sandbox exec  try proc in a shell with a service on this machine
  proc setup         connect to your service, step by step

${PROCUREMENT}:
${NOUNS.filter((noun) => !others.includes(noun))
  .map(({ name, summary }) => `  ${name.padEnd(11)}  ${summary}\n`)
  .join('')}
More: ${more.slice(0, 7).join(', ')},
      ${more.slice(7).join(', ')}
Flags: -p --profile, -e --env, -o --output, -q --query, -y --yes, --no-input,
       --timeout, --retries, --color, -v --verbose, --quiet
Every command with its flags: proc --help all
`;
}
