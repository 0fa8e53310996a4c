#!/usr/bin/env node
'use strict';
// The door. Old syntax on purpose: an old Node must be able to read this far and say so.
var wanted = [22, 19];
var found = process.versions.node.split('.').map(Number);
if (found[0] < wanted[0] || (found[0] === wanted[0] && found[1] < wanted[1])) {
  process.stderr.write(
    'error: proc needs Node.js ' +
      wanted.join('.') +
      ' or newer, this is ' +
      process.versions.node +
      '\n',
  );
  process.exit(2);
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
  const folder = path.join(cacheFolder(), 'proc', 'compiled');
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  require('node:module').enableCompileCache(folder);
} catch {
  // Without a cache folder proc works, a little slower.
}

if (!require('node:fs').existsSync(path.join(__dirname, '../dist/main.cjs'))) {
  process.stderr.write('error: proc is not built here\n  hint: run npm run build\n');
  process.exit(3);
}

require('../dist/main.cjs')
  .main(process.argv.slice(2), process, process.env)
  .then((code) => {
    // All output has left; what is still open (a silent pipe) must not hold the process.
    process.exit(code);
  });
