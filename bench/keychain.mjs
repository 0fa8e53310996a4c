// npm run bench:keychain: keys in a real GNOME Keyring, with its own D-Bus and a fresh home folder.
// Also compares the tests' stand-in for secret-tool with the real program, and tries `pass`. Exits
// 1 if something differs from docs/profiles.md.
// Debian: apt-get install libsecret-tools gnome-keyring dbus-x11 libglib2.0-bin pass gnupg
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { installSecretTool } from '../test/support/secret-tool.ts';
import { paired } from './paired.mjs';

const BIN = resolve(import.meta.dirname, '..', 'bin', 'proc.js');
const NEEDED = ['secret-tool', 'gnome-keyring-daemon', 'dbus-run-session', 'gdbus', 'pass', 'gpg'];
const KEY = 'canary-key-7c2e51';
/** Answers every request with an empty list, if it has the key. */
const SERVICE = `require('node:http').createServer((request, answer) => {
  answer.writeHead(request.headers['x-api-key'] === process.argv[1] ? 200 : 401).end('[]');
}).listen(0, '127.0.0.1', function () { process.stdout.write(String(this.address().port)); })`;
const SECRETS = 'org.freedesktop.secrets';
const COLLECTION = '/org/freedesktop/secrets/collection/login';
const [, , home] = process.argv;
let daemon;

