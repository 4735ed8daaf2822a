import { withTimeout } from '../../concurrency/with-timeout.ts'
import type { CommittedWrite, WriteCause } from '../../context/write-hooks.ts'
import { CommitHookTimeout } from '../../error/hook-timeout.ts'
import type { WriteSteps } from './write-steps.ts'

interface CommitCall {
  readonly hook: WriteSteps['afterCommit'][number]
  readonly write: CommittedWrite<unknown>
}

export interface CommitCallServices {
  /** How long a hook may take, and how long the caller waits for all of them. */
  readonly hookTimeoutMs: number
  report(error: unknown, cause: WriteCause): void
}

/** The hooks that wait for the end of a transaction, in the order of the writes. */
export class CommitCalls {
  readonly #services: CommitCallServices
  readonly #calls: CommitCall[] = []

  constructor(services: CommitCallServices) {
    this.#services = services
  }

  add(hooks: WriteSteps['afterCommit'], write: CommittedWrite<unknown>): void {
    for (const hook of hooks) this.#calls.push({ hook, write })
  }

  /** Runs the hooks. Those that are left when the time is over run while nobody waits. */
  async run(): Promise<void> {
    const timeoutMs = this.#services.hookTimeoutMs
    const isOver = new Error()
    await withTimeout(this.#runAll(), { timeoutMs, timeoutError: () => isOver }).catch(() => {})
  }

  async #runAll(): Promise<void> {
    for (const { hook, write } of this.#calls) {
      const report = (error: unknown): void => this.#services.report(error, write.cause)
      try {
        await this.#limited(async () => hook(write as never), report)
      } catch (error) {
        report(error)
      }
    }
  }

  /** An error that comes after the timeout is reported too. */
  async #limited(run: () => Promise<void>, report: (error: unknown) => void): Promise<void> {
    const timeoutMs = this.#services.hookTimeoutMs
    const running = run()
    const timeoutError = () => {
      running.catch(report)
      return new CommitHookTimeout(timeoutMs)
    }
    await withTimeout(running, { timeoutMs, timeoutError })
  }
}
