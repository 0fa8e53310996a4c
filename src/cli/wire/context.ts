import type { ClientPorts } from '../../client/call.ts';
import { wantsProxy } from '../../client/connection/origin.ts';
import type { Transport } from '../../client/connection/transport.ts';
import { hiding } from '../../client/hiding.ts';
import type {
  Body,
  BodySource,
  GlobalFlags,
  Pages,
  WriteIntent,
  Written,
} from '../../core/command.ts';
import {
  type AnyInput,
  type EndpointSpec,
  type InputOf,
  nounOf,
  type OutputOf,
} from '../../core/endpoint.ts';
import { ProcError } from '../../core/errors.ts';
import { once } from '../../core/once.ts';
import type { Target } from '../../core/ports.ts';
import { Previewed } from '../../core/previewed.ts';
import type { Row } from '../../core/result.ts';
import type { Lang } from '../../core/text/phrase.ts';
import type { History } from '../../history/store.ts';
import { checkErrorsSetting, errorsAsJson } from '../../output/format.ts';
import type { FormatLoader } from '../../output/format-loader.ts';
import { renderError } from '../../output/render-error.ts';
import { createSay } from '../../terminal/say.ts';
import { describeTerminal } from '../../terminal/terminal.ts';
import { hideOn, writeNow } from '../../terminal/write.ts';
import { loadTree } from '../tree.ts';
import { type Asking, ensureAskable, guard } from '../write/guard.ts';
import { lazyPages } from './lazy-pages.ts';
import { warnOfPlainHttp } from './plain-http.ts';
import { plainIntent } from './plain-intent.ts';
import type { Placeholders } from './preview.ts';
import { createReads } from './reads.ts';
import { SeenRows } from './seen-rows.ts';
import type { OpenContext, Surroundings } from './surroundings.ts';
import { undelivered } from './undelivered.ts';

