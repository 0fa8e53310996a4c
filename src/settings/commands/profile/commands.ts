import { type CommandSpec, command } from '../../../core/command.ts';
import { inShell } from '../../../core/text/typed.ts';
import { AS_TYPED, parseBaseUrl } from '../../read/base-url.ts';
import { SANDBOX_PROFILE } from '../../read/built-in.ts';
import {
  environmentNames,
  environmentNotFound,
  hasProfile,
  profileNames,
  profileNotFound,
} from '../../read/lookup.ts';
import { wantedProfile } from '../../read/select-target.ts';
import { configPlan } from '../../write/config-plan.ts';
import { storedEnvironment, storedProfile } from '../../write/edits.ts';
import { SETTABLE, SETTABLE_VALUES, setKey } from '../../write/environment-keys.ts';
import { add } from './add.ts';
import { defaultOf, environmentResult, environmentRow } from './profile-rows.ts';
import { remove } from './remove.ts';

const list = command({
  path: ['profile', 'list'],
  changes: 'nothing',
  prints: 'list',
  summary: 'List profiles and their environments',
  examples: [
    { run: 'proc profile list', doc: 'Every profile; the current one is marked' },
    { run: 'proc profile list -o id', doc: 'The names alone' },
  ],
  exitCodes: [3],
  async handler(_input, ctx) {
    const config = (await ctx.settings()).config();
    const current = config.profile ?? SANDBOX_PROFILE;
    return {
      kind: 'rows',
      columns: [
        { key: 'profile', header: 'profile', priority: 3 },
        { key: 'current', header: 'current', priority: 2 },
        { key: 'environments', header: 'environments', priority: 2 },
        { key: 'defaultEnvironment', header: 'default' },
      ],
      rows: profileNames(config).map((profile) => ({
        profile,
        current: profile === current,
        environments: environmentNames(config, profile),
        defaultEnvironment: defaultOf(config, profile),
      })),
      idField: 'profile',
      empty: 'No profiles',
    };
  },
});

const showProfile = command({
  path: ['profile', 'show'],
  changes: 'nothing',
  prints: 'list',
  summary: 'Show the environments of a profile; keys only as fingerprints',
  args: {
    name: { doc: 'profile; left out, the one that commands here would use', optional: true },
  },
  examples: [
    { run: 'proc profile show sandbox', doc: 'The built-in profile' },
    { run: 'proc profile show acme -e staging', doc: 'One environment, its key as a fingerprint' },
  ],
  exitCodes: [3],
  async handler({ args }, ctx) {
    const settings = await ctx.settings();
    const config = settings.config();
    const profile = args.name ?? wantedProfile(settings.sources()).value;
    if (!hasProfile(config, profile)) throw profileNotFound(config, profile, '');
    const only = ctx.globals.env;
    const names = environmentNames(config, profile);
    if (only !== undefined && !names.includes(only)) {
      throw environmentNotFound(config, profile, only, '--env');
    }
    return {
      kind: 'rows',
      columns: [
        { key: 'environment', header: 'environment', priority: 3 },
        { key: 'baseUrl', header: 'base URL', priority: 2 },
        { key: 'credential', header: 'credential', priority: 2 },
        { key: 'protected', header: 'protected' },
        { key: 'dialect', header: 'dialect' },
      ],
      rows: names
        .filter((name) => only === undefined || name === only)
        .map((name) => environmentRow(config, profile, name, ctx)),
      idField: 'environment',
      empty: `Profile "${profile}" has no environment`,
    };
  },
});

const use = command({
  path: ['profile', 'use'],
  changes: 'local',
  prints: 'record',
  summary: 'Choose the current profile, and with -e its usual environment',
  args: { name: { doc: 'profile', from: 'proc profile list' } },
  examples: [
    { run: 'proc profile use sandbox', doc: 'Back to the built-in sandbox' },
    { run: 'proc profile use acme -e staging', doc: 'A profile and its usual environment' },
  ],
  exitCodes: [3],
  async plan({ args }, ctx) {
    const environment = ctx.globals.env;
    const profile = args.name.normalize('NFC');
    return configPlan(await ctx.settings(), {
      change(draft) {
        if (!hasProfile(draft, profile)) throw profileNotFound(draft, args.name, '');
        const names = environmentNames(draft, profile);
        if (environment !== undefined) {
          if (!names.includes(environment)) {
            throw environmentNotFound(draft, profile, environment, '--env');
          }
          if (profile !== SANDBOX_PROFILE) {
            storedProfile(draft, profile).defaultEnvironment = environment;
          }
        }
        draft.profile = profile;
      },
      result: (after) => ({
        kind: 'record',
        value: { profile, defaultEnvironment: defaultOf(after, profile) },
        idField: 'profile',
      }),
      done(after) {
        if (defaultOf(after, profile) !== null) return;
        const names = environmentNames(after, profile).join(', ');
        const text = `"${profile}" has several environments (${names}); name one with -e each time, or set the usual one: proc profile use ${inShell(profile)} -e ENV`;
        ctx.say({ kind: 'notice', text });
      },
    });
  },
});

const set = command({
  path: ['profile', 'set'],
  changes: 'local',
  prints: 'record',
  summary: 'Change settings of an environment',
  description: `Settings: ${SETTABLE.join(', ')}. An empty value removes the setting.`,
  args: {
    name: { doc: 'profile', from: 'proc profile list' },
    settings: {
      doc: 'KEY=VALUE, for instance dialect=limit=pageSize',
      variadic: true,
      pairs: SETTABLE_VALUES,
    },
  },
  flags: { asTyped: AS_TYPED },
  examples: [
    {
      run: 'proc profile set acme -e staging protected=false',
      doc: 'No questions before writes to staging',
    },
    {
      run: `proc profile set acme -e staging credentialCommand='["pass", "show", "acme"]'`,
      doc: 'Take the key from a password manager',
    },
  ],
  exitCodes: [3],
  async plan({ args, flags }, ctx) {
    const profile = args.name.normalize('NFC');
    let environment = '';
    return configPlan(await ctx.settings(), {
      change(draft) {
        const found = storedEnvironment(draft, profile, ctx.globals.env);
        environment = found.name;
        const storing = { asTyped: flags.asTyped, typed: ctx.typed };
        for (const pair of args.settings) {
          setKey(found.settings, pair, profile, environment, storing);
        }
      },
      result: (after) => environmentResult(after, profile, environment, ctx),
      done(after) {
        const { settings } = storedEnvironment(after, profile, environment);
        const { origin } = parseBaseUrl(settings.baseUrl, 'base-url');
        if (settings.credential === undefined || settings.credential.origin === origin) return;
        const text = `The stored key stays bound to ${settings.credential.origin} and is not sent to ${origin}. Store the key for the new address: proc auth login -p ${inShell(profile)} -e ${inShell(environment)}`;
        ctx.say({ kind: 'warning', text });
      },
    });
  },
});

export const profileCommands: readonly CommandSpec[] = [list, showProfile, add, use, set, remove];
