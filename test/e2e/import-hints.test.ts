import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { type LoggedSandbox, loggedSandbox } from '../support/service.ts';
import { runTyped } from '../support/typed-line.ts';

const ROWS = 'code,name\nL-1,One\nL-2,Two\nL-3,Three\n,Bad\n,Worse\n,Worst\n';

async function open(): Promise<{ here: World; sandbox: LoggedSandbox } & AsyncDisposable> {
  const sandbox = await loggedSandbox();
  const here = await freshWorld(sandbox.target);
  return { here, sandbox, [Symbol.asyncDispose]: () => sandbox.close() };
}

function codesIn({ dbPath }: LoggedSandbox): unknown[] {
  const database = new DatabaseSync(dbPath, { readOnly: true });
  try {
    return database
      .prepare('SELECT code FROM items ORDER BY seq')
      .all()
      .map(({ code }) => code);
  } finally {
    database.close();
  }
}

describe('the hint is a complete command', () => {
  it('if --yes is missing: with every flag, quoted', async () => {
    await using world = await open();
    const { here, sandbox } = world;
    await here.file('my stock.csv', 'SKU,Colour,Model\nS-1,red,Bolt\n');
    const flags = ['--map', 'code=SKU', '--map', 'name={Model} {Colour}', '--set', "brand=it's"];
    const ran = await here.run(['items', 'import', 'my stock.csv', ...flags]);
    const { hint, details } = errorOf(ran);
    const command =
      "proc items import 'my stock.csv' --map code=SKU --map 'name={Model} {Colour}' --set 'brand=it'\\''s' --yes";
    expect(hint).toBe(`Add --yes: ${command}`);
    expect(details).toEqual({ command });
    expect((await runTyped(here, command)).exitCode).toBe(0);
    expect(codesIn(sandbox)).toEqual(['S-1']);
  });

  it('if columns were matched by name: with --dry-run and all typed flags', async () => {
    await using world = await open();
    const { here, sandbox } = world;
    await here.file('alike.csv', 'SKU,Nombre\nM-1,Perno\n');
    const typed = ['--set', 'brand=B & C', '--on-existing', 'skip', '--null', 'NA'];
    const seen = await here.run(['items', 'import', 'alike.csv', ...typed, '--dry-run']);
    const { command } = errorOf(seen).details as { command: string };
    expect(command).toBe(
      "proc items import alike.csv --set 'brand=B & C' --on-existing skip --null NA --dry-run --map name=Nombre --map code=SKU",
    );
    expect(JSON.parse((await runTyped(here, command)).stdout)).toMatchObject({ create: 1 });
    const sent = await here.run(['items', 'import', 'alike.csv', ...typed]);
    const again = (errorOf(sent).details as { command: string }).command;
    expect(again).toMatch(/ --yes$/);
    expect((await runTyped(here, again)).exitCode).toBe(0);
    expect(codesIn(sandbox)).toEqual(['M-1']);
  });

  it('reports every missing column with the nearest match', async () => {
    await using world = await open();
    await world.here.file('near.csv', 'SKU,Model,Colour\nN-1,a,b\n');
    const map = ['--map', 'code=SKUU', '--map', 'name={Modell} {Color}', '--map', 'brnd=SKU'];
    const ran = await world.here.run(['items', 'import', 'near.csv', ...map, '--yes']);
    const { message, hint } = errorOf(ran);
    expect(message).toBe(
      '--map code=SKUU: there is no column "SKUU"; --map name={Modell} {Color}: there is no column "Modell", "Color"; --map brnd=SKU: there is no field "brnd"',
    );
    expect(hint).toBe(
      'Did you mean "SKU"? Did you mean "Model"? Did you mean "Colour"? Did you mean "brand"?',
    );
  });
});

