import { inShell } from '../core/text/typed.ts';

/** A sentence about what the service cannot do, and the way round: a sentence with a command that runs. */
type Cannot = readonly [sentence: string, way: string];

/** What the service has no endpoint for, by noun and by the verb that people try. */
const CANNOT: Readonly<Record<string, Readonly<Record<string, Cannot>>>> = {
  requisition: {
    patch: [
      'the service cannot change a requisition',
      'Change its groups and lines: proc requisition group add --help, proc requisition item add --help',
    ],
    delete: [
      'the service cannot delete a requisition',
      'Remove its groups or lines: proc requisition group remove --help, proc requisition item remove --help',
    ],
    approve: [
      'the service cannot approve a requisition',
      'See what was created from here: proc requisition list',
    ],
    cancel: [
      'the service cannot cancel a requisition',
      'Remove its groups or lines: proc requisition group remove --help, proc requisition item remove --help',
    ],
  },
  orders: {
    create: [
      'the service cannot create an order',
      'Create a requisition: proc requisition create --help',
    ],
    import: [
      'the service cannot create orders',
      'Import requisitions: proc requisition import --help',
    ],
    patch: ['the service cannot change an order', 'See the orders: proc orders list'],
    delete: ['the service cannot delete an order', 'See the orders: proc orders list'],
    approve: [
      'the service cannot approve an order',
      'See the orders and their status: proc orders list',
    ],
    cancel: [
      'the service cannot cancel an order',
      'See the orders and their status: proc orders list',
    ],
  },
  items: {
    patch: ['the service cannot change an item', 'See the items: proc items list'],
    delete: ['the service cannot delete an item', 'See the items: proc items list'],
  },
  imputations: {
    list: [
      'the service cannot list imputations',
      'List those that were sent from here: proc history list --noun imputations',
    ],
    get: [
      'the service cannot show an imputation',
      'List those that were sent from here: proc history list --noun imputations',
    ],
    patch: [
      'the service cannot change an imputation',
      'List those that were sent from here: proc history list --noun imputations',
    ],
    delete: [
      'the service cannot delete an imputation',
      'List those that were sent from here: proc history list --noun imputations',
    ],
  },
  sectors: {
    create: ['the service cannot create a sector', 'See the sectors there are: proc sectors list'],
    import: [
      'the service cannot create sectors',
      'Change those there are: proc sectors patch --help',
    ],
  },
  addresses: {
    list: [
      'the service cannot list addresses',
      'List those that were used from here: proc requisition list',
    ],
    find: [
      'the service cannot list addresses',
      'List those that were used from here: proc requisition list',
    ],
    create: [
      'the service cannot create an address',
      'List those that were used from here: proc requisition list',
    ],
    import: [
      'the service cannot create addresses',
      'List those that were used from here: proc requisition list',
    ],
  },
};

/** The words that people try for a verb of {@link CANNOT}. */
const TRIED: Readonly<Record<string, readonly string[]>> = {
  list: ['list', 'ls', 'all', 'index'],
  get: ['get', 'show', 'view', 'open', 'read', 'describe'],
  find: ['find', 'search'],
  create: ['create', 'add', 'new', 'make', 'insert'],
  import: ['import', 'upload', 'load', 'bulk'],
  patch: ['patch', 'edit', 'update', 'modify', 'change', 'set', 'rename'],
  delete: ['delete', 'remove', 'rm', 'del', 'destroy', 'drop'],
  approve: ['approve', 'accept', 'confirm', 'sign', 'authorize'],
  cancel: ['cancel', 'reject', 'close', 'void'],
};

export function cannot(noun: string, word: string): Cannot | undefined {
  const tried = Object.entries(Object.hasOwn(CANNOT, noun) ? CANNOT[noun]! : {});
  return tried.find(([verb]) => TRIED[verb]!.includes(word))?.[1];
}

/**
 * Command lines that people and agents type, and what they mean. Nouns have their own names, no aliases. In what is
 * typed: `a|b` either word, `*` any word, `FILE` a file, `RUN` a run, `CODE` a code or id, `...` one or more words. In what is meant: `$2` the second
 * word typed, `$2...` that and all after it.
 */
