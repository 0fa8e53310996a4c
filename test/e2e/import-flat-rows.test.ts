import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { assumeFirstRuns } from '../support/in-process.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { loggedSandbox } from '../support/service.ts';

assumeFirstRuns();

const sandbox = await loggedSandbox();

async function refused(world: World, args: readonly string[]) {
  const before = sandbox.requests.length;
  const ran = await world.run(['requisition', 'import', ...args]);
  expect(ran, ran.stderr).toMatchObject({ exitCode: 2, stdout: '' });
  expect(sandbox.requests).toHaveLength(before);
  return errorOf(ran);
}

describe('flat rows with --group-by', () => {
  it.each([
    ['first', 'P-1,A\nP-1,A,Bolt,2\n', 2],
    ['later', 'P-1,A,Bolt,2\nP-1,A,Nut\n', 3],
  ])(
    'one that cannot be read stops the import: any requisition may need it (%s)',
    async (_, rows, line) => {
      const world = await freshWorld(sandbox.target);
      await world.file('rows.csv', `title,group.name,item.name,quantity\n${rows}`);
      const args = ['rows.csv', '--group-by', 'title', '--set', 'group.deliveryMethod=pickup'];
      const { message } = await refused(world, [...args, '--yes']);
      expect(message).toContain(`rows.csv, line ${line}: has ${line} cells, but the header has 4`);
      expect(message).toContain('not clear to which "title" the row belongs; nothing was sent');
    },
  );

  it('find an address by its id, or by its exact name if it was used before', async () => {
    const world = await freshWorld(sandbox.target);
    const known = await world.run(['addresses', 'get', 'adr-2', '-o', 'json']);
    const { formattedAddress } = JSON.parse(known.stdout);
    const head = 'R,title,group.deliveryMethod,group.address,item.name,quantity\n';
    const imported = async (...rows: string[]) => {
      await world.file('a.csv', head + rows.join('\n'));
      const ran = await world.run(['requisition', 'import', 'a.csv', '--group-by', 'R', '--yes']);
      return { ran, summary: JSON.parse(ran.stdout) };
    };
    const first = await imported('1,A-1,delivery,adr-2,Bolt,1', '2,A-2,delivery,"Plant 9",Nut,1');
    expect(first.summary).toMatchObject({ created: 1, rejected: 1 });
    expect(await readFile(first.summary.rejectedFile, 'utf8')).toContain(
      'no address has the id or name ""Plant 9""',
    );
    // No id can have a slash.
    const odd = await imported('4,A-4,delivery,"Plaza 1/2",Bolt,1');
    expect(odd.summary).toMatchObject({ created: 0, rejected: 1 });
    const named = await imported(`3,A-3,delivery,"${formattedAddress}",Bolt,1`);
    expect(named.ran, named.ran.stderr).toMatchObject({ exitCode: 0 });
    const sent = sandbox.sql(
      "SELECT g.addressId FROM requisitions r JOIN groups g ON g.requisitionId = r.id WHERE title LIKE 'A-%' ORDER BY title",
    );
    expect(sent.map(({ addressId }) => addressId)).toEqual(['adr-2', 'adr-2']);
  });
});
