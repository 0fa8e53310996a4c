import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Few machines have these settings, so a test that depends on the machine of its author fails at once.
process.env.TZ = 'Asia/Kathmandu';
process.env.LANG = 'es_ES.UTF-8';
process.env.HOME = join(tmpdir(), 'no-such-home');
process.umask(0o077);
