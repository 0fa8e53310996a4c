import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { loadTree } from '../../src/cli/tree.ts';
import type { CommandSpec } from '../../src/core/command-spec.ts';
import { payloadSchema } from '../../src/schema/json-schema.ts';
import { runHere } from '../support/in-process.ts';
import { freshWorld, jsonLines, ROOT } from '../support/run.ts';

const tree = await loadTree();
const withFile = tree.nouns
  .flatMap(({ commands }) => commands)
  .filter((spec) => spec.flags?.file !== undefined)
  .map((spec) => [spec.path.join(' '), spec] as const);

const ajv = new Ajv2020({ strict: false });

function schemaOf(spec: CommandSpec) {
  return payloadSchema(spec.endpoints!.find(({ body }) => body !== undefined)!);
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
}

function filled(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) return value.map((item) => filled(item, schema.items!));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, filled(inner, schema.properties![key]!)]),
    );
  }
  expect(value).toBeNull();
  if (schema.enum !== undefined) return schema.enum[0];
  return schema.type === 'string' ? 'x' : 1;
}

function filledYaml(text: string): string {
  return text.replace(/^( *(?:# )?[ \w]+:) # ([^:\n]+).*$/gm, (_, head: string, kind: string) => {
    if (kind.startsWith('a list') || kind === 'these fields') return head;
    const value =
      kind === 'text'
        ? 'x'
        : kind === 'anything'
          ? 'null'
          : kind.includes(' or ')
            ? kind.split(' ')[0]
            : '1';
    return `${head} ${value}`;
  });
}

describe.each(withFile)('proc schema %s', (words, spec) => {
  const args = [...spec.path, ...Object.keys(spec.args ?? {}).map((name) => `${name}-1`)];

  async function dryRun(name: string, content: string) {
    const world = await freshWorld();
    const file = await world.file(name, content);
    // An explicit `id=` needs no look-up.
    const words = args.map((word) => (word === 'sector-1' ? 'id=sector-1' : word));
    return runHere([...words, '--file', file, '--dry-run'], world.env);
  }

  async function skeleton(...flags: string[]): Promise<string> {
    const world = await freshWorld();
    const ran = await runHere(['schema', ...words.split(' '), '--skeleton', ...flags], world.env);
    expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
    return ran.stdout;
  }

  it('is a schema that accepts $schema and marks unknown fields', async () => {
    const world = await freshWorld();
    const { stdout } = await runHere(['schema', ...words.split(' ')], world.env);
    const schema = JSON.parse(stdout) as object;
    const check = ajv.compile(schema);
    const good = filled(JSON.parse(await skeleton()), schema) as object;
    expect(check({ $schema: './s.json', ...good }), ajv.errorsText(check.errors)).toBe(true);
    expect(check({ ...good, nosuchfield: 1 })).toBe(false);
  });

  it('has a JSON skeleton that the command accepts once filled in, and not before', async () => {
    const empty = await skeleton();
    const before = await dryRun('f.json', empty);
    expect(before.exitCode).toBe(2);
    expect(before.stderr).toMatch(/f\.json, line \d+: \w/);
    expect(jsonLines(before.stderr)[0]!.error!.hint).toContain('or remove them');
    const whole = { $schema: './s.json', ...(filled(JSON.parse(empty), schemaOf(spec)) as object) };
    const after = await dryRun('f.json', JSON.stringify(whole));
    expect([after.exitCode, after.stderr.replace(/.*"warning".*\n/g, '')]).toEqual([0, '']);
    const { body } = JSON.parse(after.stdout) as { body: object };
    expect(body).not.toHaveProperty('$schema');
  });

  it('has a YAML skeleton that the command accepts once filled in, with and without the optional part', async () => {
    const empty = await skeleton('-o', 'yaml');
    const [first, second, third, ...lines] = empty.split('\n');
    const open = lines.map((line) => line.replace(/^[ #]*/, (start) => start.replaceAll('# ', '')));
    const all = [first, second, third, ...open].join('\n');
    const whole = filledYaml(all);
    // The skeleton names its command. Replaces each argument in it by a word.
    const run = third!.replace('# Then: proc ', '').replace('FILE.yaml', 'f.yaml');
    const typed = run.replace(/\b[A-Z]{2,}\b/g, (name) => `${name.toLowerCase()}-1`).split(' ');
    expect(typed).toEqual([...args, '--file', 'f.yaml']);
    const after = await dryRun('f.yaml', whole);
    expect([after.exitCode, after.stderr.replace(/.*"warning".*\n/g, '')], whole).toEqual([0, '']);
    if (!/^\w/m.test(empty)) return;
    const required = await dryRun('f.yml', filledYaml(empty));
    expect([required.exitCode, required.stderr.replace(/.*"warning".*\n/g, '')]).toEqual([0, '']);
  });
});

describe('proc schema', () => {
  it('lists the commands that take a file', async () => {
    const world = await freshWorld();
    const { stdout } = await runHere(['schema', '-o', 'id'], world.env);
    expect(stdout.trim().split('\n')).toEqual(withFile.map(([words]) => words));
  });

  it('says what to do with a JSON skeleton', async () => {
    const world = await freshWorld();
    const words = ['schema', 'sectors', 'patch', '--skeleton'];
    const { stderr, stdout } = await runHere(words, world.env, { terminal: true });
    expect(JSON.parse(stdout)).toEqual({ key: null, name: null, description: null });
    expect(stderr).toContain('Replace each null, or remove the field');
    expect(stderr).toContain('proc sectors patch SECTOR --file FILE.json');
  });

  it('accepts singular and plural nouns, and suggests the nearest', async () => {
    const world = await freshWorld();
    const plural = await runHere(['schema', 'requisitions', 'create'], world.env);
    expect(JSON.parse(plural.stdout)).toMatchObject({ required: ['title', 'groups'] });
    const wrong = await runHere(['schema', 'items', 'craete'], world.env);
    expect(wrong.exitCode).toBe(2);
    expect(jsonLines(wrong.stderr)[0]!.error!.hint).toBe('Did you mean: proc schema items create');
  });

  it.each([
    ['requisition.json', 'requisition create'],
    ['item.json', 'items create'],
    ['imputation.json', 'imputations create'],
    ['address.json', 'addresses patch'],
  ])('accepts examples/%s', async (file, words) => {
    const spec = withFile.find(([name]) => name === words)![1];
    const payload = JSON.parse(await readFile(join(ROOT, 'examples', file), 'utf8')) as unknown;
    expect(ajv.validate(schemaOf(spec), payload), ajv.errorsText()).toBe(true);
  });
});