export const GUESSES: readonly (readonly [typed: string, meant: string])[] = [
  ['whoami|me|user', 'auth status'],
  ['auth whoami|show|info|check|list', 'auth status'],
  ['commands|cmds', 'schema --commands'],
  ['usage|docs', 'help'],
  ['man', 'help --man'],
  ['man *', 'help $2'],
  [
    'orders|items|sectors|addresses|requisition|imputations|imports|history|profile|auth|config|sandbox help',
    'help $1',
  ],
  ['openapi|swagger|spec', 'schema --openapi'],
  ['init|configure|connect', 'setup'],
  ['settings|configuration|env', 'config list'],
  ['check|diagnose|test|ping|health', 'doctor'],
  ['environments|environment|envs|contexts', 'profile show'],
  ['env list|ls|show', 'profile show'],
  ['accounts|orgs|organizations', 'profile list'],
  ['use|switch *', 'profile use $2'],
  ['signin|sign-in|register', 'auth login'],
  ['auth refresh|renew|rotate|token|key', 'auth login'],
  ['config all|print', 'config list'],
  ['profile switch|select|activate|default *', 'profile use $3'],
  ['profile current|active|which', 'profile show'],
  ['autocomplete|completions', 'completion install'],
  ['server|serve|mock', 'sandbox start'],
  ['sandbox up|run|launch', 'sandbox start'],
  ['sandbox down|kill|end', 'sandbox stop'],
  ['sandbox clean|clear|wipe', 'sandbox reset'],
  ['get|curl|fetch|request /...', 'api GET $2'],
  ['export|download orders|items|sectors', '$2 list --out $2.csv'],
  ['orders|items|sectors export|download|dump', '$1 list --out $1.csv'],
  ['orders|items count|total', '$1 list --all -q length(@)'],
  ['sectors count|total', 'sectors list -q length(@)'],
  ['count|total orders|items', '$2 list --all -q length(@)'],
  ['catalog|catalogue|products find|search ...', 'items list $3...'],
  ['orders grep|query|find ...', 'orders list $3...'],
  ['items find ...', 'items list $3...'],
  ['orders watch|follow|tail|poll', 'orders changes'],
  ['orders status|track|open *', 'orders get $3'],
  ['orders|items|sectors|addresses CODE', '$1 get $2'],
  ['get|show|view orders|items|sectors', '$2 list'],
  ['sectors find|grep|query ...', 'sectors list $3...'],
  ['orders pending|complete|completed', 'orders list --status $2'],
  ['items|imputations|requisition upload|load|bulk|bulk-create *', '$1 import $3'],
  ['items|imputations|requisition validate|lint|verify|check *', '$1 import $3 --dry-run'],
  ['items open|lookup|describe *', 'items get $3'],
  ['imports RUN', 'imports show $2'],
  ['imports status|info|open RUN', 'imports show $3'],
  ['imports status|history|log|ps', 'imports list'],
  ['imports log|logs|summary RUN', 'imports report $3'],
  ['imports log|logs', 'imports list'],
  ['imports delete|remove|rm|discard *', 'imports prune'],
  ['imports errors|rejected|failed RUN', 'imports rows $3 --state rejected'],
  ['imports cancel|stop|abort RUN', 'imports resolve $3 --drop --all'],
  ['imports retry|continue|restart|rerun RUN', 'imports resume $3'],
  ['imports retry|continue|restart|rerun', 'imports resume'],
  ['imports start|run|create|new *', 'items import $3'],
  ['imports FILE', 'items import $2'],
  ['retry|continue', 'imports resume'],
  ['undo|revert|rollback|writes', 'history list'],
  ['sandbox log|logs|info|ps', 'sandbox status'],
  ['history unknown|pending|failed', 'history list --state unknown'],
];

/** A word of lower-case letters is a verb that does not exist. */
const VERB = /^[a-z-]+$/;
const CODE = /^(?=.*\d)([A-Z\d].*|[a-z]+-.*)$/;
const RUN = /^\d{8}-\d{6}-\w+$/;

