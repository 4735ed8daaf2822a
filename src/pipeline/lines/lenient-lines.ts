import { yieldIfBusy, yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import { acquireLargeBody, releaseLargeBody } from '../large-bodies.ts'
import { createdMeanwhile, isConflict } from './created-meanwhile.ts'
import { withoutDuplicates, withUpdates } from './duplicates.ts'
import type { LineCall, LinesRequest } from './line-call.ts'
import { failedLine, LinesEnded } from './line-errors.ts'
import { allowedCalls } from './line-hooks.ts'
import type { LinePreferences } from './line-preferences.ts'
import { LineCounts, writtenLine } from './line-texts.ts'
import { readCalls } from './read-calls.ts'
import type { Line } from './read-lines.ts'
import { type LineOutcomes, runEach } from './run-lines.ts'

/** Errors of the body after some lines are carried out: the response has begun. */
const afterLast = 1

/** Carries out the lines in batches, as the client reads what became of them. */
export async function* lenientLines(
  request: LinesRequest,
  preferences: LinePreferences,
  batches: AsyncIterable<readonly Line[]>,
): AsyncGenerator<string, void> {
  const counts = new LineCounts()
  let nextLine: number | undefined
  const textOf = async (lines: readonly Line[], outcomes: LineOutcomes) => {
    let text = ''
    for (const line of lines) {
      await yieldIfBusy(request.context)
      const outcome = outcomes.get(line)
      if (!outcome) continue
      counts.add(outcome)
      if (outcome.kind === 'failed') text += failedLine(request, line.number, outcome.error)
      else if (!preferences.isMinimal) text += writtenLine(line.number, outcome)
    }
    return text
  }
  try {
    for await (const lines of batches) {
      request.progress?.begin(lines[0]!.number)
      const outcomes: LineOutcomes = new Map()
      const ended = await runBatch(request, preferences, lines, outcomes)
      const undone = ended ? lines.find((line) => !outcomes.has(line)) : undefined
      const done = undone ? lines.slice(0, lines.indexOf(undone)) : lines
      const text = await textOf(done, outcomes)
      nextLine = undone?.number ?? lines.at(-1)!.number + afterLast
      if (text !== '') yield text
      if (ended) {
        // A job goes on later.
        if (request.progress) throw ended.cause
        yield failedLine(request, nextLine, ended.cause)
        break
      }
      await yieldToEventLoop(request.context)
    }
  } catch (error) {
    request.context.signal.throwIfAborted()
    // Nothing is sent yet, so the error is the response.
    if (nextLine === undefined || request.progress) throw error
    yield failedLine(request, nextLine, error)
  }
  if (preferences.isMinimal) yield counts.text()
}

/** @returns why the next lines are not carried out */
async function runBatch(
  request: LinesRequest,
  preferences: LinePreferences,
  lines: readonly Line[],
  outcomes: LineOutcomes,
): Promise<LinesEnded | undefined> {
  const { request: httpRequest } = request.context
  await acquireLargeBody(
    httpRequest,
    lines.reduce((size, line) => size + line.size, 0),
  )
  try {
    const calls = await readCalls(request, lines)
    const groups = preferences.mergesDuplicates ? withoutDuplicates(request, calls) : [calls]
    for (const group of groups) {
      const resolved = preferences.mergesDuplicates
        ? await withUpdates(request, group, outcomes)
        : group
      const { allowed, ended } = await allowedCalls(resolved, outcomes)
      await runEach(request, allowed, preferences.isDryRun, outcomes)
      if (preferences.mergesDuplicates)
        await runConflicts(request, allowed, preferences.isDryRun, outcomes)
      if (ended) return ended
    }
    return undefined
  } catch (error) {
    if (error instanceof LinesEnded) return error
    throw error
  } finally {
    releaseLargeBody(httpRequest)
  }
}

/** Changes the items that another request has created since they were looked up. */
async function runConflicts(
  request: LinesRequest,
  calls: readonly LineCall[],
  isDryRun: boolean,
  outcomes: LineOutcomes,
): Promise<void> {
  const conflicts = calls.filter(({ line }) => isConflict(outcomes.get(line)))
  if (conflicts.length === 0) return
  const changes = await createdMeanwhile(request, conflicts)
  // At the end of the points of a client these lines keep their conflicts.
  const { allowed } = await allowedCalls(changes, outcomes)
  await runEach(request, allowed, isDryRun, outcomes)
}
