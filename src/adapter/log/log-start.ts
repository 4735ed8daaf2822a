import { isPromise } from '../../concurrency/is-promise.ts'
import { errorReporter } from '../error-reporter.ts'
import type { TraceSink } from '../trace/trace-requests.ts'
import { logsStart, type RequestLog } from './log-options.ts'
import { type StartEntry, startText } from './start-entry.ts'

interface StartSettings {
  readonly traceSinks: readonly TraceSink[]
  readonly onError: ((error: unknown) => void) | undefined
}

/** Tells the logs of a service that it listens. */
export function logStart(
  { traceSinks, onError }: StartSettings,
  { address, stores }: StartEntry,
): void {
  const report = errorReporter(onError)
  for (const sink of traceSinks) {
    try {
      const outcome = sink.listens?.({ address, stores })
      if (isPromise(outcome)) outcome.then(undefined, report)
    } catch (error) {
      report(error)
    }
  }
}

/** The line that a command prints once it listens; undefined where its log says so. */
export function startLine(start: StartEntry, log: RequestLog | undefined): string | undefined {
  return logsStart(log) ? undefined : startText(start)
}
