import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { endAll } from './at-end.ts';

// An unusual environment: a test that depends on the author's machine fails at once.
process.env.TZ = 'Asia/Kathmandu';
process.env.LANG = 'es_ES.UTF-8';
process.env.HOME = join(tmpdir(), 'no-such-home');
process.umask(0o077);

afterAll(endAll);
