import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { spawn } from '@lydell/node-pty';
import { describe, expect, it, onTestFinished } from 'vitest';
import { binary } from '../support/built.ts';
import { isInstalled } from '../support/installed.ts';
import { startPty } from '../support/pty.ts';
import { errorOf, freshWorld, type World } from '../support/run.ts';
import { startTestSandbox } from '../support/sandbox.ts';

async function pathOf(world: World): Promise<string> {
  const bin = join(world.folder, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'proc'), `#!/bin/sh\nexec ${process.execPath} ${binary()} "$@"\n`);
  await chmod(join(bin, 'proc'), 0o755);
  return `${bin}${delimiter}${process.env.PATH}`;
}

/** Types keys into a new interactive shell with a fresh home, and waits until the text is shown. */
async function completes(shell: string, world: World, keys: string, wanted: string): Promise<void> {
  const pty = spawn(shell, ['-i'], {
    name: 'xterm',
    cols: 120,
    rows: 40,
    cwd: world.cwd,
    env: { ...world.env, PATH: await pathOf(world), TERM: 'xterm', LANG: 'C.UTF-8', PS1: '$ ' },
  });
  onTestFinished(() => pty.kill('SIGKILL'));
  let text = '';
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(JSON.stringify(text))), 20_000);
    let isReady = false;
    pty.onData((data) => {
      text += data;
      if (!isReady && text.includes('rea-dy')) {
        isReady = true;
        pty.write(keys);
      }
      if (text.includes(wanted)) {
        clearTimeout(late);
        resolve();
      }
    });
    pty.write("printf 'rea-%s\\n' dy\r");
  });
}

const install = (world: World, shell: string) =>
  world.spawn(['completion', 'install', shell, '--yes', '-o', 'json']);

describe.each(['bash', 'zsh', 'fish'].filter(isInstalled))('on a fresh machine, %s', (shell) => {
  it('completes after the installation', async () => {
    const world = await freshWorld();
    const { exitCode, stdout } = await install(world, shell);
    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ shell, changed: true });
    await completes(shell, world, 'proc orders summ\t', 'summary');
  });

  it('is changed once, however often it is installed', async () => {
    const world = await freshWorld();
    await install(world, shell);
    const again = await install(world, shell);
    expect(JSON.parse(again.stdout)).toEqual({ shell, changed: false, writes: [] });
  });
});

it('works in bash with bash-completion', async () => {
  const system = '/usr/share/bash-completion/bash_completion';
  const world = await freshWorld();
  const line = existsSync(system) ? `. ${system}` : 'set -o posix; set +o posix';
  await writeFile(join(world.folder, '.bashrc'), `${line}\n`);
  await install(world, 'bash');
  const lines = (await readFile(join(world.folder, '.bashrc'), 'utf8')).split('\n');
  expect(lines).toEqual([line, expect.stringMatching(/^\[ -r .*# proc completion$/), '']);
  await completes('bash', world, 'proc orders summ\t', 'summary');
});

it('for PowerShell writes the script and a line that loads it', async () => {
  const world = await freshWorld();
  const { stdout } = await install(world, 'powershell');
  const [script, profile] = JSON.parse(stdout).writes as { file: string }[];
  const text = await readFile(profile!.file, 'utf8');
  expect(profile!.file.endsWith('Microsoft.PowerShell_profile.ps1')).toBe(true);
  expect(text).toBe(`. '${script!.file}' # proc completion\n`);
  expect(await readFile(script!.file, 'utf8')).toContain('Register-ArgumentCompleter -Native');
});

it('keeps a start-up file that is a link, its mode and its other lines', async () => {
  const world = await freshWorld();
  const dotfile = join(world.folder, 'dotfiles-bashrc');
  await writeFile(dotfile, 'export A=1\n. /elsewhere # proc completion\nexport B=2');
  await chmod(dotfile, 0o640);
  await symlink(dotfile, join(world.folder, '.bashrc'));
  await install(world, 'bash');
  const lines = (await readFile(dotfile, 'utf8')).split('\n');
  expect(lines).toEqual([
    'export A=1',
    'export B=2',
    expect.stringMatching(/^\[ -r .*\/completions\/proc # proc completion$/),
    '',
  ]);
  expect((await stat(dotfile)).mode & 0o777).toBe(0o640);
});

it('shows what it writes and asks, and writes nothing without an answer', async () => {
  const world = await freshWorld({ SHELL: '/bin/zsh' });
  const refused = await world.spawn(['completion', 'install']);
  expect(errorOf(refused)).toMatchObject({
    code: 'confirmation_required',
    hint: 'Add --yes: proc completion install --yes',
  });
  const dry = await world.spawn(['completion', 'install', '--dry-run']);
  expect(JSON.parse(dry.stdout)).toMatchObject({ dryRun: true, shell: 'zsh', changed: true });
  const terminal = startPty(world, ['completion', 'install']);
  await terminal.waitFor('Install completion for zsh?');
  expect(terminal.text()).toContain('.zshrc');
  expect(terminal.text()).toContain('the completion script');
  terminal.type('n\r');
  expect(await terminal.exited).toBe(2);
  expect(existsSync(join(world.folder, '.zshrc'))).toBe(false);
});

it.each([
  ['', 'SHELL is not set, so proc does not know your shell'],
  ['/bin/tcsh', 'proc has no completion for the shell in SHELL, "/bin/tcsh"'],
])('asks for the name of the shell if SHELL is %j', async (SHELL, message) => {
  const world = await freshWorld({ SHELL });
  const ran = await world.run(['completion', 'install', '--dry-run']);
  expect(ran.exitCode).toBe(2);
  expect(errorOf(ran)).toMatchObject({
    message,
    hint: 'Name the shell that you use, e.g.: proc completion install bash',
  });
});

it('never offers a record that was deleted from this machine', async () => {
  const { baseUrl } = await startTestSandbox();
  const world = await freshWorld({ PROC_BASE_URL: baseUrl });
  const offered = async (...words: readonly string[]) =>
    (await world.run(['__complete', 'fish', ...words])).stdout;
  const list = startPty(world, ['sectors', 'list']);
  expect(await list.exited).toBe(0);
  expect(await offered('sectors', 'get', 'road')).toContain('road-bikes');
  await world.run(['sectors', 'delete', 'sec-2', '--yes']);
  expect(await offered('sectors', 'get', 'road')).not.toContain('road-bikes');
  expect(await offered('sectors', 'get', 'road')).toContain('road-frames');
});
