import { resolve } from 'node:path'
import { startText } from '../../adapter/log/start-entry.ts'
import type { ServiceFacts, TypedOptions } from './dev-messages.ts'
import { DevPort } from './dev-port.ts'
import { changedRoutes, localAddress, nameFiles } from './dev-report.ts'
import { RunnerProcess } from './runner-process.ts'
import { FileWatcher } from './watch-files.ts'

export interface DevSettings {
  /** The program of the processes that serve. */
  readonly program: URL
  readonly file: string
  readonly typed: TypedOptions
  print(text: string): void
}

/**
 * Serves a file, and serves it anew whenever a file that it imports changes. The previous version
 * goes on until the next one responds, and then finishes its requests.
 */
export class DevService {
  readonly #settings: DevSettings
  readonly #port = new DevPort()
  readonly #watcher = new FileWatcher((paths) => this.#onChange(paths))
  /** Has loaded the packages of the previous version, and waits for the next one. */
  #spare: RunnerProcess
  #starting: RunnerProcess | undefined
  /** The version that gets connections. */
  #current: RunnerProcess | undefined
  readonly #running = new Set<RunnerProcess>()
  /** Undefined until a version has run. */
  #facts: ServiceFacts | undefined
  #files: readonly string[]
  #changed: readonly string[] = []
  #wake: () => void = () => undefined
  #isClosing = false

  constructor(settings: DevSettings) {
    this.#settings = settings
    this.#files = [resolve(settings.file)]
    this.#spare = this.#newRunner([])
  }

  /** Serves until `close`. @throws Error if the port cannot be listened on */
  async run(): Promise<void> {
    try {
      await this.#replace([])
      while (!this.#isClosing) {
        const changed = await this.#nextChange()
        if (!this.#isClosing) await this.#replace(changed)
      }
    } finally {
      await this.close()
    }
  }

  /** Ends when the requests under way have their responses. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#wake()
    this.#watcher.close()
    this.#port.close()
    this.#spare.kill()
    this.#starting?.kill()
    this.#current?.close()
    await Promise.all([...this.#running].map(({ exited }) => exited))
  }

  /** Ends at once. */
  kill(): void {
    for (const runner of this.#running) runner.kill()
  }

  #newRunner(packages: readonly string[]): RunnerProcess {
    const { program, file } = this.#settings
    const runner = new RunnerProcess(program, file, packages)
    this.#running.add(runner)
    void runner.exited.then(() => {
      this.#running.delete(runner)
      if (runner === this.#current && !runner.isStopped) this.#onCrash(runner)
    })
    return runner
  }

  #onChange(paths: readonly string[]): void {
    this.#changed = [...new Set([...this.#changed, ...paths])]
    this.#starting?.kill()
    this.#wake()
  }

  async #nextChange(): Promise<readonly string[]> {
    if (this.#changed.length === 0 && !this.#isClosing)
      await new Promise<void>((done) => {
        this.#wake = done
      })
    const changed = this.#changed
    this.#changed = []
    return changed
  }

  async #replace(changed: readonly string[]): Promise<void> {
    const { file, typed } = this.#settings
    const startMs = performance.now()
    this.#port.pause()
    const runner = this.#spare
    this.#starting = runner
    // The file is watched while it is imported: a save meanwhile makes another version.
    this.#watcher.watch(this.#files)
    const outcome = await runner.run(file, typed)
    this.#starting = undefined
    if (this.#isClosing) return runner.kill()
    const { files, packages } = runner.imports
    const isServing = outcome.kind === 'serving'
    const before = isServing ? [] : this.#files
    this.#files = [...new Set([resolve(file), ...files, ...before])]
    this.#watcher.watch(this.#files)
    if (isServing) await this.#use(runner, outcome.facts, changed, performance.now() - startMs)
    else if (outcome.kind === 'failed') this.#sayWhatGoesOn()
    // A version that was stopped is followed by another one, which the connections wait for.
    if (outcome.kind !== 'stopped') this.#port.resume(this.#current)
    this.#spare = this.#newRunner(packages)
  }

  async #use(
    runner: RunnerProcess,
    facts: ServiceFacts,
    changed: readonly string[],
    durationMs: number,
  ): Promise<void> {
    const { print } = this.#settings
    const before = this.#facts
    this.#facts = facts
    const previous = this.#current
    this.#current = runner
    previous?.close()
    if (before) {
      print(`Restarted in ${Math.round(durationMs)} ms: ${nameFiles(changed)} changed.`)
      for (const line of changedRoutes(before.routes, facts.routes)) print(`  ${line}`)
      return
    }
    const { port } = await this.#port.listen(facts.port, facts.host)
    const address = localAddress(facts.host, port)
    print(`${facts.routes.join('\n')}\n\n${startText({ address, stores: facts.stores })}`)
    runner.onPages = (paths) => {
      for (const path of paths) print(`Page for browsers: ${address}${path}`)
    }
  }

  #sayWhatGoesOn(): void {
    const goesOn = this.#current ? 'The previous version is still running. ' : ''
    this.#settings.print(`\n${goesOn}Waiting for a change of its files.`)
  }

  #onCrash(runner: RunnerProcess): void {
    this.#current = undefined
    this.#settings.print(`\nThe service has ended (${runner.exitCode}).`)
    this.#sayWhatGoesOn()
    if (!this.#starting) this.#port.resume(undefined)
  }
}
