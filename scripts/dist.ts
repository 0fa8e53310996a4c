// npm run dist: portable archives that need no installed Node, each with a list of its components
// (SBOM). Two builds of one commit are equal, byte for byte.
//
//   npm run dist [-- PLATFORM …]     default: all; written to release/
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ArchiveFile, writeArchive } from './release/archive.ts';
import { CMD_LAUNCHER, SH_LAUNCHER } from './release/launchers.ts';
import { filesOfPackage, ownFiles } from './release/npm-package.ts';
import { PLATFORMS, type Platform } from './release/platforms.ts';
import { currentRelease, type Release, sha256 } from './release/release.ts';
import { sbomOf } from './release/sbom.ts';

const ROOT = resolve(import.meta.dirname, '..');
const OUT = join(ROOT, 'release');
const DEVELOPED_WITH = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).devDependencies
  .node;

// Dates in a zip file are local times.
process.env.TZ = 'UTC';
const wanted = process.argv.slice(2);
const unknown = wanted.find((name) => !PLATFORMS.some((platform) => platform.name === name));
if (unknown !== undefined) {
  const names = PLATFORMS.map(({ name }) => name).join(', ');
  console.error(`error: no such platform: ${unknown}; one of: ${names}`);
  process.exit(2);
}
const release = currentRelease();
const own = ownFiles();
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT);
const sums: string[] = [];
for (const platform of PLATFORMS) {
  if (wanted.length > 0 && !wanted.includes(platform.name)) continue;
  const { archive, bytes, sbom } = await build(platform, release);
  const nodeNote =
    platform.version === DEVELOPED_WITH ? '' : `: npm has no build of ${DEVELOPED_WITH} for it`;
  console.log(`${archive}  ${(bytes / 1e6).toFixed(1)} MB  Node ${platform.version}${nodeNote}`);
  for (const file of [archive, sbom]) {
    sums.push(`${sha256(readFileSync(join(OUT, file)))}  ${file}`);
  }
}
writeFileSync(join(OUT, 'SHA256SUMS'), `${sums.join('\n')}\n`);

async function build(platform: Platform, { name, version, license, date }: Release) {
  const folder = `${name}-${version}-${platform.name}`;
  const isWindows = platform.kind === 'zip';
  const [node] = await filesOfPackage(platform, [platform.node[0]]);
  if (node === undefined) throw new Error(`${platform.npm} contains no ${platform.node[0]}`);
  const runtime = { name: platform.npm, version: platform.version, license: 'MIT' };
  const sbom = sbomOf({ name, version, license }, runtime, node.bytes, date);
  const files: ArchiveFile[] = [
    ...own.map((path) => ({
      path,
      bytes: readFileSync(join(ROOT, path)),
      isExecutable: path === 'bin/proc.js',
    })),
    { path: platform.node[1], bytes: node.bytes, isExecutable: true },
    {
      path: isWindows ? 'proc.cmd' : 'proc',
      bytes: Buffer.from(isWindows ? CMD_LAUNCHER : SH_LAUNCHER),
      isExecutable: true,
    },
    { path: 'node-license.txt', bytes: await nodeLicence(platform), isExecutable: false },
    { path: 'sbom.cdx.json', bytes: sbom, isExecutable: false },
  ];
  const archive = `${folder}.${platform.kind}`;
  await writeArchive(join(OUT, archive), folder, files, date);
  writeFileSync(join(OUT, `${folder}.sbom.cdx.json`), sbom);
  return {
    archive,
    bytes: readFileSync(join(OUT, archive)).length,
    sbom: `${folder}.sbom.cdx.json`,
  };
}

/** The npm package for Windows has no licence file. The package for Linux has the same licence. */
async function nodeLicence(platform: Platform): Promise<Buffer> {
  const [own] = await filesOfPackage(platform, ['LICENSE']);
  const [linux] = own === undefined ? await filesOfPackage(PLATFORMS[0]!, ['LICENSE']) : [own];
  if (linux === undefined) throw new Error('no licence of Node found');
  return linux.bytes;
}
