import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { errorOf, freshWorld, jsonLines, ROOT, type World } from '../support/run.ts';

let world: World;
beforeEach(async () => {
  world = await freshWorld();
});

const SQL = `"${process.execPath}" -e '
  const { DatabaseSync } = require("node:sqlite");
  new DatabaseSync(process.env.PROC_SANDBOX_DB).exec(process.argv[1]);'`;

describe('proc sandbox exec', () => {
  it('runs the first commands of the README, also beside a second one', async () => {
    const readme = await readFile(join(ROOT, 'README.md'), 'utf8');
    const [, block] = /^In it:\n\n```sh\n([\s\S]*?)```/m.exec(readme)!;
    await world.file(
      'first.sh',
      `set -ex
${block!.replace(/.* wizard .*\n/, '')}
proc orders get PO-00001
proc items list bolt
proc sectors list
proc addresses get adr-1 adr-5
proc requisition create --title Parts --deliver-to adr-1 --item CS-4759=4
proc requisition group add last --name Shop
proc imputations import examples/imputations.csv --map order=PO --yes
proc imports list
proc history list
proc doctor`,
    );
    await symlink(join(ROOT, 'examples'), join(world.cwd, 'examples'));
    const runs = ['a', 'b'].map(() =>
      world.shell('"$NODE" "$PROC" sandbox exec -- sh first.sh', { asTyped: true }),
    );
    for (const ran of await Promise.all(runs)) expect(ran.exitCode, ran.stderr).toBe(0);
  });

  it('lets a script change what the API cannot change', async () => {
    await world.file(
      'seed.json',
      '{"orders": [{"code": "A-1", "status": "pending", "amount": 2}, {"id": "po-9", "code": "A-2"}]}',
    );
    await world.file(
      'test.sh',
      `proc orders get A-1 -q status
${SQL} "UPDATE orders SET status = 'complete' WHERE code = 'A-1'"
proc orders get A-1 -q status
proc orders list --all --fields id,code -o csv
proc sectors list -o id | wc -l`,
    );
    const ran = await world.shell('"$NODE" "$PROC" sandbox exec --seed seed.json -- sh test.sh');
    expect(ran.stdout.trim().split(/\s+/)).toEqual([
      ...['"pending"', '"complete"'],
      ...['id,code', 'po-1,A-1', 'po-9,A-2'],
      '37',
    ]);
  });

  it('passes on no variable but the usual ones, so that no secret and no other service gets in', async () => {
    const env = { MY_TOKEN: 'secret', PROC_PROFILE: 'acme', LC_ALL: 'C', PROC_OUTPUT: 'ndjson' };
    const ran = await world.shell('"$NODE" "$PROC" sandbox exec -- env', { env });
    const names = ran.stdout.split('\n').map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['LC_ALL', 'PROC_OUTPUT', 'PROC_BASE_URL']));
    expect(names).not.toContain('MY_TOKEN');
    expect(names).not.toContain('PROC_PROFILE');
  });

  it('with --empty has only the records of the file, and new ids do not collide', async () => {
    await world.file('seed.json', '{"items": [{"id": "itm-3", "name": "Bolt"}, {"name": "Nut"}]}');
    await world.file(
      'test.sh',
      'proc items create --name Pin -o id; proc items list --all -o id; proc orders list --all',
    );
    const ran = await world.shell(
      '"$NODE" "$PROC" sandbox exec --empty --seed seed.json -- sh test.sh',
    );
    expect(ran.stdout.trim().split(/\s+/)).toEqual(['itm-4', 'itm-3', 'itm-1', 'itm-4', '[]']);
  });

  it.each([
    ['{"orders": [', 'line 1, column 13'],
    ['{"orders": [{"amount": "2"}]}', 'orders[0].amount must be a number, got "2"'],
    ['{"orders": [{"stauts": "x"}]}', 'no field orders[0].stauts, did you mean status'],
    ['{"order": []}', 'no field order, did you mean orders'],
    ['{"items": [{"id": "a"}, {"id": "a"}]}', 'two items have the id a'],
    ['[]', 'the file must be an object'],
  ])('refuses the seed %s', async (text, says) => {
    await world.file('seed.json', text);
    const args = ['sandbox', 'exec', '--seed', 'seed.json', '--', 'true'];
    const error = errorOf(await world.run(args));
    expect(error).toMatchObject({ code: 'invalid_input', exitCode: 2 });
    expect(error.message).toContain(says);
  });

  it('passes SIGTERM on as SIGTERM', async () => {
    await world.file(
      'test.sh',
      `trap 'echo terminated; exit 7' TERM
kill -TERM $PPID
while :; do sleep 0.1; done`,
    );
    const ran = await world.shell('"$NODE" "$PROC" sandbox exec -- sh test.sh');
    expect(ran).toMatchObject({ exitCode: 7, stdout: 'terminated\n' });
  });

  it('exits with 2 if there is no such command', async () => {
    const ran = await world.spawn(['sandbox', 'exec', '--', 'no-such-command']);
    expect(ran.exitCode).toBe(2);
    expect(jsonLines(ran.stderr)).toMatchObject([{ error: { code: 'invalid_usage' } }]);
  });
});
