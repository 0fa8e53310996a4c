import { dialectFor } from '../../client/dialect.ts';
import { command } from '../../core/command.ts';
import type { CommandSpec } from '../../core/command-spec.ts';
import type { CommandTree } from '../../core/command-tree.ts';
import { ProcError } from '../../core/errors.ts';
import type { Ports } from '../../core/ports.ts';
import type { Result, Row } from '../../core/result.ts';
import { kebab } from '../../core/text/kebab.ts';
import { nearest } from '../../core/text/nearest.ts';
import { openSettings } from '../../settings/read/open-settings.ts';
import { dialectOf } from '../../settings/read/resolve-target.ts';
import { select } from '../../settings/read/select-target.ts';
import { type CommandList, commandList, listedCommands } from '../command-list.ts';
import { payloadSchema } from '../json-schema.ts';
import { openApi } from '../openapi.ts';
import { jsonSkeleton, yamlSkeleton } from '../skeleton.ts';
import { commandsWithBody, commandsWithFile, type WithBody } from '../with-body.ts';

export const schema = command({
  path: ['schema'],
  changes: 'nothing',
  prints: 'anything',
  shape: (kit) => {
    const { forms, z, maybe } = kit;
    return forms(
      [
        {
          many: true,
          schema: z.looseObject({
            command: z.string(),
            sends: maybe(z.string()),
            prints: maybe(z.string()),
            summary: z.string(),
          }),
        },
        { many: false, schema: listedCommands(kit) },
        { many: false, schema: z.looseObject({}) },
      ],
      'Without a command, the list of commands. With one, any JSON Schema; with --openapi, an OpenAPI document; with --commands, every command of proc.',
    );
  },
  summary: 'Print the JSON Schema of a payload or of output',
  description:
    'Without a command, lists the commands that have a schema. proc checks payloads against the same definitions. A payload file can name its schema in "$schema", for editors.',
  details:
    'With --prints, the words may also be errors, warnings, notices, progress or http, the lines on stderr, or requests, which --dry-run prints.',
  args: {
    command: {
      doc: 'words of a command, e.g. requisition create',
      optional: true,
      variadic: true,
      isCommand: true,
    },
  },
  flags: {
    skeleton: {
      kind: 'boolean',
      doc: 'print a payload to fill in: JSON, or YAML with comments (-o yaml)',
    },
    prints: {
      kind: 'boolean',
      doc: 'describe what the command prints',
    },
    commands: {
      kind: 'boolean',
      doc: 'list every command of proc with its arguments, flags, exit codes, error codes and examples',
    },
    openapi: {
      kind: 'boolean',
      doc: 'print the whole contract as OpenAPI 3.1; x-gap marks what it leaves open',
    },
  },
  examples: [
    { run: 'proc schema', doc: 'list the commands that have a schema' },
    { run: 'proc schema requisition create', doc: 'the payload of a requisition' },
    { run: 'proc schema items create --skeleton -o yaml', doc: 'a payload to fill in' },
    { run: 'proc schema orders list --prints', doc: 'what a command prints' },
    { run: 'proc schema --commands', doc: 'every command and flag, for programs' },
    {
      run: 'proc schema --openapi --out openapi.json',
      doc: 'all endpoints, with the list parameters of this environment',
    },
  ],
  needs: ['io', 'self'],
  async run({ args, flags }, ports) {
    const words = (args.command ?? []) as readonly string[];
    if (flags.openapi) {
      if (words.length > 0 || flags.skeleton || flags.prints) {
        throw new ProcError(
          'invalid_usage',
          '--openapi takes no command: it describes the whole service',
          {
            hint: 'Run it alone: proc schema --openapi',
          },
        );
      }
      const { self } = ports;
      const { value } = dialectOf(self.env, select(openSettings(self).sources()));
      return asText(
        openApi((noun) => dialectFor(value, noun)),
        ports,
      );
    }
    const tree = await ports.self.tree();
    if (flags.commands) {
      const others = [flags.skeleton && '--skeleton', flags.prints && '--prints'].find(Boolean);
      if (others) {
        throw new ProcError('invalid_usage', `--commands and ${others} cannot be combined`, {
          hint: `Remove ${others}`,
        });
      }
      return asText(commandsNamed(tree, words), ports);
    }
    if (flags.prints) return printed(tree, words, flags.skeleton, ports);
    if (words.length === 0) {
      if (flags.skeleton) {
        throw new ProcError('invalid_usage', '--skeleton needs a command', {
          hint: 'Name one, e.g.: proc schema requisition create --skeleton',
        });
      }
      return listing(tree);
    }
    const found = withBody(tree, words);
    if (!flags.skeleton) return asText(payloadSchema(found.endpoint), ports);
    if (wantsYaml(ports)) {
      return { kind: 'text', text: yamlSkeleton(found.endpoint, runWith(found.spec, 'FILE.yaml')) };
    }
    // JSON has no comments, so the instructions are a notice.
    if (ports.io.terminal.stderrIsTerminal) {
      ports.io.say({
        kind: 'notice',
        text: `Replace each null, or remove the field. Then run: ${runWith(found.spec, 'FILE.json')}`,
      });
    }
    return { kind: 'text', text: jsonSkeleton(found.endpoint) };
  },
});

/** Returns e.g. `proc requisition item add REQUISITION GROUP --file FILE.json`. */
function runWith(spec: CommandSpec, file: string): string {
  const args = Object.keys(spec.args ?? {}).map((name) => kebab(name).toUpperCase());
  return ['proc', ...spec.path, ...args, '--file', file].join(' ');
}

