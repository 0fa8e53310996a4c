import { expect, test } from 'vitest';
import { machineError } from '../../../src/core/errors.ts';

// 4874 is what SQLite says on a full disk if not even the file `-shm` beside a database can grow.
test.each([13, 4874])(
  '%i of SQLite: the disk is full, and the same command works later',
  (errcode) => {
    const thrown = Object.assign(new Error('disk I/O error'), {
      code: 'ERR_SQLITE_ERROR',
      errcode,
    });
    expect(machineError(thrown)).toMatchObject({ code: 'disk_full', retry: 'later' });
  },
);
