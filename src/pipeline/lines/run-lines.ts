import type { BeginObserver } from '../../store/write-observer.ts'
import { operationOf } from '../batch-error-source.ts'
import { type BatchResult, type ReportedFailures, runBatch } from '../run-batch.ts'
import type { LineCall, LinesRequest } from './line-call.ts'
import { endsLines, LinesEnded } from './line-errors.ts'
import type { WrittenLines } from './line-progress.ts'
import type { Line } from './read-lines.ts'

/** What became of a line. */
export type LineOutcome =
  | {
      readonly kind: 'written'
      readonly status: 200 | 201
      /** Undefined if it is undone, and nobody chose it. */
      readonly id: string | undefined
    }
  | { readonly kind: 'failed'; readonly error: unknown }

export type LineOutcomes = Map<Line, LineOutcome>

/** Ends a transaction that is undone, with what it has done. */
class DryRunEnded extends Error {
  override readonly name = 'DryRunEnded'
  readonly results: readonly BatchResult[]

  constructor(results: readonly BatchResult[]) {
    super('The transaction is undone.')
    this.results = results
  }
}

/** Undoes the transaction once all has been done that can refuse it. */
const undone: BeginObserver = {
  // The last write of a transaction would commit it.
  isFollowed: () => true,
  beforeCommit: (_, results) => Promise.reject(new DryRunEnded(results as BatchResult[])),
}

/** Carries out the lines in one transaction: all of them, or none. */
export async function runTogether(
  { services, context, progress }: LinesRequest,
  calls: readonly LineCall[],
  isDryRun: boolean,
  reported: ReportedFailures,
): Promise<LineOutcomes> {
  if (calls.length === 0) return new Map()
  const run = (recorder?: BeginObserver) => runBatch(services, calls, context, recorder, reported)
  const results = isDryRun
    ? await run(undone).catch((error: unknown) => {
        if (error instanceof DryRunEnded) return error.results
        throw error
      })
    : await (progress ? progress.commit(writtenBy(calls), run) : run())
  if (isDryRun) progress?.noteUndone(writtenBy(calls))
  return new Map(
    calls.map((call, index) => [call.line, outcomeOf(call, results[index]!, isDryRun)]),
  )
}

function writtenBy(calls: readonly LineCall[]): WrittenLines {
  const created = calls.filter(({ operation }) => operation.method === 'POST').length
  const lines = calls.map(({ line }) => line.number)
  return { lines, created, updated: calls.length - created }
}

function outcomeOf({ payload }: LineCall, { result }: BatchResult, isDryRun: boolean): LineOutcome {
  if (result.kind !== 'created' && result.kind !== 'item')
    throw new Error(`A line has the unexpected result '${result.kind}'.`)
  const { id } = result.item
  if (result.kind === 'item') return { kind: 'written', status: 200, id }
  return { kind: 'written', status: 201, id: isDryRun && !payload.id ? undefined : id }
}

/**
 * Carries out the lines in one transaction. If one of them fails, those before it get a transaction
 * of their own, and those after it another one.
 * @throws LinesEnded
 */
export async function runEach(
  request: LinesRequest,
  calls: readonly LineCall[],
  isDryRun: boolean,
  outcomes: LineOutcomes,
): Promise<void> {
  let rest = calls
  while (rest.length > 0) {
    try {
      for (const [line, outcome] of await runTogether(request, rest, isDryRun, 'first'))
        outcomes.set(line, outcome)
      return
    } catch (error) {
      if (endsLines(error)) throw new LinesEnded(error)
      request.context.signal.throwIfAborted()
      const operation = operationOf(error)
      const index = rest.length === 1 ? 0 : rest.findIndex((call) => call.operation === operation)
      if (index < 0) {
        // Nothing says which line it is.
        for (const call of rest) await runEach(request, [call], isDryRun, outcomes)
        return
      }
      await runEach(request, rest.slice(0, index), isDryRun, outcomes)
      outcomes.set(rest[index]!.line, { kind: 'failed', error })
      rest = rest.slice(index + 1)
    }
  }
}
