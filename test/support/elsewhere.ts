import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Every test runs as on another machine: another time zone, another language, no home folder, files that
// others may not read. So anything that depends on this machine fails at once.
process.env.TZ = 'Asia/Kathmandu';
process.env.LANG = 'es_ES.UTF-8';
process.env.HOME = join(tmpdir(), 'no-such-home');
process.umask(0o077);
