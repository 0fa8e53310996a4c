import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Every test runs as on somebody else's machine: another time zone, another language, no home folder,
// files that others may not read. What depends on ours shows at once.
process.env.TZ = 'Asia/Kathmandu';
process.env.LANG = 'es_ES.UTF-8';
process.env.HOME = join(tmpdir(), 'no-such-home');
process.umask(0o077);
