// npm run release:check: builds a whole release and checks it: checksums, lists of components,
// licences, sizes, signatures, and a short use of each artefact that this machine can run. Builds
// the archives twice, because their bytes must be equal.
// Not part of CI: it downloads 300 MB and takes ten minutes.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { filesOfPackage, ownFiles } from './release/npm-package.ts';
import { PLATFORMS } from './release/platforms.ts';
import { currentRelease, sha256 } from './release/release.ts';
import { bundledLibraries } from './release/sbom.ts';
import { officialSignature } from './release/signature.ts';
import { type Runnable, smoke } from './release/smoke.ts';

const ROOT = resolve(import.meta.dirname, '..');
const OUT = join(ROOT, 'release');
const SINGLE = join(ROOT, 'release-single');
const MAX_PACKAGE = 1.2e6;

const { name, version } = currentRelease();
const folder = mkdtempSync(join(tmpdir(), 'proc-release-'));
const rows: Record<string, string>[] = [];
const problems: string[] = [];
try {
  run('npm', ['run', '-s', 'dist']);
  const first = readFileSync(join(OUT, 'SHA256SUMS'), 'utf8');
  renameSync(OUT, join(folder, 'first'));
  run('npm', ['run', '-s', 'dist']);
  if (readFileSync(join(OUT, 'SHA256SUMS'), 'utf8') !== first) {
    problems.push('two builds of the archives differ');
  }
  run('npm', ['run', '-s', 'dist:single']);
  await checkPackage();
  for (const platform of PLATFORMS) await checkArchive(platform);
  await checkSingle();
  verifySums(OUT);
  verifySums(SINGLE);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.table(rows);
for (const problem of problems) console.error(`error: ${problem}`);
console.log(problems.length === 0 ? 'The release is good.' : 'The release is NOT good.');
process.exitCode = problems.length === 0 ? 0 : 1;

async function checkPackage(): Promise<void> {
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder]);
  const file = join(folder, `${name}-${version}.tgz`);
  const size = statSync(file).size;
  if (size > MAX_PACKAGE) problems.push(`the package has ${size} bytes, more than ${MAX_PACKAGE}`);
  const { dependencies, scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  if (dependencies !== undefined) problems.push('the package has runtime dependencies');
  for (const hook of ['preinstall', 'install', 'postinstall']) {
    if (scripts[hook] !== undefined) problems.push(`the package has a script: ${hook}`);
  }
  const prefix = join(folder, 'pre fijó');
  run('npm', ['install', '--silent', '--global', '--prefix', prefix, '--offline', file]);
  const script = join(prefix, 'lib/node_modules', name, 'bin/proc.js');
  await row('npm package', 'any', size, { file: process.execPath, args: [script] }, 'none');
}

async function checkArchive(platform: (typeof PLATFORMS)[number]): Promise<void> {
  const base = `${name}-${version}-${platform.name}`;
  const archive = join(OUT, `${base}.${platform.kind}`);
  const into = join(folder, 'con espacio y eñe', platform.name);
  mkdirSync(into, { recursive: true });
  if (platform.kind === 'zip') run('unzip', ['-q', archive, '-d', into]);
  else run('tar', ['-xzf', archive, '-C', into]);
  const tree = join(into, base);
  const [original] = await filesOfPackage(platform, [platform.node[0]]);
  const node = readFileSync(join(tree, platform.node[1]));
  if (!node.equals(original!.bytes)) problems.push(`${base}: its Node is not the official one`);
  checkSbom(`${base}`, JSON.parse(readFileSync(join(tree, 'sbom.cdx.json'), 'utf8')), node);
  const wanted = [...ownFiles(), 'LICENSE', 'node-license.txt', 'dist/third-party-licenses.txt'];
  for (const path of wanted) {
    if (!existsSync(join(tree, path))) problems.push(`${base}: ${path} is missing`);
  }
  const isHere = platform.name === `${process.platform}-${process.arch}`;
  await row(
    base,
    platform.name,
    statSync(archive).size,
    isHere ? { file: join(tree, 'proc'), args: [] } : undefined,
    officialSignature(node, platform.name) ?? problem(`${base}: its Node is not signed`),
  );
}

async function checkSingle(): Promise<void> {
  const file = join(SINGLE, `${name}-${version}-linux-x64`);
  const isHere = process.platform === 'linux' && process.arch === 'x64';
  const runnable = isHere ? { file, args: [] } : undefined;
  await row('single executable', 'linux-x64', statSync(file).size, runnable, 'none');
}

function checkSbom(
  base: string,
  bom: {
    readonly components: readonly {
      readonly name: string;
      readonly hashes?: readonly { readonly content: string }[];
    }[];
  },
  node: Buffer,
): void {
  const named = new Set(bom.components.map((component) => component.name));
  for (const library of bundledLibraries()) {
    if (!named.has(library.name)) problems.push(`${base}: its SBOM does not name ${library.name}`);
  }
  const hashes = bom.components.flatMap(({ hashes: own = [] }) =>
    own.map(({ content }) => content),
  );
  if (!hashes.includes(sha256(node))) problems.push(`${base}: its SBOM has another Node`);
}

async function row(
  artefact: string,
  platform: string,
  size: number,
  runnable: Runnable | undefined,
  signature: string,
): Promise<void> {
  const used =
    runnable === undefined
      ? 'not run on this machine'
      : await smoke(runnable, version, join(folder, `use of ${rows.length}`)).then(
          (steps) => `${steps} steps`,
          (thrown: Error) => problem(`${artefact}: ${thrown.message}`),
        );
  rows.push({
    artefact,
    platform,
    MB: (size / 1e6).toFixed(1),
    signature,
    used,
  });
}

function problem(text: string): string {
  problems.push(text);
  return 'WRONG';
}

function verifySums(where: string): void {
  const listed = readFileSync(join(where, 'SHA256SUMS'), 'utf8').trimEnd().split('\n');
  const files = readdirSync(where).filter((file) => file !== 'SHA256SUMS');
  const named = listed.map((line) => line.slice(66));
  for (const file of files.filter((one) => !named.includes(one))) {
    problems.push(`SHA256SUMS does not list ${file}`);
  }
  for (const line of listed) {
    const file = line.slice(66);
    if (sha256(readFileSync(join(where, file))) !== line.slice(0, 64)) {
      problems.push(`${file} differs from its checksum`);
    }
  }
}

function run(file: string, args: readonly string[]): void {
  execFileSync(file, args, { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
}
