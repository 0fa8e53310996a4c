import type { Command } from './context.ts';
import type { CommandTree } from './core/command-spec.ts';
import { GLOBAL_FLAGS } from './core/global-flags.ts';

export interface Noun {
  readonly name: string;
  /** Words that mean the same: `order` and `po` for `orders`. The reference names the first. */
  readonly aliases?: readonly string[];
  /** Kept here, so that `proc --help` loads no noun. */
  readonly summary: string;
  /** Its commands are about data of the service. */
  readonly isService?: true;
  /** The words between noun and verb, as in `requisition group add`, with their summaries. */
  readonly groups?: Readonly<Record<string, string>>;
  /** What the service cannot do, for help and for the error of an unknown verb or flag. */
  readonly notInApi?: string;
  /** By the words after the noun; `''` if the noun itself runs. A command line loads only its own verb. */
  readonly verbs: Readonly<Record<string, () => Promise<Command>>>;
}

export const NOUNS: readonly Noun[] = [
  {
    name: 'requisition',
    aliases: ['requisitions', 'req', 'reqs'],
    summary: 'Create requisitions and change their groups and items',
    isService: true,
    groups: {
      group: 'Manage the groups of a requisition',
      item: 'Manage the line items of a group',
    },
    notInApi: 'show, change or delete requisitions (list prints those that history has)',
    verbs: {
      create: async () => (await import('./nouns/requisition/create.ts')).create,
      list: async () => (await import('./nouns/requisition/list.ts')).list,
      wizard: async () => (await import('./wizard/commands/wizard.ts')).wizard,
      'group add': async () => (await import('./nouns/requisition/group/add.ts')).groupAdd,
      'group remove': async () => (await import('./nouns/requisition/group/remove.ts')).groupRemove,
      'item add': async () => (await import('./nouns/requisition/item/add.ts')).itemAdd,
      'item list': async () => (await import('./nouns/requisition/item/list.ts')).itemList,
      'item remove': async () => (await import('./nouns/requisition/item/remove.ts')).itemRemove,
      import: async () => (await import('./nouns/requisition/import.ts')).importRequisitions,
    },
  },
  {
    name: 'orders',
    aliases: ['order', 'po', 'pos'],
    summary: 'List and show purchase orders',
    isService: true,
    notInApi: 'create, change, approve or delete orders',
    verbs: {
      list: async () => (await import('./nouns/orders/list.ts')).list,
      get: async () => (await import('./nouns/orders/get.ts')).get,
      wait: async () => (await import('./nouns/orders/wait.ts')).wait,
      changes: async () => (await import('./nouns/orders/changes.ts')).changes,
      summary: async () => (await import('./nouns/orders/summary.ts')).summary,
    },
  },
  {
    name: 'items',
    aliases: ['item'],
    summary: 'List, create and import items of the catalogue',
    isService: true,
    notInApi: 'change or delete items',
    verbs: {
      list: async () => (await import('./nouns/items/list.ts')).list,
      get: async () => (await import('./nouns/items/get.ts')).get,
      create: async () => (await import('./nouns/items/create.ts')).create,
      import: async () => (await import('./nouns/items/import.ts')).importItems,
    },
  },
  {
    name: 'imputations',
    aliases: ['imputation', 'allocations', 'allocation'],
    summary: 'Record and import cost allocations',
    isService: true,
    notInApi: 'list, show, change or delete imputations',
    verbs: {
      create: async () => (await import('./nouns/imputations/create.ts')).create,
      import: async () => (await import('./nouns/imputations/import.ts')).importImputations,
    },
  },
  {
    name: 'sectors',
    aliases: ['sector', 'rubros', 'rubro'],
    summary: 'List, show, change and delete sectors (rubros)',
    isService: true,
    notInApi: 'create sectors',
    verbs: {
      list: async () => (await import('./nouns/sectors/list.ts')).list,
      get: async () => (await import('./nouns/sectors/get.ts')).get,
      patch: async () => (await import('./nouns/sectors/patch.ts')).patch,
      delete: async () => (await import('./nouns/sectors/delete.ts')).remove,
    },
  },
  {
    name: 'addresses',
    aliases: ['address'],
    summary: 'Show, change and delete addresses',
    isService: true,
    notInApi: 'list or create addresses',
    verbs: {
      get: async () => (await import('./nouns/addresses/get.ts')).get,
      patch: async () => (await import('./nouns/addresses/patch.ts')).patch,
      delete: async () => (await import('./nouns/addresses/delete.ts')).remove,
    },
  },
  {
    name: 'imports',
    aliases: ['import'],
    summary: 'List, resume, resolve and remove import runs',
    verbs: {
      list: async () => (await import('./import/commands/commands.ts')).list,
      show: async () => (await import('./import/commands/commands.ts')).show,
      rows: async () => (await import('./import/commands/commands.ts')).rows,
      report: async () => (await import('./import/commands/commands.ts')).report,
      resume: async () => (await import('./import/commands/commands.ts')).resume,
      resolve: async () => (await import('./import/commands/commands.ts')).resolve,
      share: async () => (await import('./import/commands/commands.ts')).share,
      prune: async () => (await import('./import/commands/commands.ts')).prune,
    },
  },
  {
    name: 'history',
    summary: 'List, show and resolve writes sent from this machine',
    verbs: {
      list: async () => (await import('./history/commands/list.ts')).list,
      show: async () => (await import('./history/commands/show.ts')).show,
      resolve: async () => (await import('./history/commands/resolve.ts')).resolve,
    },
  },
  {
    name: 'setup',
    summary: 'Set up proc step by step',
    verbs: {
      '': async () => (await import('./config/commands/setup.ts')).setup,
    },
  },
  {
    name: 'profile',
    aliases: ['profiles'],
    summary: 'Manage profiles: organizations and their environments',
    verbs: {
      list: async () => (await import('./config/commands/profile/list.ts')).list,
      show: async () => (await import('./config/commands/profile/show.ts')).show,
      add: async () => (await import('./config/commands/profile/add.ts')).add,
      use: async () => (await import('./config/commands/profile/use.ts')).use,
      set: async () => (await import('./config/commands/profile/set.ts')).set,
      remove: async () => (await import('./config/commands/profile/remove.ts')).remove,
    },
  },
  {
    name: 'auth',
    summary: 'Store and remove keys',
    verbs: {
      login: async () => (await import('./config/commands/auth/login.ts')).login,
      logout: async () => (await import('./config/commands/auth/logout.ts')).logout,
    },
  },
  {
    name: 'sandbox',
    summary: 'Run a local server to try things out',
    verbs: {
      start: async () => (await import('./sandbox/commands/start.ts')).start,
      exec: async () => (await import('./sandbox/commands/exec.ts')).exec,
    },
  },
  {
    name: 'api',
    summary: 'Send any request to the service',
    verbs: {
      '': async () => (await import('./raw/commands/api.ts')).api,
    },
  },
  {
    name: 'schema',
    summary: 'Print the JSON Schema of a payload',
    verbs: {
      '': async () => (await import('./schema/commands/schema.ts')).schema,
    },
  },
  {
    name: 'doctor',
    summary: "Check the setup and detect the service's parameter names",
    verbs: {
      '': async () => (await import('./doctor/commands/doctor.ts')).doctor,
    },
  },
  {
    name: 'completion',
    summary: 'Print a shell completion script',
    verbs: {
      '': async () => (await import('./completion/commands/completion.ts')).completion,
    },
  },
];

