import { type CommandSpec, type Context, command, type LocalPlan } from '../../../core/command.ts';
import { isSignalled, ProcError } from '../../../core/errors.ts';
import { inShell } from '../../../core/text/typed.ts';
import { listSectors } from '../../../nouns/sectors/api.ts';
import { findCredential, withoutProject } from '../../credential/credential.ts';
import { messagesFor } from '../../credential/require-terminal.ts';
import { fingerprint, SCHEME_NAME } from '../../credential/secret.ts';
import { askedApiKey, pipedCredential, SECRET_FLAGS } from '../../credential/secret-input.ts';
import type { Config } from '../../read/config-schema.ts';
import { checkTransport, isProtected } from '../../read/resolve-target.ts';
import {
  type KnownEnvironment,
  type Selection,
  type Sources,
  select,
} from '../../read/select-target.ts';
import { configPlan } from '../../write/config-plan.ts';
import {
  refuseCommandBeside,
  refuseSharedKey,
  storeCredential,
  storedEnvironment,
} from '../../write/edits.ts';

const login = command({
  path: ['auth', 'login'],
  changes: 'local',
  prints: 'record',
  summary: 'Store the key of an environment',
  description:
    'Typed at a hidden prompt or piped, never given as a flag. The key is kept for the address ' +
    'that the environment has now, and sent nowhere else.',
  flags: SECRET_FLAGS,
  examples: [
    { run: 'proc auth login -p acme -e staging', doc: 'Asks for the key' },
    { run: 'proc auth login -p acme -e staging --api-key-stdin < key.txt', doc: 'From a file' },
  ],
  exitCodes: [3],
  async plan({ flags }, ctx) {
    const settings = await ctx.settings();
    const { sources, selection, known } = ownEnvironment(settings.sources());
    const { profile, environment, url } = known;
    if (known.settings === undefined) {
      throw new ProcError(
        'no_target',
        'The built-in sandbox needs no login: its key is published',
        {
          hint: 'Name a profile with -p, or add one: proc profile add NAME -e ENV --base-url URL',
        },
      );
    }
    refuseCommandBeside(known.settings, profile, environment);
    checkTransport(selection);
    const piped = await pipedCredential(ctx, flags);
    if (piped !== undefined && !isSame(withoutProject(sources, selection)?.known, known)) {
      const text = `Only the project file chose ${profile}/${environment}; a piped key needs more`;
      throw new ProcError('credential_origin', text, {
        hint: `Name it: proc auth login -p ${inShell(profile)} -e ${inShell(environment)} --api-key-stdin`,
      });
    }
    const credential = piped ?? (await askLogin(ctx, known));
    if (credential === undefined) {
      ctx.say({ kind: 'notice', text: 'Nothing was stored' });
      return nothingToDo;
    }
    const change = (draft: Config) => storeCredential(draft, profile, environment, credential);
    return configPlan(settings, {
      change,
      result: () => ({
        kind: 'record',
        value: {
          profile,
          environment,
          origin: url.origin,
          scheme: credential.scheme,
          fingerprint: fingerprint(credential.secret),
        },
        idField: 'profile',
      }),
      done() {
        const text = `${SCHEME_NAME[credential.scheme]} stored for ${profile}/${environment}. Check it with: proc auth status -p ${inShell(profile)} -e ${inShell(environment)}`;
        ctx.say({ kind: 'notice', text });
      },
    });
  },
});

const logout = command({
  path: ['auth', 'logout'],
  changes: 'local',
  prints: 'record',
  summary: 'Remove the stored key of an environment',
  examples: [
    { run: 'proc auth logout -p acme -e staging', doc: 'The profile itself stays' },
    { run: 'proc auth logout -p acme -e staging -o json', doc: 'The same, for a script' },
  ],
  exitCodes: [3],
  async plan(_input, ctx) {
    const settings = await ctx.settings();
    const { known } = ownEnvironment(settings.sources());
    const { profile, environment } = known;
    const removed = known.settings?.credential !== undefined;
    const result = () =>
      ({
        kind: 'record',
        value: { profile, environment, removed },
        idField: 'profile',
      }) as const;
    if (!removed) {
      ctx.say({ kind: 'notice', text: `No key is stored for ${profile}/${environment}` });
      return { would: result, apply: async () => result() };
    }
    return configPlan(settings, {
      change(draft) {
        delete storedEnvironment(draft, profile, environment).settings.credential;
      },
      result,
    });
  },
});

const status = command({
  path: ['auth', 'status'],
  changes: 'nothing',
  prints: 'record',
  worksOffline: true,
  summary: 'Show where requests go and with which key, and try it with one read',
  description: 'The key is shown as a fingerprint. With --offline nothing is sent.',
  examples: [
    { run: 'proc auth status --offline', doc: 'What would be used, without asking' },
    { run: 'proc auth status', doc: 'With one request: does the key work?' },
  ],
  exitCodes: [3, 4, 5, 6, 7],
  endpoints: [listSectors],
  async handler(_input, ctx) {
    const sources = (await ctx.settings()).sources();
    const selection = select(sources);
    const found = findCredential(sources, selection);
    const { credential, baseUrl } = await ctx.target();
    const value = {
      profile: selection.profile?.value ?? null,
      environment: selection.environment?.value ?? null,
      baseUrl,
      protected: isProtected(selection).value,
      // Undefined with --dry-run and --curl, where a credentialCommand does not run.
      scheme: credential?.scheme ?? null,
      fingerprint: credential === undefined ? null : fingerprint(credential.secret),
      from: found.value.kind === 'command' ? `command ${found.value.argv[0]}` : found.place,
    };
    if (ctx.globals.offline) return { kind: 'record', value: { ...value, check: 'not tried' } };
    try {
      await ctx.call(listSectors, {});
      return { kind: 'record', value: { ...value, check: 'ok' }, idField: 'profile' };
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      const shown = { ...value, check: thrown.code };
      return { kind: 'record', value: shown, idField: 'profile', failure: thrown };
    }
  },
});

const nothingToDo: LocalPlan = {
  would: () => ({ kind: 'none' }),
  apply: async () => ({ kind: 'none' }),
};

/** Keys are stored per environment, for its own address: `PROC_BASE_URL` has no part in it. */
function ownEnvironment(all: Sources): {
  sources: Sources;
  selection: Selection;
  known: KnownEnvironment;
} {
  const sources = { ...all, env: { ...all.env, PROC_BASE_URL: undefined } };
  const selection = select(sources);
  // Without PROC_BASE_URL a selection is always a known environment.
  return { sources, selection, known: selection.known! };
}

function isSame(one: KnownEnvironment | undefined, other: KnownEnvironment): boolean {
  return one?.profile === other.profile && one.environment === other.environment;
}

async function askLogin(ctx: Context, known: KnownEnvironment) {
  const { auth } = await messagesFor(ctx);
  const name = `${known.profile}/${known.environment}`;
  for (;;) {
    const credential = await askedApiKey(ctx, auth.key(name, known.url.origin));
    if (credential === undefined) return undefined;
    // Said here too, so that a wrong key can be typed again.
    try {
      refuseSharedKey((await ctx.settings()).config(), known.profile, credential);
      return credential;
    } catch (thrown) {
      if (!(thrown instanceof ProcError)) throw thrown;
      ctx.say({ kind: 'warning', text: `${thrown.message}. ${thrown.hint}` });
    }
  }
}

export const authCommands: readonly CommandSpec[] = [login, logout, status];