function listing(tree: CommandTree): Result {
  const rows: Row[] = commandsWithFile(tree).map(({ spec, endpoint }) => ({
    command: spec.path.join(' '),
    sends: `${endpoint.method} ${endpoint.path}`,
    summary: endpoint.doc.summary,
  }));
  return {
    kind: 'rows',
    columns: [
      { key: 'command', header: 'COMMAND', priority: 3 },
      { key: 'sends', header: 'SENDS', priority: 2 },
      { key: 'summary', header: 'SUMMARY' },
    ],
    rows,
    idField: 'command',
    empty: 'No commands take a file.',
  };
}

async function printed(
  tree: CommandTree,
  words: readonly string[],
  isSkeleton: boolean,
  ports: Ports<'self'>,
): Promise<Result> {
  if (isSkeleton) {
    throw new ProcError(
      'invalid_usage',
      '--skeleton and --prints cannot be combined: one prints a payload, the other describes what a command prints',
      {
        hint: 'Remove one of them',
      },
    );
  }
  const { LINES, lineSchema, outputSchema, printedWord } = await import('../output-schema.ts');
  const commands = tree.nouns.flatMap((noun) => noun.commands);
  if (words.length === 0) {
    return {
      kind: 'rows',
      columns: [
        { key: 'command', header: 'COMMAND', priority: 3 },
        { key: 'prints', header: 'PRINTS', priority: 2 },
        { key: 'summary', header: 'SUMMARY' },
      ],
      rows: commands.map((spec) => ({
        command: spec.path.join(' '),
        prints: printedWord(spec),
        summary: spec.summary,
      })),
      idField: 'command',
      empty: 'No commands.',
    };
  }
  const name = canonical(tree, words);
  const line = lineSchema(name);
  if (line !== undefined) return asText(line, ports);
  const spec = commands.find(({ path }) => path.join(' ') === name);
  if (spec !== undefined) return asText(outputSchema(spec), ports);
  const names = [...LINES, ...commands.map(({ path }) => path.join(' '))];
  const below = names.find((one) => one.startsWith(`${name} `));
  const near = below ?? nearest(name, names);
  throw new ProcError('unknown_command', `"${words.join(' ')}" is not a command of proc`, {
    hint:
      near === undefined
        ? 'List the commands: proc schema --prints'
        : `Did you mean: proc schema ${near} --prints`,
  });
}

/** The commands that begin with these words; all without words. */
function commandsNamed(tree: CommandTree, words: readonly string[]): CommandList {
  const name = words.length === 0 ? '' : canonical(tree, words);
  const found = commandList(tree, ({ path }) =>
    `${path.join(' ')} `.startsWith(name === '' ? '' : `${name} `),
  );
  if (found.commands.length > 0) return found;
  const names = commandList(tree).commands.map(({ command }) => command);
  const near = nearest(name, names);
  throw new ProcError('unknown_command', `"${words.join(' ')}" is not a command of proc`, {
    hint:
      near === undefined
        ? 'List the commands: proc schema --commands'
        : `Did you mean: proc schema ${near} --commands`,
  });
}

function canonical(tree: CommandTree, [first = '', ...rest]: readonly string[]): string {
  const noun = tree.nouns.find(({ name, aliases }) => [name, ...aliases].includes(first));
  return [noun?.name ?? first, ...rest].join(' ');
}

function withBody(tree: CommandTree, words: readonly string[]): WithBody {
  const path = canonical(tree, words);
  const all = commandsWithBody(tree);
  const found = all.find(({ spec }) => spec.path.join(' ') === path);
  if (found !== undefined) return found;
  const known = commandsWithFile(tree).map(({ spec }) => spec.path.join(' '));
  const typed = words.join(' ');
  const [below, ...others] = known.filter((name) => name.startsWith(`${path} `));
  if (below !== undefined) {
    const rest = others.length === 0 ? '' : ` (or ${others.join(', ')})`;
    throw new ProcError('unknown_command', `"${typed}" is not a complete command`, {
      hint: `Add the verb: proc schema ${below}${rest}`,
    });
  }
  const commands = tree.nouns.flatMap((noun) => noun.commands.map((spec) => spec.path.join(' ')));
  if (commands.includes(path)) {
    throw new ProcError(
      'unknown_command',
      `"${typed}" sends no body: it takes arguments and flags`,
      {
        hint: `List its flags: proc ${path} --help. List the commands with a payload: proc schema`,
      },
    );
  }
  const near = nearest(path, known);
  throw new ProcError('unknown_command', `"${typed}" is not a command that sends a body`, {
    hint:
      near === undefined
        ? 'List the commands that do: proc schema'
        : `Did you mean: proc schema ${near}`,
  });
}

/** JSON even on a terminal, because a schema is not a table. Explicit formats and queries still apply. */
function asText(value: object, { self: { flags: globals } }: Ports<'self'>): Result {
  if (globals.output === undefined && globals.query === undefined && globals.fields === undefined) {
    return { kind: 'text', text: `${JSON.stringify(value, null, 2)}\n` };
  }
  return { kind: 'record', value: value as Row };
}

function wantsYaml({ self: { flags: globals, env } }: Ports<'self'>): boolean {
  if (globals.output !== undefined) return globals.output === 'yaml';
  if (globals.out !== undefined) return /\.ya?ml$/i.test(globals.out);
  return env.PROC_OUTPUT === 'yaml';
}
