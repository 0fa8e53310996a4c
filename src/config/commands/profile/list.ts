import { command } from '../../../context.ts';
import {
  defaultEnvironment,
  environmentNames,
  profileNames,
  readConfig,
} from '../../config-file.ts';

export const list = command({
  path: ['profile', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List profiles and their environments',
  examples: [
    { run: 'proc profile list', doc: 'all profiles, the current one marked' },
    { run: 'proc profile list -o id', doc: 'only the names' },
  ],
  exitCodes: [3],
  async run(ctx) {
    const config = readConfig(ctx.env);
    return {
      kind: 'rows',
      columns: [
        { key: 'profile', header: 'PROFILE', priority: 3 },
        { key: 'current', header: 'CURRENT', priority: 2 },
        { key: 'environments', header: 'ENVIRONMENTS', priority: 2 },
        { key: 'defaultEnvironment', header: 'DEFAULT' },
      ],
      rows: profileNames(config).map((profile) => ({
        profile,
        current: profile === config.profile,
        environments: environmentNames(config, profile),
        defaultEnvironment: defaultEnvironment(config, profile) ?? null,
      })),
      idField: 'profile',
      empty: 'No profiles. To add one: proc setup',
    };
  },
});
