import { describe, expect, it } from 'vitest';
import { listed, parsed } from '../support/history.ts';
import { raw } from '../support/raw-http.ts';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';
import { startTerminal } from '../support/terminal.ts';

async function place() {
  const { baseUrl } = await startTestSandbox();
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  const run = (line: string) => world.run(line.split(' '));
  const sector = async () => (await raw(baseUrl, 'GET', '/sectors/sec-1')).json;
  const newest = async () => (await listed(world, '--limit', '1'))[0]!.id;
  return { world, run, sector, newest };
}

describe('history undo', () => {
  it('changes a patch back, and can itself be undone', async () => {
    const { run, sector, newest } = await place();
    const before = await sector();
    await run('sectors patch sec-1 --name Other --key other');
    const undone = await run(`history undo ${await newest()} --yes`);
    expect(parsed(undone)).toEqual(before);
    expect(jsonLines(undone.stderr)[0]?.notice).toMatch(/^key: other → .*\nname: Other → /);
    expect(await sector()).toEqual(before);
    await run(`history undo ${await newest()} --yes`);
    expect(await sector()).toMatchObject({ name: 'Other', key: 'other' });
  });

  it('of what is undone already sends nothing', async () => {
    const { world, run, sector, newest } = await place();
    const before = await sector();
    await run('sectors patch sec-1 --name Other');
    const id = await newest();
    await run(`history undo ${id} --yes`);
    const entries = (await listed(world)).length;
    const again = await run(`history undo ${id} --yes`);
    expect(again.exitCode).toBe(0);
    expect(jsonLines(again.stderr)).toEqual([
      { notice: `The record already has the values from before ${id}. Nothing was sent.` },
    ]);
    expect(parsed(again)).toEqual(before);
    expect(await listed(world)).toHaveLength(entries);
  });

  it('asks at a terminal, also in an unprotected environment', async () => {
    const { world, run, sector, newest } = await place();
    await run('sectors patch sec-1 --name Other');
    const id = await newest();
    const terminal = startTerminal(world, ['history', 'undo', id]);
    await terminal.waitFor('Restore name of mountain-bikes "Other" (undo of ');
    terminal.type('n\r');
    expect(await terminal.exited).toBe(2);
    expect(await sector()).toMatchObject({ name: 'Other' });
    expect(errorOf(await run(`history undo ${id}`)).code).toBe('confirmation_required');
  });

  it('warns if a field was changed again since', async () => {
    const { run, newest } = await place();
    await run('sectors patch sec-1 --name Other');
    const id = await newest();
    await run('sectors patch sec-1 --name Third');
    const dry = await run(`history undo ${id} --dry-run`);
    expect(JSON.parse(dry.stdout)).toMatchObject({ method: 'PATCH' });
    const undone = await run(`history undo ${id} --yes`);
    expect(jsonLines(undone.stderr)).toContainEqual({
      warning: `${id} is not the last change of these fields: name`,
    });
  });

  it.each([
    ['items create --name Bolt --code B-77', 'it is a create, and only a patch'],
    ['sectors delete sec-2 --yes', 'the service cannot create the record again'],
    ['api PATCH /sectors/sec-3 -F name=X', 'history has no previous value'],
    [
      'addresses patch adr-1 --postal-code 5000',
      'the service did not return the previous value of',
    ],
  ])('refuses %s', async (line, why) => {
    const { run, newest } = await place();
    const sent = await run(line);
    expect(sent.exitCode, sent.stderr).toBe(0);
    const error = errorOf(await run(`history undo ${await newest()} --yes`));
    expect(error).toMatchObject({ code: 'invalid_usage', exitCode: 2 });
    expect(error.message).toContain(why);
  });

  it('refuses the entry of another service', async () => {
    const [one, other] = [await place(), await startTestSandbox()];
    await one.run('sectors patch sec-1 --name Other');
    const ran = await one.world.run(['history', 'undo', await one.newest(), '--yes'], {
      env: { PROC_BASE_URL: other.baseUrl },
    });
    expect(errorOf(ran).message).toContain('which is not the current target');
  });
});
