import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const ROOT = resolve(import.meta.dirname, '../..');

export interface BundledLibrary {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The libraries in `dist/`, as the file of licences names them. */
export function bundledLibraries(): BundledLibrary[] {
  const text = readFileSync(join(ROOT, 'dist/third-party-licenses.txt'), 'utf8');
  return [...text.matchAll(/^(\S+) (\d\S*) \((.+)\)\n-{72}$/gm)].map(
    ([, name, version, license]) => ({ name: name!, version: version!, license: license! }),
  );
}

/**
 * A software bill of materials in CycloneDX 1.6. Has no serial number, so that the same release
 * gives the same bytes.
 */
export function sbomOf(
  own: { readonly name: string; readonly version: string; readonly license: string },
  runtime: { readonly name: string; readonly version: string; readonly license: string },
  bytes: Buffer,
  date: Date,
): Buffer {
  const components = [
    ...bundledLibraries().map((library) => ({
      type: 'library',
      'bom-ref': purlOf(library),
      name: library.name,
      version: library.version,
      licenses: [{ expression: library.license }],
      purl: purlOf(library),
    })),
    {
      type: 'platform',
      'bom-ref': purlOf(runtime),
      name: runtime.name,
      version: runtime.version,
      hashes: [{ alg: 'SHA-256', content: createHash('sha256').update(bytes).digest('hex') }],
      licenses: [{ expression: runtime.license }],
      purl: purlOf(runtime),
    },
  ];
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      timestamp: date.toISOString(),
      component: {
        type: 'application',
        'bom-ref': purlOf(own),
        name: own.name,
        version: own.version,
        licenses: [{ expression: own.license }],
        purl: purlOf(own),
      },
    },
    components,
    dependencies: [{ ref: purlOf(own), dependsOn: components.map(({ purl }) => purl) }],
  };
  return Buffer.from(`${JSON.stringify(bom, null, 2)}\n`);
}

function purlOf({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
