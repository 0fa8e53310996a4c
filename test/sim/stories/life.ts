import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { ProcError } from '../../../src/core/errors.ts';
import { machineError } from '../../../src/core/machine-errors.ts';
import type { Clock } from '../../../src/core/ports.ts';
import { systemClock } from '../../../src/core/time/clock.ts';
import { renderError } from '../../../src/output/render-error.ts';
import { memoryStreams } from '../../support/streams.ts';
import type { Crash } from '../machine/disk.ts';
import { type Machine, Owner } from '../machine/machine.ts';
import type { World } from '../machine/world.ts';

export interface Lived {
  /** Undefined: the process crashed. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one process of proc, to its exit code or its crash. */
export async function live(
  world: World,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  crash: Crash | undefined,
  stdin = '',
): Promise<Lived> {
  const { machine, disk, trace } = world;
  const owner = new Owner();
  world.life = owner;
  world.promises.begins();
  trace.add(machine.time, `proc ${argv.join(' ')}`);
  const interrupted = new AbortController();
  disk.begin(crash, () => {
    trace.add(machine.time, 'Ctrl-C');
    interrupted.abort(new ProcError('interrupted', 'interrupted'));
  });
  const streams = memoryStreams({ stdin });
  let exitCode: number | undefined;
  let failure: unknown;
  machine.owner = owner;
  const surroundings = {
    streams,
    env: { ...env, PROC_STATE_DIR: disk.state },
    cwd: disk.work,
    typed: argv,
    selfCommand: ['node', 'proc'],
    pid: 4711,
    clock: clockOf(machine),
    signal: interrupted.signal,
  };
  runCommandLine(argv, surroundings, () => undefined).then(
    (code) => {
      exitCode = code;
    },
    (thrown: unknown) => {
      const error = thrown instanceof ProcError ? thrown : (machineError(thrown) ?? thrown);
      if (error instanceof ProcError) {
        streams.stderr.write(
          renderError(error, { json: true, color: false, width: undefined, trace: false }),
        );
        exitCode = error.exitCode;
      } else failure = error;
    },
  );
  await machine.run(
    owner,
    () => exitCode !== undefined || failure !== undefined || !owner.isAlive,
    () => {
      disk.point('turn');
      world.promises.committed();
    },
  );
  const wasCut = !owner.isAlive;
  machine.end(owner);
  disk.clean();
  if (!wasCut && failure !== undefined) {
    world.promises.break(
      'no bug',
      failure instanceof Error ? String(failure.stack) : String(failure),
    );
    exitCode = 1;
  }
  if (wasCut) exitCode = undefined;
  trace.add(machine.time, `exit ${exitCode}`);
  trace.say(streams.stdoutText() + streams.stderrText());
  return { exitCode, stdout: streams.stdoutText(), stderr: streams.stderrText() };
}

/** The machine's clock. The real `sleep` waits on simulated timers. */
function clockOf(machine: Machine): Clock {
  return {
    now: () => machine.wall,
    monotonic: () => machine.monotonic,
    boot: () => machine.boot,
    random: () => machine.random(),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  };
}