/** The only wiring: every port, loaded when it is first used. */
export async function createContext(
  surroundings: Surroundings,
  globals: GlobalFlags,
): Promise<OpenContext> {
  const { streams, env, signal, clock, cwd } = surroundings;
  const terminal = describeTerminal(streams, env, globals);
  const { outputSetting } = await import('../../settings/read/output-setting.ts');
  const setting = outputSetting({ flags: globals, env, cwd });
  const json = errorsAsJson({
    flag: globals.output,
    env: env.PROC_OUTPUT,
    setting,
    outFile: globals.out,
    errors: env.PROC_ERRORS,
    ...terminal,
  });
  checkErrorsSetting(env.PROC_ERRORS);
  const say = createSay({ streams, terminal, json, quiet: globals.quiet });
  const previewing = globals.dryRun || globals.curl;
  const transports = new Map<string, Transport>();
  const written: Written[] = [];
  const placeholders: Placeholders = new Set();

  const loadTarget = once(async () => {
    const { resolveTarget } = await import('../../settings/read/resolve-target.ts');
    const target = await resolveTarget({
      flags: globals,
      env,
      cwd,
      needCredential: !previewing,
      say,
    });
    const hide = hiding(target.credential);
    hideOn(streams.stdout, hide);
    hideOn(streams.stderr, hide);
    warnOfPlainHttp(target, say);
    return target;
  });

  /** A command that gives the key is run only where something is to be read. */
  async function targetWithKey(): Promise<Target | undefined> {
    const target = await loadTarget();
    if (target.credential !== undefined) return target;
    const { resolveTarget } = await import('../../settings/read/resolve-target.ts');
    try {
      return await resolveTarget({ flags: globals, env, cwd, needCredential: true, say });
    } catch (thrown) {
      if (thrown instanceof ProcError) return undefined;
      throw thrown;
    }
  }

  const loadCertificates = once(async () =>
    globals.caFile === undefined
      ? undefined
      : (await import('./certificates.ts')).readCertificates(globals.caFile),
  );

  async function transportTo(target: Target, connections = 1): Promise<Transport> {
    const { origin } = new URL(target.baseUrl);
    const key = `${connections} ${origin}`;
    const open = transports.get(key);
    if (open !== undefined) return open;
    const ca = await loadCertificates();
    const options = { origin, ca, connections, connectTimeoutMs: globals.timeoutMs };
    const transport = wantsProxy(origin, env)
      ? (await import('../../client/connection/proxy.ts')).openProxyTransport(options, env)
      : (await import('../../client/connection/transport.ts')).openTransport(options);
    transports.set(key, transport);
    return transport;
  }

  async function clientPorts(target: Target): Promise<ClientPorts> {
    const { timeoutMs, retries, verbose } = globals;
    return {
      target,
      transport: await transportTo(target),
      clock,
      signal,
      say,
      timeoutMs,
      retries,
      verbose,
    };
  }

  const prompts = once(async () =>
    (await import('../../terminal/create-prompts.ts')).createPrompts({
      streams,
      terminal,
      signal,
      lang: await lang(),
    }),
  );

  const lang = once(async (): Promise<Lang> => {
    if (globals.lang !== undefined) return globals.lang;
    // What a script reads must not depend on who runs it.
    if (!terminal.interactive) return 'en';
    const [{ readSources }, { preferences }] = await Promise.all([
      import('../../settings/read/resolve-target.ts'),
      import('../../settings/read/preferences.ts'),
    ]);
    return preferences({ ...readSources({ flags: globals, env, cwd }), flags: globals }).lang.value;
  });

  let openedHistory: History | undefined;
  const history = once(async () => {
    const { openHistory, openHistoryToLook } = await import('../../history/store.ts');
    openedHistory = previewing ? openHistoryToLook(env) : openHistory(env);
    return openedHistory;
  });

  const scope = once(async () => {
    const [{ scopeOf }, { openHistoryToLook }] = await Promise.all([
      import('../../history/scope-of.ts'),
      import('../../history/store.ts'),
    ]);
    const named = { flag: globals.organization, variable: env.PROC_ORGANIZATION };
    const keeps = !previewing;
    const target = await loadTarget();
    // A profile's own key needs no salt: looking makes no file.
    const looksOnly = target.credentialProfile !== undefined && openedHistory === undefined;
    const memory = looksOnly ? openHistoryToLook(env) : await history();
    try {
      return scopeOf(target, named, memory, { keeps, say });
    } finally {
      if (looksOnly) memory.close();
    }
  });

  const guardPorts = {
    globals,
    env,
    typed: surroundings.typed,
    say,
    lang,
    asking: async (): Promise<Asking> => ({
      interactive: terminal.interactive,
      ...(await import('../write/guard-questions.ts')).askingWith(prompts, say),
    }),
  };

  async function callAny(
    spec: EndpointSpec,
    input: AnyInput,
    intent?: WriteIntent,
  ): Promise<unknown> {
    const target = await loadTarget();
    if (previewing) {
      const [{ prepare }, { curl, dryRun }] = await Promise.all([
        import('../../client/request.ts'),
        import('./preview.ts'),
      ]);
      const request = prepare(spec, input, target);
      if (globals.curl) throw new Previewed(curl(request, placeholders));
      const isReviewed = terminal.interactive && intent?.review !== undefined;
      if (isReviewed) await intent.review();
      throw new Previewed(dryRun(request, isReviewed, placeholders));
    }
    if (spec.method === 'GET') {
      const value = await callAt(target, spec, input);
      if (terminal.interactive && !previewing) seen.note(nounOf(spec), value);
      return value;
    }
    return write(target, spec, input, intent ?? plainIntent(spec));
  }

  /** Every single write goes this way: confirmed, recorded, sent, its outcome recorded. */
  async function write(
    target: Target,
    spec: EndpointSpec,
    input: AnyInput,
    intent: WriteIntent,
  ): Promise<unknown> {
    await guard(intent, target, guardPorts);
    const [{ recordedWrite }, { call }, ports] = await Promise.all([
      import('../write/recorded-write.ts'),
      import('../../client/call.ts'),
      clientPorts(target),
    ]);
    return recordedWrite(
      { spec, input, intent, target },
      (onOutcome) => call(spec, input, { ...ports, onOutcome }),
      {
        again: globals.again || intent.again === true,
        clock,
        say,
        history,
        scope,
        sentByRun: async (draft) => {
          const sentRows = (await history()).sentRows(await scope());
          if (!sentRows.any()) return undefined;
          const [{ sentByRun }, { importsFolder }] = await Promise.all([
            import('../../import/ledger/sent/sent-by-run.ts'),
            import('../../import/ledger/runs.ts'),
          ]);
          return sentByRun(draft, sentRows, importsFolder(env));
        },
        lang,
        onWritten: (done) => written.push(done),
        confirm: terminal.interactive
          ? async (question) => (await prompts()).confirm(question, false)
          : undefined,
      },
    );
  }

  async function callAt(target: Target, spec: EndpointSpec, input: AnyInput): Promise<unknown> {
    const { call } = await import('../../client/call.ts');
    return call(spec, input, await clientPorts(target));
  }

  /** What a person is shown is offered by completion afterwards; a script's reads leave no trace. */
  const seen = new SeenRows();

  async function isWhole(spec: EndpointSpec): Promise<boolean> {
    const { isWholeList } = await import('../../client/whole-list.ts');
    return isWholeList(spec, await loadTarget());
  }

  const pages = (spec: EndpointSpec, query: Row): Pages =>
    lazyPages(query, {
      isWhole: () => isWhole(spec),
      walk: async () => (await import('../../listing/page-walk.ts')).PageWalk,
      read: (asked) => callAny(spec, { query: asked }) as Promise<readonly Row[]>,
    });

  const load: FormatLoader = {
    table: async () => (await import('../../output/format/table.ts')).tableFormatter,
    yaml: async () => (await import('../../output/format/yaml.ts')).toYaml,
    query: async () => (await import('../../output/select/query.ts')).compileQuery,
  };
  let form: Parameters<OpenContext['ready']>[0] = {};
  const plan = once(async () => {
    const { planOutput } = await import('../../output/output-plan.ts');
    return planOutput({ globals, env, setting, form, terminal, cwd, load });
  });

  return {
    ...surroundings,
    globals,
    terminal,
    say,
    previewing,
    complain: (error) =>
      writeNow(streams.stderr, renderError(error, { json, color: terminal.color.stderr })),
    async ready(spec) {
      form = spec;
      await plan();
    },
    async render(result) {
      const { render } = await import('../../output/render.ts');
      try {
        return await render(result, { plan: await plan(), streams, terminal, say, load });
      } catch (thrown) {
        throw undelivered(thrown, written, result);
      }
    },
    undelivered: (thrown) => undelivered(thrown, written),
    noteWritten: (done) => written.push(done),
    target: loadTarget,
    callAny,
    call: <E extends EndpointSpec>(spec: E, input: InputOf<E>, intent?: WriteIntent) =>
      callAny(spec, input as AnyInput, intent) as Promise<OutputOf<E>>,
    callAt: <E extends EndpointSpec>(target: Target, spec: E, input: InputOf<E>) =>
      callAt(target, spec, input as AnyInput) as Promise<OutputOf<E>>,
    async sender(connections, at) {
      const target = at ?? (await loadTarget());
      const [{ prepare }, { begin, send }, { askWhetherInStep }, transport] = await Promise.all([
        import('../../client/request.ts'),
        import('../../client/send.ts'),
        import('../../client/connection/in-step.ts'),
        transportTo(target, connections),
      ]);
      const options = { timeoutMs: globals.timeoutMs, now: clock.now };
      return {
        target,
        send: (spec, input, alone) =>
          send(prepare(spec, input, target), transport, { ...options, alone }),
        poster(spec) {
          const request = prepare(spec, { rawBody: '' }, target);
          const together = { ...options, alone: false };
          const single = { ...options, alone: true };
          return (body, alone, onOutcome) =>
            begin({ ...request, body }, transport, alone ? single : together, onOutcome);
        },
        askWhetherInStep: (connection, list, input, onTold) =>
          askWhetherInStep(
            connection,
            prepare(list, input, target),
            transport,
            globals.timeoutMs,
            onTold,
          ),
      };
    },
    consent: async (intent) => guard(intent, await loadTarget(), guardPorts),
    async ensureAskable(intent) {
      if (!previewing) await ensureAskable(intent, await loadTarget(), guardPorts);
    },
    json,
    reads: createReads({
      previewing,
      offline: globals.offline,
      say,
      placeholders,
      target: loadTarget,
      targetWithKey,
      callAt,
      isWhole,
      findRows: async () => (await import('../../listing/find-rows.ts')).findRows,
      walk: async () => (await import('../../listing/page-walk.ts')).PageWalk,
    }),
    readBytes: async (file) =>
      (await import('../input/read-text.ts')).readBytes(file, streams.stdin, signal),
    readText: async (file, options) =>
      (await import('../input/read-text.ts')).readText(file, streams.stdin, signal, options),
    tree: loadTree,
    pages,
    async body<E extends EndpointSpec>(spec: E, source: BodySource): Promise<Body<E>> {
      const [{ readBody }, { readText }] = await Promise.all([
        import('../input/body.ts'),
        import('../input/read-text.ts'),
      ]);
      return readBody(spec, source, {
        readText: (file) => readText(file, streams.stdin, signal),
        yaml: async () => (await import('../input/yaml-payload.ts')).readYamlPayload,
        say,
        allowUnknown: globals.allowUnknown,
      });
    },
    settings: once(async () => {
      const { openSettings } = await import('../../settings/read/open-settings.ts');
      return openSettings({ env, cwd, flags: globals });
    }),
    prompts,
    lang,
    history,
    scope,
    wizard: once(async () => (await import('../../wizard/guide.ts')).guide),
    bulk: once(async () => (await import('../../import/engine.ts')).engine),
    async close() {
      if (seen.all.size > 0) {
        const { keepSeen } = await import('../../completion/seen.ts');
        const whose = await scope().catch(() => undefined);
        if (whose !== undefined) keepSeen(env, whose, seen.all);
      }
      openedHistory?.close();
      await Promise.all([...transports.values()].map((transport) => transport.close()));
    },
  };
}
