import { ApiError, hasReachedMaxProblems, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { operationOf } from '../batch-error-source.ts'
import { acquireLargeBody } from '../large-bodies.ts'
import { OperationsFailed, runBatchErrors } from '../run-batch.ts'
import { createdMeanwhile, isConflict } from './created-meanwhile.ts'
import { withUpdates } from './duplicates.ts'
import type { LineCall, LinesRequest } from './line-call.ts'
import { inLine, LinesEnded, withLineNumber } from './line-errors.ts'
import { allowedCalls } from './line-hooks.ts'
import type { LinePreferences } from './line-preferences.ts'
import { LineCounts, writtenLine } from './line-texts.ts'
import { readCalls } from './read-calls.ts'
import type { Line } from './read-lines.ts'
import { type LineOutcomes, runTogether } from './run-lines.ts'
import { StrictExtent, strictExtentErrors } from './strict-extent.ts'

export const strictLineErrors: readonly ErrorCode[] = [...strictExtentErrors, ...runBatchErrors]

/**
 * Carries out all lines in one transaction.
 * @returns the text of the response
 * @throws ApiError with the problems of all lines that cannot be read or that hooks refuse, or of
 * all that cannot be written
 */
export async function strictLines(
  request: LinesRequest,
  { mergesDuplicates, isDryRun, isMinimal }: LinePreferences,
  batches: AsyncIterable<readonly Line[]>,
): Promise<string> {
  const { context } = request
  const lines = await allLines(request, batches)
  await acquireLargeBody(
    context.request,
    lines.reduce((size, line) => size + line.size, 0),
  )
  const outcomes: LineOutcomes = new Map()
  try {
    const calls = await readCalls(request, lines)
    const resolved = mergesDuplicates ? await withUpdates(request, calls, outcomes) : calls
    const { allowed, ended } = await allowedCalls(resolved, outcomes)
    if (ended) throw ended
    refuseFailed(request, outcomes)
    const run = mergesDuplicates ? runMerging : runCalls
    for (const [line, outcome] of await run(request, allowed, isDryRun)) outcomes.set(line, outcome)
  } catch (error) {
    throw error instanceof LinesEnded ? error.cause : error
  }
  const counts = new LineCounts()
  let text = ''
  for (const [line, outcome] of outcomes) {
    counts.add(outcome)
    if (!isMinimal && outcome.kind === 'written') text += writtenLine(line.number, outcome)
  }
  return isMinimal ? counts.text() : text
}

async function allLines(
  { services: { limits } }: LinesRequest,
  batches: AsyncIterable<readonly Line[]>,
): Promise<readonly Line[]> {
  const extent = new StrictExtent(limits)
  const all: Line[] = []
  for await (const lines of batches) {
    for (const line of lines) extent.add(line)
    all.push(...lines)
  }
  return all
}

/** @throws ApiError with the problems of all lines that cannot be written */
async function runCalls(
  request: LinesRequest,
  calls: readonly LineCall[],
  isDryRun: boolean,
): Promise<LineOutcomes> {
  const outcomes = await attemptCalls(request, calls, isDryRun)
  refuseFailed(request, outcomes)
  return outcomes
}

/** Runs once more if another request has created some of the items since they were looked up. */
async function runMerging(
  request: LinesRequest,
  calls: readonly LineCall[],
  isDryRun: boolean,
): Promise<LineOutcomes> {
  const outcomes = await attemptCalls(request, calls, isDryRun)
  if (![...outcomes.values()].some(isConflict)) {
    refuseFailed(request, outcomes)
    return outcomes
  }
  // Not all conflicts are known: some stores end a transaction at the first one.
  const changes = await createdMeanwhile(request, calls)
  if (changes.length === 0) refuseFailed(request, outcomes)
  const refused: LineOutcomes = new Map()
  const { allowed, ended } = await allowedCalls(changes, refused)
  if (ended) throw ended
  refuseFailed(request, refused)
  const changeOf = new Map(allowed.map((call) => [call.line, call]))
  return runCalls(
    request,
    calls.map((call) => changeOf.get(call.line) ?? call),
    isDryRun,
  )
}

/** @returns what became of all lines, or of those that cannot be written */
async function attemptCalls(
  request: LinesRequest,
  calls: readonly LineCall[],
  isDryRun: boolean,
): Promise<LineOutcomes> {
  try {
    return await runTogether(request, calls, isDryRun, 'all')
  } catch (error) {
    if (!(error instanceof OperationsFailed)) throw error
    const failed: LineOutcomes = new Map()
    for (const failure of error.errors) {
      const operation = operationOf(failure)
      const call = calls.find((candidate) => candidate.operation === operation)
      if (!call) throw failure
      failed.set(call.line, { kind: 'failed', error: failure })
    }
    return failed
  }
}

/** @throws ApiError with the problems of all lines that failed */
function refuseFailed(request: LinesRequest, outcomes: LineOutcomes): void {
  const problems: Problem[] = []
  let omittedCount = 0
  for (const [line, outcome] of outcomes) {
    if (outcome.kind !== 'failed') continue
    const error = inDocument(request, line, outcome.error)
    if (!(error instanceof ApiError)) throw error
    omittedCount += error.omittedCount
    if (hasReachedMaxProblems(problems)) omittedCount += error.problems.length
    else problems.push(...error.problems)
  }
  refuseAll(problems, omittedCount)
}

function inDocument({ lines }: LinesRequest, { number }: Line, error: unknown): unknown {
  const located = inLine(error, lines)
  return located instanceof ApiError ? withLineNumber(located, number) : located
}