/** The command that these words mean: `proc items import F` for `imports F`. */
export function guess(typed: readonly string[]): string | undefined {
  const found = GUESSES.find(([pattern]) => matches(pattern.split(' '), typed));
  if (found === undefined) return undefined;
  const words = found[1].split(' ').map((word) =>
    word.replace(/\$(\d)(\.\.\.)?/, (_, at, rest) => {
      const from = Number(at) - 1;
      return typed.slice(from, rest === undefined ? from + 1 : undefined).join(' ');
    }),
  );
  return ['proc', ...words].map(inShell).join(' ');
}

function matches(pattern: readonly string[], typed: readonly string[]): boolean {
  if (pattern.at(-1) !== '...' && typed.length !== pattern.length) return false;
  return pattern.every((one, at) => {
    const word = typed[at];
    if (word === undefined) return false;
    if (one === 'RUN') return RUN.test(word);
    if (one === 'FILE') return !VERB.test(word);
    if (one === 'CODE') return CODE.test(word);
    if (one === '/...') return word.startsWith('/');
    return one === '*' || one === '...' || one.split('|').includes(word);
  });
}

/** An unknown flag, and where it was typed. */
interface TypedFlag {
  readonly noun: string | undefined;
  readonly verb: string | undefined;
  readonly flag: string;
  /** As typed behind it or after `=`. */
  readonly value: string | undefined;
  readonly argv: readonly string[];
}

type Meant = string | ((typed: TypedFlag) => string | undefined);

const PIPED = ({ noun, verb, value }: TypedFlag): string =>
  value === undefined
    ? `proc ${noun} ${verb} --file FILE`
    : `echo ${inShell(value)} | proc ${noun} ${verb} --file -`;

const RAW_BODY: Meant = ({ value, argv }) => {
  const words = argv.slice(argv.indexOf('api') + 1);
  const flag = words.findIndex((word) => word.startsWith('-'));
  const path = words.slice(0, flag).map(inShell).join(' ') || 'POST PATH';
  return value === undefined
    ? `proc api ${path} --input FILE`
    : `echo ${inShell(value)} | proc api ${path} --input -`;
};

const OTHER_METHOD: Meant = ({ value = 'METHOD' }) =>
  `proc api ${inShell(value.toUpperCase())} PATH`;

const PAGE: Meant = ({ value, argv }) => {
  const page = Number(value);
  const asked = Number(argv[argv.indexOf('--limit') + 1]);
  const size = argv.includes('--limit') && asked > 0 ? asked : 20;
  return page >= 1 ? `--limit ${size} --offset ${(page - 1) * size}` : '--limit N --offset N';
};

/**
 * Flags of other programs, and what they mean. `NOUN VERB` and `*` say where; `$` stands for the value. What begins
 * with `proc` or `echo` is a whole command, all else flags.
 */
