import { type ChildProcess, fork } from 'node:child_process'
import type { Socket } from 'node:net'
import type {
  Imports,
  RunnerCommand,
  RunnerNotice,
  ServiceFacts,
  TypedOptions,
} from './dev-messages.ts'

/** How a runner has got on with its file. */
export type RunOutcome =
  | { readonly kind: 'serving'; readonly facts: ServiceFacts }
  /** It has printed why. */
  | { readonly kind: 'failed' }
  /** It was stopped. */
  | { readonly kind: 'stopped' }

/** Longer than a service takes for its last responses. */
const maxClosingMs = 15_000

/** A process that serves one version of a file. */
export class RunnerProcess {
  readonly #child: ChildProcess
  readonly #prepared: Promise<void>
  /** The process and all of its output have ended. */
  readonly exited: Promise<void>
  #isStopped = false
  /** What it has imported, once it has tried to. */
  imports: Imports = { files: [], packages: [] }
  /** Called with the paths of the pages for people, after it began to serve. */
  onPages: (paths: readonly string[]) => void = () => undefined

  /** @param packages URLs of modules that it loads before its file is known to be complete */
  constructor(program: URL, file: string, packages: readonly string[]) {
    this.#child = fork(program)
    this.exited = new Promise((resolve) => this.#child.once('exit', () => resolve()))
    this.#child.on('error', () => undefined)
    this.#prepared = this.#notice('prepared').then(() => undefined)
    this.#child.on('message', (notice: RunnerNotice) => {
      if (notice.kind === 'imports') this.imports = notice.imports
      if (notice.kind === 'pages') this.onPages(notice.paths)
    })
    this.#send({ kind: 'prepare', file, packages })
  }

  get exitCode(): number | string | undefined {
    return this.#child.exitCode ?? this.#child.signalCode ?? undefined
  }

  /** Imports the file, and serves it. */
  async run(file: string, typed: TypedOptions): Promise<RunOutcome> {
    await Promise.race([this.#prepared, this.exited])
    const serving = this.#notice('serving')
    this.#send({ kind: 'run', file, typed })
    const outcome = await Promise.race([serving, this.exited])
    if (outcome) return { kind: 'serving', facts: outcome.facts }
    return { kind: this.#isStopped ? 'stopped' : 'failed' }
  }

  /** Gives it a connection that nothing was read from. */
  give(socket: Socket): void {
    this.#child.send({ kind: 'connection' } satisfies RunnerCommand, socket, () => undefined)
  }

  /** Lets it end after the responses under way; one that does not, such as in a loop, is killed. */
  close(): void {
    this.#isStopped = true
    this.#send({ kind: 'close' })
    setTimeout(() => this.kill(), maxClosingMs).unref()
  }

  /** Ends it at once. */
  kill(): void {
    this.#isStopped = true
    this.#child.kill('SIGKILL')
  }

  get isStopped(): boolean {
    return this.#isStopped
  }

  #notice<Kind extends RunnerNotice['kind']>(
    kind: Kind,
  ): Promise<Extract<RunnerNotice, { readonly kind: Kind }>> {
    return new Promise((resolve) => {
      this.#child.on('message', (notice: RunnerNotice) => {
        if (notice.kind === kind) resolve(notice as Extract<RunnerNotice, { readonly kind: Kind }>)
      })
    })
  }

  #send(command: RunnerCommand): void {
    if (this.#child.connected) this.#child.send(command, () => undefined)
  }
}