export function commandsOf({ verbs }: Noun): Promise<readonly Command[]> {
  return Promise.all(Object.values(verbs).map((load) => load()));
}

/** Slow, because it loads every command. */
export async function loadTree(): Promise<CommandTree> {
  const nouns = await Promise.all(
    NOUNS.map(async (noun) => {
      const { name, aliases = [], summary, groups = {} } = noun;
      return { name, aliases, summary, groups, commands: await commandsOf(noun) };
    }),
  );
  return { nouns, globals: GLOBAL_FLAGS };
}

/** `proc` alone and `proc --help`: one screen of 80 × 24, made without loading a noun. */
export function rootHelp(): string {
  const others = NOUNS.filter(({ isService }) => isService !== true);
  const more = others.map(({ name }) => name);
  return `Usage: proc <noun> <verb> [flags]     (help on each: add --help)

First steps:
  proc sandbox exec  try proc in a shell with a service on this machine
  proc setup         connect to your service, step by step

Procurement:
${NOUNS.filter(({ isService }) => isService === true)
  .map(({ name, summary }) => `  ${name.padEnd(11)}  ${summary}\n`)
  .join('')}
More: ${more.slice(0, 7).join(', ')},
      ${more.slice(7).join(', ')}
Flags: -p --profile, -e --env, -o --output, -q --query, -y --yes, --no-input,
       --timeout, --retries, --color, -v --verbose, --quiet
Every command with its flags: proc --help all
`;
}
