import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

export interface Runnable {
  readonly file: string;
  readonly args: readonly string[];
}

/**
 * Uses an artefact with few variables and an empty PATH: starts the sandbox, reads a list,
 * imports a file, and asks for completion.
 *
 * @param folder an empty folder
 * @throws Error that names the first step with a wrong result
 */
export async function smoke(
  { file, args }: Runnable,
  version: string,
  folder: string,
): Promise<number> {
  mkdirSync(folder, { recursive: true });
  // The current folder may belong to somebody else, so a runtime must ignore these files.
  writeFileSync(join(folder, '.env'), 'PROC_OUTPUT=none\n');
  writeFileSync(join(folder, 'bunfig.toml'), 'preload = ["./missing.js"]\n');
  const env: Record<string, string> = { PATH: '', HOME: folder };
  let steps = 0;
  const expect = (words: readonly string[], wanted: RegExp) => {
    const said = execFileSync(file, [...args, ...words], { env, cwd: folder, encoding: 'utf8' });
    if (!wanted.test(said)) throw new Error(`proc ${words.join(' ')} printed: ${said}`);
    steps++;
  };
  expect(['--version'], new RegExp(`^${version.replaceAll('.', '\\.')}\\n$`));
  expect(['orders', '--help'], /^Usage: proc orders/);
  expect(['completion', 'bash'], /__complete/);
  expect(['__complete', 'bash', '1', 'proc', 'ord'], /ders/);
  const sandbox = spawn(
    file,
    [...args, 'sandbox', 'start', '--port', '0', '--ephemeral', '--quiet'],
    { env, cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] },
  );
  try {
    const { url } = JSON.parse(await firstLine(sandbox)) as { readonly url: string };
    env.PROC_BASE_URL = url;
    expect(['orders', 'list', '--limit', '2', '-o', 'json'], /"code": "PO-00001"/);
    writeFileSync(join(folder, 'items.csv'), 'code,name\n00017,Ménsula\n00018,Anvil\n');
    expect(['items', 'import', 'items.csv', '--yes', '-o', 'json'], /"created": 2/);
    expect(['items', 'find', '00017', '-o', 'json'], /Ménsula/);
    expect(['imports', 'list', '-o', 'json'], /"created": 2/);
    if (process.platform !== 'win32') await createFromPipe();
  } finally {
    const ended = new Promise((resolve) => sandbox.once('exit', resolve));
    sandbox.kill('SIGTERM');
    await ended;
  }
  return steps;

  /** As with `--file <(…)`. */
  async function createFromPipe(): Promise<void> {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const child = spawn(file, [...args, 'items', 'create', '--file', pipe, '-o', 'json'], {
      env,
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await writeFile(pipe, '{"name": "Piped"}');
    let said = '';
    for await (const chunk of child.stdout) said += chunk;
    if (!said.includes('"Piped"')) throw new Error(`items create --file PIPE printed: ${said}`);
    steps++;
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout! }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the sandbox ended with ${code}`)));
  });
}
