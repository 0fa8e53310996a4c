import { machineError, ProcError } from '../../../src/core/errors.ts';
import type { Clock } from '../../../src/core/io.ts';
import { systemClock } from '../../../src/core/time.ts';
import { renderError } from '../../../src/output/render-error.ts';
import { runProgram } from '../../../src/run.ts';
import { memoryStreams } from '../../support/streams.ts';
import { typedVariables } from '../../support/typed-variables.ts';
import type { Crash, Disk } from '../machine/disk.ts';
import { type Machine, Owner } from '../machine/machine.ts';
import type { World } from '../machine/world.ts';

export interface Lived {
  /** Undefined: the process crashed. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  /** How many writes have left. */
  readonly writes: number;
}

/** The process stands still for a while, after some turn. */
export interface Suspended {
  readonly turn: number;
  readonly ms: number;
}

export interface Start {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly crash?: Crash | undefined;
  readonly stdin?: string;
  /** When the process begins, ms from now. */
  readonly delayMs?: number;
  /** By how much the clock of its machine is wrong, ms. */
  readonly skewMs?: number;
  readonly suspended?: Suspended | undefined;
  /** Called after each turn of the process. It is killed once this returns true. */
  readonly isKilled?: () => boolean;
}

/** What a process prints passes through here. */
export const printing = { change: (lived: Lived): Lived => lived };

/** Processes of one machine have different numbers, and no real process has one of these. */
const FIRST_PID = 5_000_000;
/** A story takes hundreds of turns, seldom thousands. */
const MOST_TURNS = 20_000;

/** Runs one process of proc, to its exit code or its crash. */
export async function live(
  world: World,
  argv: readonly string[],
  env: Readonly<Record<string, string>>,
  crash: Crash | undefined,
  stdin = '',
): Promise<Lived> {
  return (await liveTogether(world, [{ argv, env, crash, stdin }]))[0]!;
}

/** Runs several processes of proc at once, each to its exit code or its crash. */
export async function liveTogether(world: World, starts: readonly Start[]): Promise<Lived[]> {
  const { machine, disk } = world;
  const lives = starts.map((start) => new Life(world, start));
  for (const life of lives) life.begin();
  let turns = 0;
  await machine.run(
    () => lives.every(({ isOver }) => isOver),
    (owner) => {
      const life = lives.find((one) => one.owner === owner);
      life?.turned();
      if (++turns === MOST_TURNS) for (const one of lives) one.giveUp();
      for (const one of lives) one.clean();
      if (life !== undefined) world.promises.inside.committed();
    },
  );
  for (const life of lives) life.clean();
  disk.clean();
  return lives.map((life) => life.result());
}

class Life {
  readonly owner: Owner;
  readonly #disk: Disk;
  readonly #world: World;
  readonly #start: Start;
  readonly #streams: ReturnType<typeof memoryStreams>;
  #exitCode: number | undefined;
  #failure: unknown;
  #isClean = false;
  #turns = 0;

  constructor(world: World, start: Start) {
    this.owner = new Owner();
    this.owner.skewMs = start.skewMs ?? 0;
    this.#disk = world.disk;
    this.#world = world;
    this.#start = start;
    this.#streams = memoryStreams({ stdin: start.stdin ?? '' });
  }

  begin(): void {
    const { machine } = this.#world;
    const { delayMs = 0 } = this.#start;
    if (delayMs === 0) machine.within(this.owner, () => this.#run());
    else machine.after(delayMs, () => this.#run(), this.owner);
  }

  #run(): void {
    const { machine, trace, promises } = this.#world;
    const disk = this.#disk;
    const { crash, ...start } = this.#start;
    const { args: argv, env: typed } = typedVariables(start.argv);
    const env = { ...start.env, ...typed };
    this.owner.pid = FIRST_PID + machine.turns;
    promises.begins(this.owner, argv, env);
    trace.add(machine.time, `proc ${argv.join(' ')}`);
    const interrupted = new AbortController();
    disk.begin(this.owner, crash, () => {
      trace.add(machine.time, 'Ctrl-C');
      // In the process itself: nobody watches the commits of what runs around it.
      machine.within(this.owner, () =>
        interrupted.abort(new ProcError('interrupted', 'interrupted')),
      );
    });
    const surroundings = {
      streams: this.#streams,
      env: { PROC_STATE_DIR: disk.state, ...env },
      cwd: disk.work,
      typed: argv,
      selfCommand: ['node', 'proc'],
      pid: this.owner.pid,
      clock: clockOf(machine),
      signal: interrupted.signal,
      ...{ json: true, written: [] },
    };
    runProgram(argv, surroundings).then(
      (code) => {
        this.#exitCode = code as number;
      },
      (thrown: unknown) => {
        // What a killed process still finds out does not count.
        if (!this.owner.isAlive) return;
        const error = thrown instanceof ProcError ? thrown : (machineError(thrown) ?? thrown);
        if (error instanceof ProcError) {
          this.#streams.stderr.write(
            renderError(error, { json: true, color: false, trace: false }),
          );
          this.#exitCode = error.exitCode;
        } else this.#failure = error;
      },
    );
  }

  get isOver(): boolean {
    return this.#exitCode !== undefined || this.#failure !== undefined || !this.owner.isAlive;
  }

  turned(): void {
    const disk = this.#disk;
    const { machine } = this.#world;
    disk.point('turn', this.owner);
    const { suspended } = this.#start;
    if (++this.#turns === suspended?.turn) this.owner.awakeAt = machine.time + suspended.ms;
    const isKilled = this.#start.isKilled?.() === true;
    if (isKilled && !this.isOver) disk.kill(this.owner, { on: 'turn', at: 0, by: 'kill' });
  }

  giveUp(): void {
    if (this.isOver) return;
    this.#world.promises.break('a run comes to its end', `not after ${MOST_TURNS} turns`);
    this.#disk.kill(this.owner, { on: 'turn', at: 0, by: 'kill' });
  }

  /** The operating system ends what a process has left behind. */
  clean(): void {
    if (this.#isClean || !this.isOver) return;
    this.#isClean = true;
    const { machine, trace } = this.#world;
    // What a killed process still finds out does not count.
    if (!this.owner.isAlive) this.#exitCode = undefined;
    else if (this.#failure !== undefined) this.#exitCode = 1;
    if (this.owner.isAlive) machine.end(this.owner);
    else this.#failure = undefined;
    this.#disk.ended(this.owner);
    this.#world.database?.ended(this.owner);
    if (this.#streams.stderrText().includes('"ledger_changed"') && !this.#disk.wasPutBack)
      this.#world.promises.break('no alarm is false', this.#streams.stderrText());
    trace.add(machine.time, `exit ${this.#exitCode}`);
    trace.say(this.#streams.stdoutText() + this.#streams.stderrText());
  }

  result(): Lived {
    const failure = this.#failure;
    if (failure !== undefined) {
      const what = failure instanceof Error ? String(failure.stack) : String(failure);
      this.#world.promises.break('no bug', what);
    }
    return printing.change({
      exitCode: this.#exitCode,
      stdout: this.#streams.stdoutText(),
      stderr: this.#streams.stderrText(),
      writes: this.owner.writes,
    });
  }
}

/** The machine's clock. The real `sleep` waits on simulated timers. */
function clockOf(machine: Machine): Clock {
  return {
    now: () => machine.wall,
    monotonic: () => machine.monotonic,
    random: () => machine.random(),
    sleep: (ms, signal) => systemClock.sleep(ms, signal),
  };
}
