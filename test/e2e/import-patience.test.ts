import { describe, expect, it } from 'vitest';
import { errorOf, freshWorld, jsonLines } from '../support/run.ts';
import { codes, itemService, rowsOf } from './import-service.ts';

/** More failures in a row than `--retries` allows. */
const FAILURES = 4;

async function place(fate: Parameters<typeof itemService>[0] = () => undefined) {
  const service = await itemService(fate);
  const world = await freshWorld(service.target);
  const file = await world.file('items.csv', rowsOf(codes(5)));
  return { service, world, file };
}

describe('reads of an import are as patient as sending', () => {
  it('before it sends: the list of the plan, and it says why it waits', async () => {
    const { service, world, file } = await place();
    service.breakReads(FAILURES);
    const ran = await world.run(['items', 'import', file, '--yes']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(service.items).toHaveLength(5);
    const warnings = jsonLines(ran.stderr).flatMap(({ warning }) => warning ?? []);
    expect(warnings).toEqual([expect.stringContaining('proc reads again for up to 5m')]);
  });

  it('when it resumes', async () => {
    let isRefusing = true;
    const { service, world, file } = await place((_, nth) =>
      isRefusing && nth > 2 ? { status: 401 } : undefined,
    );
    const stopped = await world.run(['items', 'import', file, '--yes', 'PROC_CONCURRENCY=1']);
    expect(stopped.exitCode, stopped.stderr).toBe(10);
    isRefusing = false;
    service.breakReads(FAILURES);
    const ran = await world.run(['imports', 'resume', '--yes']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(service.codes()).toEqual(codes(5));
  });

  it('after it has sent: the check of what was created', async () => {
    const { service, world, file } = await place((_, nth) => {
      if (nth === 5) service.breakReads(FAILURES);
      return undefined;
    });
    const ran = await world.run(['items', 'import', file, '--yes', 'PROC_CONCURRENCY=1']);
    expect(ran.exitCode, ran.stderr).toBe(0);
    expect(JSON.parse(ran.stdout)).toMatchObject({ created: 5, verified: true });
  });

  it.each([
    ['a dry run ends after --retries', ['--dry-run', '--retries', '1']],
    ['PROC_PATIENCE ends it', ['--yes', 'PROC_PATIENCE=1ms']],
  ])('%s, and nothing was sent', async (_, flags) => {
    const { service, world, file } = await place();
    service.breakReads(100);
    const ran = await world.run(['items', 'import', file, ...flags]);
    expect(errorOf(ran).exitCode).toBe(7);
    expect(service.creates()).toBe(0);
  });
});
