// Runs the built program in a real pseudo-terminal, with a sandbox and folders of its own.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { spawn } from '@lydell/node-pty';

const ROOT = resolve(import.meta.dirname, '..');
const BINARY = join(ROOT, 'bin/proc.js');
const PROC = `#!/bin/sh\nexec '${process.execPath}' '${BINARY}' "$@"\n`;

export interface Step {
  /** In the shell, in a folder of its own. `examples` is there too. */
  readonly line: string;
  /** Wait for this text, then press Enter. */
  readonly confirmAt?: string;
}

export interface SandboxTerminal {
  received(step: Step, columns: number): Promise<string>;
  writeFile(name: string, text: string): void;
}

export async function withSandboxTerminal<T>(
  use: (terminal: SandboxTerminal) => Promise<T>,
): Promise<T> {
  const home = mkdtempSync(join(tmpdir(), 'proc-screenshot-'));
  const bin = join(home, 'bin');
  mkdirSync(bin);
  writeFileSync(join(bin, 'proc'), PROC, { mode: 0o755 });
  symlinkSync(join(ROOT, 'examples'), join(home, 'examples'));
  const env = {
    PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
    HOME: home,
    TZ: 'UTC',
    PROC_CONFIG_DIR: join(home, 'config'),
    PROC_STATE_DIR: join(home, 'state'),
  };
  const proc = (...args: string[]) =>
    execFileSync(process.execPath, [BINARY, ...args], { env, cwd: home });
  try {
    proc('sandbox', 'start', '--detach', '--ephemeral', '--port', '0', '--quiet');
    return await use({
      received: (step, columns) => received(step, columns, home, env),
      writeFile: (name, text) => writeFileSync(join(home, name), text),
    });
  } finally {
    proc('sandbox', 'stop', '--quiet');
    rmSync(home, { recursive: true, force: true });
  }
}

function received(
  { line, confirmAt }: Step,
  columns: number,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  const terminal = spawn('sh', ['-c', line], {
    name: 'xterm-256color',
    cols: columns,
    rows: 50,
    cwd,
    env: { ...env, TERM: 'xterm-256color' },
  });
  let text = '';
  let isConfirmed = confirmAt === undefined;
  terminal.onData((data) => {
    text += data;
    if (isConfirmed || !text.includes(confirmAt!)) return;
    isConfirmed = true;
    terminal.write('\r');
  });
  return new Promise((done) => terminal.onExit(() => done(text)));
}