describe('limits', () => {
  it('--on-existing fail lists the existing rows and the command that skips them', async () => {
    await using world = await open();
    const { here, sandbox } = world;
    await here.file('one.csv', 'code,name\nE-1,There\nE-2,Too\n');
    await here.run(['items', 'import', 'one.csv', '--yes']);
    await here.file('two.csv', 'code,name\nE-1,There\nE-3,New\nE-2,Too\n');
    const ran = await here.run(['items', 'import', 'two.csv', '--on-existing=fail', '--yes']);
    const { message, hint, exitCode } = errorOf(ran);
    expect(exitCode).toBe(2);
    expect(message).toMatch(/^2 rows already exist: E-1 \(it\S+\), E-2 \(it\S+\); nothing/);
    const command = 'proc items import two.csv --yes --on-existing skip';
    expect(hint).toBe(`To skip them, run: ${command}`);
    expect((await runTyped(here, command)).exitCode).toBe(0);
    expect(codesIn(sandbox)).toEqual(['E-1', 'E-2', 'E-3']);
  });

  it('--max-rejected reports the first rejected row', async () => {
    await using world = await open();
    await world.here.file('limits.csv', ROWS);
    const args = ['items', 'import', 'limits.csv', '--yes', '--max-rejected', '0'];
    const { message, hint } = errorOf(await world.here.run(args));
    expect(message).toMatch(
      /^3 of 6 rows are invalid \(row 4, line 5, column "code": has no code.*\), more than --max-rejected 0; nothing was sent$/,
    );
    const command = /proc items.*$/.exec(hint!)![0];
    expect(JSON.parse((await runTyped(world.here, command)).stdout)).toMatchObject({ invalid: 3 });
  });

  it.each([
    ['--max-create', '2', '3 rows would be created, more than --max-create 2; nothing was sent'],
    ['--max-rejected', '40%', 'more than --max-rejected 40%; nothing was sent'],
  ])('%s with --dry-run shows the plan and what would stop it, exit 2', async (...limit) => {
    await using world = await open();
    const { here, sandbox } = world;
    await here.file('limits.csv', ROWS);
    const [flag, most, says] = limit;
    const dry = await here.run(['items', 'import', 'limits.csv', flag, most, '--dry-run']);
    expect(JSON.parse(dry.stdout)).toMatchObject({
      create: 3,
      invalid: 3,
      refused: expect.stringContaining(says),
    });
    expect(dry.exitCode).toBe(2);
    expect(errorOf(dry).message).toContain(says);
    const real = await here.run(['items', 'import', 'limits.csv', flag, most, '--yes']);
    expect(errorOf(real)).toMatchObject({ exitCode: 2, message: errorOf(dry).message });
    const { hint } = errorOf(real);
    const shown = await runTyped(here, /proc items.*$/.exec(hint!)![0]);
    expect(JSON.parse(shown.stdout)).toMatchObject({ create: 3 });
    expect(sandbox.writes()).toEqual([]);
  });

  it.each(['150%', '1.5', '-1', '100.5%'])('--max-rejected %s is refused', async (most) => {
    await using world = await open();
    await world.here.file('limits.csv', ROWS);
    const flag = `--max-rejected=${most}`;
    const ran = await world.here.run(['items', 'import', 'limits.csv', flag, '--yes']);
    expect(errorOf(ran)).toMatchObject({ exitCode: 2 });
    expect(errorOf(ran).message).toContain('0% to 100%');
  });
});

describe('a proposed mapping gives every row a name', () => {
  it.each([
    'Código;Descripción;Unidad\nD-1;Perno;UN\n',
    'Código;Descripción artículo\nD-1;Perno\n',
    'Code;Description\nD-1;Perno\n',
  ])('%j: the description is the name', async (text) => {
    await using world = await open();
    const { here, sandbox } = world;
    await here.file('erp.csv', text);
    const error = errorOf(await here.run(['items', 'import', 'erp.csv']));
    expect(error.code).toBe('confirmation_required');
    const { command, matched } = error.details as { command: string; matched: object };
    expect(matched).toHaveProperty('name');
    expect(matched).not.toHaveProperty('description');
    const ran = await runTyped(here, command);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(codesIn(sandbox)).toEqual(['D-1']);
  });

  it.each([
    ['Código;Unidad\nD-1;UN\n', 'no column of erp.csv matches the name of an item'],
    ['SKU;Nombre;Artículo\nD-1;a;b\n', 'match the name of an item: Nombre, Artículo'],
  ])('%j: nothing is proposed', async (text, message) => {
    await using world = await open();
    await world.here.file('erp.csv', text);
    const error = errorOf(await world.here.run(['items', 'import', 'erp.csv', '--yes']));
    expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(error.message).toContain(message);
    expect(error.hint).toMatch(/^Choose the column: proc items import erp.csv .*--map name=COLUMN/);
  });

  it('--set name=… leaves the description where it is', async () => {
    await using world = await open();
    await world.here.file('erp.csv', 'Código;Descripción\nD-1;Perno\n');
    const flags = ['--set', 'name=Perno', '--dry-run'];
    const error = errorOf(await world.here.run(['items', 'import', 'erp.csv', ...flags]));
    expect(error.details).toMatchObject({
      matched: { code: 'Código', description: 'Descripción' },
    });
  });
});

