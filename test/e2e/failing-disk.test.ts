import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { binary } from '../support/built.ts';
import { loggedSandbox } from '../support/service.ts';
import { type Fault, hasStrace, withFault } from './failing-disk.ts';

// A few of the calls; `npm run bench:disk` tests all of them.
const FAULTS: readonly Fault[] = [
  { work: 'create', call: 'pwrite64', error: 'ENOSPC', nth: 70 },
  { work: 'create', call: 'fsync', error: 'EIO', nth: 2 },
  { work: 'import', call: 'pwrite64', error: 'EIO', nth: 120 },
  // One of the last writes, after everything was sent.
  { work: 'import', call: 'pwrite64', error: 'ENOSPC', nth: 204 },
  { work: 'import', call: 'fsync', error: 'EIO', nth: 36 },
  { work: 'import', call: 'fdatasync', error: 'EIO', nth: 1 },
];
const title = hasStrace ? '' : ' (SKIPPED: strace is missing)';

it.skipIf(!hasStrace).each(FAULTS)(
  `one $call of "$work" fails with $error: nothing is lost or created twice, and the work can be completed${title}`,
  async (fault) => {
    const folder = await mkdtemp(join(tmpdir(), 'proc-disk-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const sandbox = await loggedSandbox();
    onTestFinished(() => sandbox.close());
    const { PROC_BASE_URL: url, PROC_API_KEY: key } = sandbox.target;
    const service = { url: url!, key: key!, db: sandbox.dbPath };
    const { isHit, wrong } = await withFault(fault, service, binary(), folder);
    expect({ isHit, wrong }).toEqual({ isHit: true, wrong: [] });
  },
  60_000,
);
