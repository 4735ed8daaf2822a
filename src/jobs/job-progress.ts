import { type Lease, LeaseLost } from '../background/lease.ts'
import { respond } from '../http/api-response.ts'
import { refuseLinesOfAction } from '../pipeline/defer-action.ts'
import type { LineProgress, WrittenLines } from '../pipeline/lines/line-progress.ts'
import type { OperationRunner } from '../pipeline/model-endpoint.ts'
import type { BeginObserver } from '../store/write-observer.ts'
import type { JobRow } from './job-rows.ts'
import type { LineOutcomes } from './line-outcomes.ts'

/** Commits how far the lines of a job are, in the transactions that carry them out. */
export class JobProgress implements LineProgress {
  readonly #lease: Lease<JobRow>
  readonly #outcomes: LineOutcomes

  constructor(lease: Lease<JobRow>, outcomes: LineOutcomes) {
    this.#lease = lease
    this.#outcomes = outcomes
  }

  isDone(line: number): boolean {
    return this.#outcomes.isDone(line)
  }

  begin(line: number): void {
    this.#outcomes.begin(line)
  }

  async commit<T>(written: WrittenLines, run: (recorder: BeginObserver) => Promise<T>): Promise<T> {
    const facts = { ...this.#outcomes.factsWith(written), attempts: 0 }
    const result = await inTransactionOf(this.#lease, facts, run)
    this.#outcomes.addWritten(written)
    return result
  }

  noteUndone(written: WrittenLines): void {
    this.#outcomes.addWritten(written)
  }
}

/** Commits that the action of a job has run, in its transaction. */
export function actionRunner(lease: Lease<JobRow>): OperationRunner {
  return {
    addBody: () => undefined,
    refuseLines: refuseLinesOfAction,
    run: async (endpoint, request) => {
      try {
        return await inTransactionOf(lease, { actedCount: 1 }, (recorder) =>
          endpoint.operate(request, recorder),
        )
      } catch (error) {
        // The job is deleted, or another process has it: nobody gets this response.
        if (error instanceof LeaseLost) return { kind: 'response', response: respond(409) }
        throw error
      }
    },
  }
}

/** Runs a transaction that changes the row of the job too, if this process still has the job. */
async function inTransactionOf<T>(
  lease: Lease<JobRow>,
  changes: Partial<JobRow>,
  run: (recorder: BeginObserver) => Promise<T>,
): Promise<T> {
  let result: { readonly value: T } | undefined
  await lease.change(changes, async (commit) => {
    const value = await run({
      // The last write of a transaction would commit it.
      isFollowed: () => true,
      // An action that has to be called again returns nothing, and has written nothing.
      beforeCommit: (transaction, outcome) =>
        outcome === undefined ? undefined : commit(transaction),
    })
    result = { value }
  })
  return result!.value
}
