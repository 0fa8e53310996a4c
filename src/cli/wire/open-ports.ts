import { once } from '../../core/once.ts';
import type { AllPorts, GlobalFlags, IoPort, PortName, Ports, Written } from '../../core/ports.ts';
import { requireAccess } from '../../core/service/access.ts';
import { checkErrorsSetting, errorsAsJson } from '../../output/format.ts';
import type { FormatLoader } from '../../output/format-loader.ts';
import { describeTerminal } from '../../terminal/terminal.ts';
import { refuseIdle } from '../effects.ts';
import type { Asking } from '../write/guard.ts';
import { createDestination } from './destination.ts';
import { createAsk } from './ports/ask-port.ts';
import { createIo } from './ports/io-port.ts';
import { createSelf } from './ports/self-port.ts';
import type { Placeholders } from './preview.ts';
import { SeenRows } from './seen-rows.ts';
import type { OpenPorts, Surroundings } from './surroundings.ts';
import { undelivered } from './undelivered.ts';

export async function openPorts(
  surroundings: Surroundings,
  flags: GlobalFlags,
): Promise<OpenPorts> {
  const { streams, env, cwd } = surroundings;
  const terminal = describeTerminal(streams, env, flags);
  const { outputSetting } = await import('../../settings/read/output-setting.ts');
  const setting = outputSetting({ flags, env, cwd });
  const json = errorsAsJson({
    flag: flags.output,
    env: env.PROC_OUTPUT,
    setting,
    outFile: flags.out,
    errors: env.PROC_ERRORS,
    ...terminal,
  });
  checkErrorsSetting(env.PROC_ERRORS);
  const isPreview = flags.dryRun || flags.curl;
  const self = createSelf(surroundings, flags);
  const io: IoPort = {
    ...createIo({ streams, terminal, self, json }),
    async showsTable() {
      const { format, out, query } = await plan();
      return (
        terminal.stdoutIsTerminal && format === 'table' && out === undefined && query === undefined
      );
    },
  };
  const ask = createAsk(io, self);
  const destination = createDestination({ io, ask, self }, isPreview, async (from) => {
    const { learnNames } = await import('./learn-names.ts');
    return learnNames(from, { io, self });
  });
  const placeholders: Placeholders = new Set();
  const written: Written[] = [];
  const onWritten = (done: Written): void => void written.push(done);
  /** Rows that a person has seen: completion offers them later. */
  const seen = new SeenRows();

  const store = once(async () => {
    const { createStore } = await import('./ports/store-port.ts');
    return createStore({ isPreview, self, say: io.say, target: destination.target });
  });
  let isStoreOpen = false;
  const openStore = () => {
    isStoreOpen = true;
    return store();
  };

  const load: { readonly [Name in PortName]: () => Promise<AllPorts[Name]> } = {
    io: async () => io,
    self: async () => self,
    ask: async () => ask,
    store: openStore,
    input: async () => (await import('./ports/input-port.ts')).createInput(io, self),
    api: once(async () => {
      if (isPreview) {
        const { createApiTwin } = await import('./ports/api-twin.ts');
        return createApiTwin({ self, terminal, destination, placeholders });
      }
      const { createApi } = await import('./ports/api-port.ts');
      return createApi({
        self,
        io,
        destination,
        guard: {
          globals: flags,
          env,
          typed: self.typed,
          say: io.say,
          lang: io.lang,
          asking: async (): Promise<Asking> => ({
            interactive: terminal.interactive,
            ...(await import('../write/guard-questions.ts')).askingWith(ask, io.say),
          }),
        },
        onRead: (noun, value) => {
          if (terminal.interactive) seen.note(noun, value);
        },
        onWritten,
        writePorts: async () => ({
          self,
          io,
          ask,
          store: await openStore(),
          destination,
          onWritten,
        }),
      });
    }),
    lookup: once(async () => {
      if (isPreview) {
        const { createLookupTwin } = await import('./ports/lookup-twin.ts');
        return createLookupTwin(destination, { io, self }, placeholders);
      }
      return (await import('./ports/lookup-port.ts')).createLookup(destination, { io, self });
    }),
  };

  const formats: FormatLoader = {
    table: async () => (await import('../../output/format/table.ts')).tableFormatter,
    yaml: async () => (await import('../../output/format/yaml.ts')).toYaml,
    workbook: async () => {
      const { WorkbookWriter } = await import('../../output/format/xlsx/workbook-writer.ts');
      return (options) => new WorkbookWriter(options);
    },
    document: async (format) => {
      if (format === 'html') return (await import('../../output/document/html-page.ts')).writeHtml;
      if (format === 'xlsx')
        return (await import('../../output/document/report-workbook.ts')).writeWorkbook;
      return (await import('../../output/document/markdown.ts')).writeMarkdown;
    },
    query: async () => (await import('../../output/select/query.ts')).compileQuery,
    pager: async () => {
      const { openPager } = await import('../../terminal/pager.ts');
      return (command) => openPager(command, env);
    },
    ordering: async () => (await import('../../output/select/order-by.ts')).orderingBy,
    values: async () => {
      const { FieldValues } = await import('../../output/select/field-values.ts');
      return (fields) => new FieldValues(fields);
    },
  };
  let form: Parameters<OpenPorts['ready']>[0] = {};
  const plan = once(async () => {
    const { planOutput } = await import('../../output/output-plan.ts');
    return planOutput({ globals: flags, env, setting, form, terminal, cwd, load: formats });
  });

  return {
    io,
    flags,
    isPreview,
    json,
    async give<Names extends PortName>(needs: readonly Names[]): Promise<Ports<Names>> {
      const given = await Promise.all(
        needs.map(async (name) => [name, await load[name]()] as const),
      );
      return Object.fromEntries(given) as unknown as Ports<Names>;
    },
    async requireAccess(needed, what, atStage) {
      if (isPreview || needed === 'read') return;
      const { resolveAccess } = await import('../../settings/read/resolve-target.ts');
      requireAccess(needed, resolveAccess({ flags, env, cwd }), what, atStage);
    },
    async ready(spec) {
      form = spec;
      refuseIdle(flags, await plan(), spec);
    },
    async render(result) {
      const { render } = await import('../../output/render.ts');
      try {
        const { say } = io;
        const options = { plan: await plan(), streams, terminal, say, load: formats };
        return await render(result, { ...options, clock: self.clock });
      } catch (thrown) {
        throw undelivered(thrown, written, result);
      }
    },
    undelivered: (thrown) => undelivered(thrown, written),
    async close() {
      if (seen.all.size > 0) {
        const { keepSeen } = await import('../../completion/seen.ts');
        const scope = await (await openStore()).scope().catch(() => undefined);
        if (scope !== undefined) keepSeen(env, scope, seen.all);
      }
      if (isStoreOpen) (await store()).close();
      await destination.close();
    },
  };
}