it('rows without a name are rejected, and a mapping without a name is reported', async () => {
  await using world = await open();
  const { here } = world;
  const planned = async (content: string, ...flags: string[]) => {
    await here.file('a.csv', content);
    const ran = await here.run(['items', 'import', 'a.csv', '--dry-run', ...flags]);
    const { create, invalid, samples } = JSON.parse(ran.stdout);
    const warnings = jsonLines(ran.stderr).flatMap(({ warning }) => warning ?? []);
    return { create, invalid, reason: samples.invalid[0]?.reason, warnings };
  };
  const empty =
    'is empty; proc does not send items without a name, because items cannot be deleted (--allow missing)';
  const unmapped =
    'no column is mapped to name, so none of the 2 rows has a value for it (--map name=COLUMN)';
  const none = 'code,description\nN-1,x\nN-2,y\n';
  const nowhere = { reason: `row 1, line 2: name: ${empty}`, warnings: [unmapped] };
  expect(await planned(none)).toEqual({ create: 0, invalid: 2, ...nowhere });
  expect(await planned(none, '--allow', 'missing')).toMatchObject({
    create: 2,
    invalid: 0,
    warnings: [unmapped],
  });
  const one = 'code,name\nN-1,x\nN-2,\n';
  const reason = `row 2, line 3, column "name": ${empty}`;
  expect(await planned(one)).toEqual({ create: 1, invalid: 1, reason, warnings: [] });
  expect(await planned(one, '--allow', 'missing')).toMatchObject({ create: 2, warnings: [] });
  expect(await planned('code,name\nN-1,x\n')).toMatchObject({ create: 1, warnings: [] });
});

describe('a mapping is never proposed', () => {
  it('if rows with the same key differ elsewhere', async () => {
    await using world = await open();
    const { here } = world;
    await here.file(
      'sizes.csv',
      'Part,Size,Nombre\nP-1,small,Bolt\nP-2,small,Nut\nP-1,large,Bolt\n',
    );
    const error = errorOf(await here.run(['items', 'import', 'sizes.csv', '--yes']));
    expect(error.message).toBe(
      '"Part" looks like the code, but rows 1 and 3 have the same "Part" (P-1) and differ in "Size". proc would import only one of these rows',
    );
    expect(error.hint).toContain('--map code=COLUMN');
    expect(JSON.stringify(error.details)).not.toContain('command');
    // Rows with the same code may differ in numbers, so `Part` is still proposed as the code.
    await here.file('prices.csv', 'Part,Price,Nombre\nP-1,1.5,Bolt\nP-1,1.75,Bolt\n');
    const proposed = errorOf(await here.run(['items', 'import', 'prices.csv', '--yes']));
    expect(proposed.hint).toContain('--map code=Part');
  });

  it('to group rows that differ: they are rejected', async () => {
    await using world = await open();
    const { here } = world;
    await here.file('rows.csv', 'Request,Tipo,Qty,Part\nR7,spot,1,Bolt\nR7,stock,2,Nut\n');
    const map = ['title=Request', 'type=Tipo', 'quantity=Qty', 'item.name=Part'];
    const ran = await here.run([
      ...['requisition', 'import', 'rows.csv', '--yes', '--group-by', 'Request'],
      ...[...map.flatMap((one) => ['--map', one]), '--set', 'group.deliveryMethod=pickup'],
    ]);
    expect(ran.exitCode).toBe(8);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 0, rejected: 1 });
  });
});