export const FLAG_GUESSES: readonly (readonly [where: string, flags: string, meant: Meant])[] = [
  [
    '* import',
    '--file|--input|--from-file|-i',
    ({ noun, value }) => `proc ${noun} import ${inShell(value ?? 'FILE')}`,
  ],
  ['* import', '--allow-nameless', '--allow missing'],
  ['* import', '--allow-error-values', '--allow error-values'],
  ['* import', '--allow-invisible', '--allow invisible'],
  ['* import', '--accept-changed-codes', '--allow changed-codes'],
  ['* import', '--unverified', '--allow unverified'],
  [
    '* import',
    '--skip-existing|--upsert|--ignore-existing|--update-existing',
    '--on-existing skip',
  ],
  ['* import', '--skip-duplicates|--dedupe', '--on-duplicate first'],
  ['* import', '--mapping|--mappings|--schema', '--map-file $'],
  ['* import', '--column|--columns|--mapped', '--map $'],
  ['* import', '--tab|--worksheet', '--sheet $'],
  ['* import', '--limit|--max', '--max-create $'],
  ['* import', '--max-errors', '--max-rejected $'],
  ['* import', '--fail-fast', '--max-rejected 0'],
  ['* import|resume|send', '--patience', '--tune patience=$'],
  ['* import|resume|send', '--settle', '--tune settle=$'],
  ['* import|resume|send', '--concurrency', '--tune concurrency=$'],
  ['* import', '--map-from', '--map-file $'],
  ['* create|patch', '--data|--body|--payload|-d', PIPED],
  [
    '* create|patch',
    '--json',
    (typed) => (typed.value?.startsWith('{') ? PIPED(typed) : '-o json'),
  ],
  ['* create|patch|delete|import', '-n', '--dry-run'],
  ['items create', '--sku|--article|--part|--part-number', '--code $'],
  ['items create', '--uom|--unit', '--unit-of-measure $'],
  [
    'requisition create',
    '--line|--add',
    ({ value }) => {
      const [, code, quantity] = /^([^=:]+)[=:](\d+)$/.exec(value ?? '') ?? [];
      return `--item code=${inShell(code ?? 'CODE')},quantity=${quantity ?? 'N'}`;
    },
  ],
  [
    'items list',
    '--search|--name|--text|--description',
    ({ value }) => `proc items list ${inShell(value ?? 'TEXT')}`,
  ],
  ['items list', '--sku|--code|--id', ({ value }) => `proc items get ${inShell(value ?? 'CODE')}`],
  [
    'orders list',
    '--order-id|--id|--order|--code|--po',
    ({ value }) => `proc orders get ${inShell(value ?? 'CODE')}`,
  ],
  ['orders list', '--from|--after|--start|--start-date', '--since $'],
  ['orders list', '--to|--before|--end|--end-date', '--until $'],
  ['orders list', '--state', '--status $'],
  ['orders wait', '--until|--condition', '--for $'],
  ['orders wait', '--status|--state', '--for status=$'],
  [
    'orders',
    '--watch',
    'proc orders changes --since daily --save daily. For one order: proc orders wait PO-00042 --for status=complete',
  ],
  [
    'sectors list',
    '--limit|--first|--head|--top|-n',
    ({ value }) => `-q ${inShell(`[:${Number(value) || 'N'}]`)}`,
  ],
  [
    'imports list',
    '--status|--state|--phase',
    ({ value }) => `--where ${inShell(`state=${value ?? 'STATE'}`)}`,
  ],
  ['* list', '--page', PAGE],
  ['* list', '--per-page|--size|--count|--max|--top|--last|--first|--head|-n', '--limit $'],
  ['* list', '--sort-by|--orderby', '--order-by $'],
  ['* list', '--desc|--reverse', '--dir desc'],
  ['api', '--data|--body|--payload|--json|-d', RAW_BODY],
  ['api', '-X|--method|--request', OTHER_METHOD],
  ['sandbox start', '-d|--background|--daemon|--bg', '--detach'],
  [
    'auth|profile|setup',
    '--key|--api-key|--apikey|--token|--password|--secret|--credential',
    'proc auth login --api-key-stdin < FILE',
  ],
  [
    '*',
    '--key|--api-key|--apikey|--token|--credential',
    'proc auth login --api-key-stdin < FILE. For one command, set PROC_API_KEY',
  ],
  ['doctor', '--learn|--fix', 'proc doctor, which stores what it detects'],
  ['setup|profile', '--url|--host|--server|--endpoint', '--base-url $'],
  ['*', '--url|--host|--server|--endpoint', 'proc setup'],
  ['*', '--json-output|--as-json|-j', '-o json'],
  ['*', '--force|--assume-yes|--auto-approve|--no-confirm', '--yes'],
  ['*', '--dryrun|--check|--what-if|--preview|--simulate|--noop', '--dry-run'],
  ['*', '--non-interactive|--batch', '--no-input'],
  ['*', '--debug|--trace', '--verbose'],
  ['*', '--silent', '--quiet'],
  ['*', '--no-color|--no-colour|--plain', '--color never'],
  ['*', '--out-file|--output-file|--save', '--out $'],
];

/** What an unknown flag means: flags such as `--limit 5`, or a whole command. */
export function flagGuess(typed: TypedFlag): string | undefined {
  const found = FLAG_GUESSES.find(([where, flags]) => {
    const [nouns, verbs] = where.split(' ');
    const isHere = (words: string | undefined, word: string | undefined) =>
      words === undefined || words === '*' || words.split('|').includes(word ?? '');
    return (
      isHere(nouns, typed.noun) &&
      isHere(verbs, typed.verb) &&
      flags.split('|').includes(typed.flag)
    );
  });
  const meant = found?.[2];
  if (typeof meant === 'function') return meant(typed);
  return meant?.replace('$', () => inShell(typed.value ?? 'VALUE'));
}
