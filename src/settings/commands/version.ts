import { arch, platform } from 'node:os';
import { versions } from 'node:process';
import { command } from '../../core/command.ts';
import { VERSION } from '../../core/proc-version.ts';

/** The version of the service's interface description that proc implements (docs/service-contract.md §9). */
const CONTRACT_VERSION = '1.0.0';

export const version = command({
  path: ['version'],
  changes: 'nothing',
  prints: 'record',
  shape: ({ z, record }) =>
    record(
      z.looseObject({
        version: z.string(),
        node: z.string(),
        platform: z.string(),
        arch: z.string(),
        contract: z.string(),
      }),
    ),
  summary: 'Print the version of proc and what it runs on',
  description: 'To print only the number: proc --version.',
  examples: [
    { run: 'proc version', doc: 'the version, Node.js and the platform' },
    { run: 'proc version -q version', doc: 'only the version, for a script' },
  ],
  needs: [],
  async run() {
    return {
      kind: 'record',
      idField: 'version',
      value: {
        version: VERSION,
        node: versions.node,
        platform: platform(),
        arch: arch(),
        contract: CONTRACT_VERSION,
      },
    };
  },
});