if (home === undefined) {
  const missing = NEEDED.filter((name) => spawnSync('which', [name]).status !== 0);
  if (missing.length > 0) {
    console.error(`not installed: ${missing.join(', ')}`);
    process.exit(1);
  }
  const folder = mkdtempSync(join(tmpdir(), 'proc-keychain-'));
  chmodSync(folder, 0o700);
  try {
    const env = { PATH: process.env.PATH, HOME: folder, XDG_RUNTIME_DIR: folder, LC_ALL: 'C' };
    const argv = ['--', process.execPath, import.meta.filename, folder];
    const session = spawnSync('dbus-run-session', argv, {
      env,
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    process.exitCode = session.status ?? 1;
    // stderr also has messages of D-Bus and of the keyring, so it is printed only after a failure.
    if (session.status !== 0) console.error(String(session.stderr));
  } finally {
    spawnSync('gpgconf', ['--kill', 'all'], {
      env: { ...process.env, GNUPGHOME: join(folder, 'gnupg') },
    });
    rmSync(folder, { recursive: true, force: true });
  }
} else {
  await inSession();
}

async function inSession() {
  // A wrapper that records the arguments: other users of the machine could see a key there.
  const bin = join(home, 'bin');
  mkdirSync(bin);
  const real = execFileSync('which', ['secret-tool'], { encoding: 'utf8' }).trim();
  const argvLog = join(home, 'argv.log');
  writeFileSync(
    join(bin, 'secret-tool'),
    `#!/bin/sh\nprintf '%s\\n' "$*" >> '${argvLog}'\nexec '${real}' "$@"\n`,
    { mode: 0o755 },
  );
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    PROC_CONFIG_DIR: join(home, 'config'),
    PROC_STATE_DIR: join(home, 'state'),
    PROC_ERRORS: 'json',
  };
  const proc = (line, input = '', more = {}) =>
    spawnSync(process.execPath, [BIN, ...line.split(' ')], {
      ...{ env: { ...env, ...more }, input, encoding: 'utf8' },
    });
  const config = () => readFileSync(join(env.PROC_CONFIG_DIR, 'config.json'), 'utf8');
  const service = spawn(process.execPath, ['-e', SERVICE, KEY], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const [port] = await once(service.stdout, 'data');
    const url = `http://127.0.0.1:${port}/api/v1`;
    await unlock();
    proc(`profile add acme -e live --base-url ${url}`);

    const login = 'auth login -p acme -e live';
    const stored = proc(`${login} --store secret-tool --api-key-stdin`, KEY);
    check('auth login --store puts the key into the keyring', stored.status === 0);
    const status = JSON.parse(proc('auth status -p acme -e live').stdout);
    check('a request gets the key', status.check === 'ok' && status.store === 'secret-tool');
    check('the key is in no file and in no argument', !anywhere(home, KEY));

    proc('auth logout -p acme -e live');
    check('auth logout removes it', !isListed(real));
    proc(`${login} --api-key-stdin`, KEY);
    check('a key in the configuration file is found by this search', anywhere(home, KEY));
    const moved = proc(`${login} --store secret-tool`);
    check('auth login --store moves it to the keyring', moved.status === 0 && !anywhere(home, KEY));
    check('and proc still works', proc('orders list -p acme -e live').status === 0);

    lock();
    const before = config();
    const read = errorOf(proc('orders list -p acme -e live'));
    check('locked: a read says so', read.exitCode === 3 && read.message.includes('is locked'));
    const locked = errorOf(proc(`${login} --store secret-tool --api-key-stdin`, 'another-key'));
    check('locked: nothing is stored', locked.code === 'credential_store' && locked.exitCode === 3);
    const kept = errorOf(proc('auth logout -p acme -e live'));
    check('locked: auth logout fails', kept.code === 'credential_store' && config() === before);
    await unlock();
    check('unlocked again', proc('orders list -p acme -e live').status === 0);

    const none = { DBUS_SESSION_BUS_ADDRESS: '', XDG_RUNTIME_DIR: '' };
    const absent = errorOf(proc(`${login} --store secret-tool --api-key-stdin`, KEY, none));
    check('no Secret Service: nothing is stored', absent.code === 'credential_store');
    check('the configuration is as before', config() === before);

    proc(`profile add file -e live --base-url ${url}`);
    proc('auth login -p file -e live --api-key-stdin', 'a-key-in-a-file');
    measure('secret-tool', env);
    const gone = proc('profile remove acme --yes');
    check('profile remove removes it', gone.status === 0 && !isListed(real));

    await compareStandIn(real);
    tryPass(proc, url, env);
  } finally {
    service.kill();
    await endDaemon();
  }
}

function tryPass(proc, url, env) {
  const GNUPGHOME = join(home, 'gnupg');
  mkdirSync(GNUPGHOME, { mode: 0o700 });
  env.GNUPGHOME = GNUPGHOME;
  const run = (argv, input) => execFileSync(argv[0], argv.slice(1), { env, input, stdio: 'pipe' });
  run([
    'gpg',
    '--batch',
    '--passphrase',
    '',
    '--quick-gen-key',
    'proc bench',
    'default',
    'default',
  ]);
  run(['pass', 'init', 'proc bench']);
  run(['pass', 'insert', '--echo', 'proc/acme/staging'], `${KEY}\n`);
  proc(`profile add acme -e live --base-url ${url}`);
  const set = [
    'profile',
    'set',
    'acme',
    '-e',
    'live',
    'credentialCommand=pass show proc/acme/staging',
  ];
  spawnSync(process.execPath, [BIN, ...set], { env });
  const { status, stdout } = proc('auth status -p acme -e live');
  check('pass: the recipe gives the key', status === 0 && JSON.parse(stdout).check === 'ok');
  measure('pass', env);
}

/** Compares a key in a keychain with the same key in the configuration file. */
function measure(name, env) {
  const words = [BIN, 'auth', 'status', '-p', 'acme', '-e', 'live', '--offline'];
  const reference = words.map((word) => (word === 'acme' ? 'file' : word));
  const { ratio, low, high } = paired({ subject: words, reference, env, runs: 15 });
  const figures = `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`;
  console.log(`  ${name}: ${figures} × the same command with the key in the file`);
}

/** The stand-in of the tests must answer as the real program, locked or not. */
async function compareStandIn(real) {
  const folder = join(home, 'stand-in');
  mkdirSync(folder);
  const keyring = installSecretTool(folder);
  const place = [
    'service',
    'proc',
    'profile',
    'p',
    'environment',
    'e',
    'origin',
    'https://a.example',
  ];
  const ask = (tool, verb, input) => {
    const argv = verb === 'store' ? ['store', '--label', 'proc: p/e', ...place] : [verb, ...place];
    const { status, stdout, stderr } = spawnSync(tool, argv, {
      input: input ?? '',
      encoding: 'utf8',
    });
    return JSON.stringify({
      status,
      stdout: verb === 'search' ? stdout !== '' : stdout,
      // For `search`, the real secret-tool lists attributes on stderr.
      error:
        verb === 'search' ? '' : stderr.split('\n').find((one) => one.startsWith('secret-tool')),
    });
  };
  const steps = [
    ...['lookup', 'clear', 'search', 'store', 'lookup', 'search', 'locked'],
    ...['lookup', 'search', 'store', 'clear', 'unlocked', 'lookup', 'clear', 'lookup', 'search'],
  ];
  for (const step of steps) {
    if (step === 'locked' || step === 'unlocked') {
      keyring.set(step);
      if (step === 'locked') lock();
      else await unlock();
      continue;
    }
    const [actual, standIn] = [real, join(folder, 'secret-tool')].map((tool) =>
      ask(tool, step, 'key'),
    );
    check(
      `the stand-in answers ${step} like the real program`,
      actual === standIn,
      `${actual} ${standIn}`,
    );
  }
}

/** Restarts the daemon, which unlocks the keyring with the login password. */
async function unlock() {
  await endDaemon();
  daemon = spawn('gnome-keyring-daemon', ['--foreground', '--unlock', '--components=secrets'], {
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  daemon.stdin.end('pw');
  const isThere = () =>
    dbus('DBus', '/org/freedesktop/DBus', 'NameHasOwner', SECRETS).includes('true');
  for (let tries = 0; tries < 100 && !isThere(); tries++) await sleep(50);
}

async function endDaemon() {
  if (daemon === undefined) return;
  const ended = once(daemon, 'exit');
  daemon.kill();
  await ended;
}

function lock() {
  dbus('secrets', '/org/freedesktop/secrets', 'Secret.Service.Lock', `['${COLLECTION}']`);
}

function dbus(service, path, method, argument) {
  const name = method.includes('.') ? method : `DBus.${method}`;
  const target = ['--dest', `org.freedesktop.${service}`, '--object-path', path];
  const call = ['--method', `org.freedesktop.${name}`, argument];
  return execFileSync('gdbus', ['call', '--session', ...target, ...call], { encoding: 'utf8' });
}

function isListed(real) {
  return (
    execFileSync(real, ['search', '--all', 'service', 'proc'], {
      encoding: 'utf8',
      stdio: 'pipe',
    }) !== ''
  );
}

function anywhere(folder, key) {
  const forms = [key, Buffer.from(key).toString('base64').replace(/=+$/, '')];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some((entry) => {
      const text = readFileSync(join(entry.parentPath, entry.name), 'latin1');
      return forms.some((form) => text.includes(form));
    });
}

function errorOf({ stderr }) {
  const lines = stderr.split('\n').filter((line) => line.startsWith('{"error"'));
  return lines.length === 1 ? JSON.parse(lines[0]).error : { message: stderr };
}

function check(what, isRight, details = '') {
  console.log(`${isRight ? '✓' : '✗'} ${what}${isRight ? '' : ` ${details}`}`);
  if (!isRight) process.exitCode = 1;
}
