import { describe, expect, it } from 'vitest';
import { listed, parsed, shown } from '../support/history.ts';
import { raw } from '../support/raw-http.ts';
import { errorOf, freshWorld, jsonLines, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

interface Sector {
  readonly id: string;
  readonly key: string;
  readonly name: string;
  readonly description: string;
}

async function atSandbox() {
  const requests: string[] = [];
  const { baseUrl } = await startTestSandbox({
    onRequest: ({ method, path }) => requests.push(`${method} ${path}`),
  });
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  const sector = async () => (await raw(baseUrl, 'GET', '/sectors/sec-1')).json as Sector;
  return { world, requests, sector };
}

function said(stderr: string, kind: 'notice' | 'warning'): string[] {
  return jsonLines(stderr).flatMap((line) => line[kind] ?? []);
}

describe('sectors patch', () => {
  it('shows each field before and after, and keeps a copy', async () => {
    const { world, sector } = await atSandbox();
    const before = await sector();
    const ran = await world.run([
      'sectors',
      'patch',
      'sec-1',
      '--name',
      'Other',
      '--key',
      before.key,
      '--description',
      '',
    ]);
    expect(parsed(ran)).toMatchObject({ id: 'sec-1', name: 'Other' });
    expect(said(ran.stderr, 'notice')).toEqual([
      `name: ${before.name} → Other\ndescription: ${before.description} → ""`,
    ]);
    const [entry] = await listed(world);
    expect(await shown(world, entry!.id)).toMatchObject({
      before,
      payload: { name: 'Other', key: before.key, description: '' },
    });
  });

  it('reports that nothing differs', async () => {
    const { world, sector, requests } = await atSandbox();
    const { name } = await sector();
    const ran = await world.run(['sectors', 'patch', 'sec-1', '--name', name]);
    const text = 'Every field already has this value. Nothing was sent.';
    expect(said(ran.stderr, 'notice')).toEqual([text]);
    expect(requests.filter((line) => line.startsWith('PATCH'))).toEqual([]);
    expect(await listed(world)).toEqual([]);
  });

  it('can be set back with the command that history shows', async () => {
    const { world, sector } = await atSandbox();
    const before = await sector();
    parsed(await world.run(['sectors', 'patch', 'sec-1', '--name', 'Other']));
    const { next } = parsed(await world.run(['history', 'show', 'last'])) as {
      next: [{ command: string }];
    };
    const ran = await world.shell(`"$NODE" "$PROC" ${next[0].command.replace(/^proc /, '')}`);
    expect(ran, ran.stderr).toMatchObject({ exitCode: 0 });
    expect(await sector()).toEqual(before);
  });

  it('fails after the read if the sector does not exist', async () => {
    const { world, requests } = await atSandbox();
    const ran = await world.run(['sectors', 'patch', 'sec-none', '--name', 'Other']);
    expect(ran.exitCode).toBe(5);
    expect(errorOf(ran).code).toBe('not_found');
    expect(requests.filter((line) => !line.startsWith('GET'))).toEqual([]);
    expect(await listed(world)).toEqual([]);
  });
});

describe('addresses patch', () => {
  const warnings = async (world: World, ...flags: string[]) => {
    const ran = await world.run(['addresses', 'patch', 'adr-1', ...flags]);
    parsed(ran);
    return said(ran.stderr, 'warning');
  };

  it('warns if the formatted address is out of date', async () => {
    const { world } = await atSandbox();
    const before = parsed(await world.run(['addresses', 'get', 'adr-1'])) as {
      city: string;
      formattedAddress: string;
    };
    expect(await warnings(world, '--city', 'Nowhere')).toEqual([
      `formattedAddress is still ${JSON.stringify(before.formattedAddress)}; to change it too, add --formatted-address`,
    ]);
    expect(await warnings(world, '--formatted-address', 'Nowhere 1')).toEqual([]);
    expect(await warnings(world, '--city', 'Nowhere', '--name', 'Plant')).toEqual([]);
    expect(await warnings(world, '--city', 'X', '--formatted-address', 'X 1')).toEqual([]);
    const typed = await world.run(['addresses', 'patch', 'adr-1', '--address-type', 'depot']);
    expect(said(typed.stderr, 'notice')).toEqual([
      'addressType: (not returned by the service) → depot',
    ]);
  });
});
