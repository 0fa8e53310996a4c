#!/usr/bin/env node
'use strict';
// Old syntax on purpose: a Node that is too old must be able to parse this file and print the error.
var wanted = [22, 19];
var found = process.versions.node.split('.').map(Number);
var isTooOld = found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1]);
var message = `proc needs Node.js ${wanted.join('.')} or newer, this is ${process.versions.node}`;
if (isTooOld) {
  process.stderr.write(
    `${
      errorsAreJson()
        ? JSON.stringify({
            error: { code: 'invalid_usage', message: message, exitCode: 2, retry: 'never' },
          })
        : `error: ${message}`
    }\n`,
  );
  process.exit(2);
}

// JSON if stderr is no terminal and the output is JSON. Flags are not read here.
function errorsAreJson() {
  if (process.stderr.isTTY) return false;
  var format = process.env.PROC_OUTPUT || (process.stdout.isTTY ? 'table' : 'json');
  return format === 'json' || format === 'ndjson';
}

var os = require('node:os');
var path = require('node:path');

// Compiled code is kept between starts, in a folder that only this user can write to.
function cacheFolder() {
  if (process.platform === 'win32') return process.env.LOCALAPPDATA || os.tmpdir();
  return process.env.XDG_CACHE_HOME || path.join(os.homedir(), '.cache');
}
try {
  const fs = require('node:fs');
  let folder = cacheFolder();
  // One by one: the option `recursive` loops for ever in /proc.
  for (const name of ['', 'proc', 'compiled']) {
    folder = path.join(folder, name);
    if (!fs.existsSync(folder)) fs.mkdirSync(folder, { mode: 0o700 });
  }
  // Code is run from there: a folder that others may write to is not used.
  const { uid, mode } = fs.statSync(folder);
  const isOwn =
    process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
  if (!isOwn) throw new Error('not ours');
  require('node:module').enableCompileCache(folder);
} catch {
  // Without a cache folder proc works, a little slower.
}

if (!require('node:fs').existsSync(path.join(__dirname, '../dist/main.cjs'))) {
  process.stderr.write('error: proc is not built here\n  hint: run npm run build\n');
  process.exit(3);
}

// With NODE_DEBUG, Node writes requests with their headers to process.stderr, and so the key. proc writes to the
// stream that it is given.
var stderr = process.stderr;
var streams = process;
if (process.env.NODE_DEBUG) {
  streams = {
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    stderr: stderr,
  };
  Object.defineProperty(process, 'stderr', {
    value: {
      write: () => true,
    },
  });
}

require(process.argv[2] === '__complete' ? '../dist/complete.cjs' : '../dist/main.cjs')
  .main(process.argv.slice(2), streams, process.env)
  .then((code) => {
    // All output was written. Without this, an open pipe on stdin would keep the process running.
    process.exit(code);
  });
