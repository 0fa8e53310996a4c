import { type Context, command } from '../../context.ts';
import { isSignalled, ProcError, withHint } from '../../core/errors.ts';
import type { Credential } from '../../core/secret.ts';
import type { KeyedTarget } from '../../core/service.ts';
import { asVariable, detectLists, newNames } from '../../doctor/list-names.ts';
import { patientRead } from '../../http/call.ts';
import { listSectors } from '../../nouns/sectors/index.ts';
import { type BaseUrl, parseNewBaseUrl } from '../addresses.ts';
import { environmentNames, hasProfile, newName, readConfig, typedPlace } from '../config-file.ts';
import { checkTransport, settingOf } from '../resolve-target.ts';
import { DEFAULT_DIALECT, type EnvironmentSettings } from '../settings.ts';
import { addEnvironment, updateConfig } from '../write-config.ts';
import { askedApiKey } from './secret-input.ts';

const NOTHING = 'Nothing was stored.';

export const setup = command({
  path: ['setup'],
  changes: 'local',
  prints: 'record',
  summary: 'Set up a profile step by step: name, address, key, check, parameter names',
  examples: [{ run: 'proc setup', doc: 'on a terminal' }],
  exitCodes: [3],
  endpoints: [listSectors],
  async run(ctx) {
    if (!ctx.io.terminal.interactive) {
      const text = 'setup asks questions, and there is no terminal to ask on';
      throw new ProcError('invalid_usage', text, {
        hint: 'Run instead: proc profile add NAME -e ENV --base-url URL --api-key-stdin < key.txt',
      });
    }
    notice(ctx, 'This sets up an environment of a profile, which is an organization.');
    try {
      const profile = await askProfile(ctx);
      const environment = await askEnvironment(ctx, profile);
      const url = await askUrl(ctx, environment);
      const answer = await askWorkingKey(ctx, url);
      if (answer === undefined) {
        notice(ctx, NOTHING);
        return { kind: 'none' };
      }
      const { credential, works } = answer;
      const names = works ? await detectNames(ctx, targetOf(ctx, url, credential)) : undefined;
      const settings: EnvironmentSettings = {
        baseUrl: url.href,
        ...(names === undefined ? {} : { listNames: names }),
      };
      const { profile: current } = readConfig(ctx.env);
      const isNew = current !== undefined && current !== profile;
      const becomes =
        isNew && (await ctx.prompt.confirm(`Make "${profile}" the current profile?`, true));
      const place = { profile, environment };
      await updateConfig(ctx.env, (draft) => {
        addEnvironment(draft, place, { ...settings }, credential);
        if (becomes) draft.profile = profile;
      });
      const next = credential === undefined ? 'proc auth login' : 'proc orders list';
      notice(ctx, `Stored. Next, run: ${next} -p ${typedPlace(place)}`);
      return { kind: 'record', value: place, idField: 'profile' };
    } catch (thrown) {
      notice(ctx, NOTHING);
      throw thrown;
    }
  },
});

function notice({ io }: Context, text: string): void {
  io.say({ kind: 'notice', text });
}

/** Asks until `read` accepts the answer. */
async function ask<T>(
  { prompt }: Context,
  question: string,
  read: (typed: string) => T,
  byDefault?: string,
): Promise<T> {
  const validate = (typed: string): string | undefined => {
    try {
      read(typed);
      return undefined;
    } catch (thrown) {
      if (thrown instanceof ProcError) return withHint(thrown);
      throw thrown;
    }
  };
  const given = byDefault === undefined ? {} : { default: byDefault };
  return read(await prompt.input(question, { ...given, validate }));
}

async function askProfile(ctx: Context): Promise<string> {
  for (;;) {
    const question = 'Name of the profile (e.g. the organization)';
    const name = await ask(ctx, question, (typed) => newName(typed, 'profile'), ctx.flags.profile);
    if (!hasProfile(readConfig(ctx.env), name)) return name;
    if (await ctx.prompt.confirm(`"${name}" already exists. Add another environment to it?`, true))
      return name;
  }
}

/** @returns the setting to store; undefined if the service has the default names */
async function detectNames(ctx: Context, target: KeyedTarget): Promise<string | undefined> {
  const { clock, signal } = ctx;
  notice(ctx, 'Detecting the names of the list parameters');
  const sender = await ctx.http().sender(1, undefined, target);
  const findings = await detectLists({ sender, clock, signal });
  const names = newNames('', findings, target.dialect);
  const isSeen = [...findings.values()].flat().some(({ name }) => name !== undefined);
  notice(
    ctx,
    names !== undefined
      ? `This service has other parameter names. On other machines, set ${asVariable(names)}`
      : isSeen
        ? 'The service has the usual parameter names.'
        : 'The lists do not show the parameter names. Once they have rows, run: proc doctor',
  );
  return names;
}

/** Undefined if the user gives up, because the key does not work. */
async function askWorkingKey(
  ctx: Context,
  url: BaseUrl,
): Promise<{ credential: Credential | undefined; works: boolean } | undefined> {
  for (;;) {
    const question = `API key for ${url.origin} (from the service's support team; hidden; empty to add it later)`;
    const credential = await askedApiKey(ctx, question);
    if (credential === undefined) return { credential, works: false };
    notice(ctx, `Checking the key: reading the sectors from ${url.origin}`);
    try {
      const sender = await ctx.http().sender(1, undefined, targetOf(ctx, url, credential));
      await patientRead(sender, { ...ctx, retries: ctx.flags.retries })(listSectors, {});
      notice(ctx, 'The service responded; the key works.');
      return { credential, works: true };
    } catch (thrown) {
      if (!(thrown instanceof ProcError) || isSignalled(thrown)) throw thrown;
      // The hint is left out: it names commands for an environment that is not saved yet.
      ctx.io.say({ kind: 'warning', text: thrown.message });
      if (thrown.code === 'unauthorized') {
        const text =
          "The service does not accept this key. Type it again, or leave it empty to add it later. If you have no key, ask the service's support team.";
        notice(ctx, text);
      } else {
        const isSaved = await ctx.prompt.confirm('Save it anyway?', false);
        return isSaved ? { credential, works: false } : undefined;
      }
    }
  }
}

function askEnvironment(ctx: Context, profile: string): Promise<string> {
  const taken = environmentNames(readConfig(ctx.env), profile);
  const unusedName = (typed: string): string => {
    const name = newName(typed, 'environment');
    if (!taken.includes(name)) return name;
    throw new ProcError('invalid_usage', `${profile}/${name} already exists`);
  };
  // One Enter too many must not select production.
  const proposed = ['staging', 'local'].find((name) => !taken.includes(name));
  const question = 'Which environment? (e.g. staging, production)';
  return ask(ctx, question, unusedName, ctx.flags.env ?? proposed);
}

function askUrl(ctx: Context, environment: string): Promise<BaseUrl> {
  return ask(ctx, `Base URL of ${environment}`, (typed) => {
    const url = parseNewBaseUrl(typed, 'Base URL');
    checkTransport({ url: { value: url }, known: undefined });
    return url;
  });
}

function targetOf({ env }: Context, url: BaseUrl, credential: Credential | undefined): KeyedTarget {
  return {
    profile: undefined,
    environment: undefined,
    credentialProfile: undefined,
    baseUrl: url.href,
    credential,
    readOnly: undefined,
    isProtected: false,
    authorities: settingOf('caFile', { env, known: undefined }),
    dialect: () => DEFAULT_DIALECT,
  };
}
