import { isPromise } from '../../concurrency/is-promise.ts'
import type { ErrorReporter } from '../error-reporter.ts'
import type { StartEntry } from '../log/start-entry.ts'
import { ServerTrace } from './server-trace.ts'
import type { TracedExchange } from './traced-exchange.ts'

/**
 * What becomes of traces: lines of a log, spans, or metrics. Errors of its methods are reported,
 * and so are those of promises that they return.
 */
export interface TraceSink {
  /** Called when the head of a request has arrived. */
  begin?(trace: ServerTrace): unknown
  /** Called after the last byte was sent, or when the client has left. */
  end(trace: ServerTrace, durationMs: number): unknown
  /** Called once the service listens, in one of its processes. */
  listens?(start: StartEntry): unknown
  /** Called before the first request. @param report gets errors of what it listens to */
  open?(report: ErrorReporter): void
  /** Called once no further request comes. */
  close?(): void
}

interface TraceRequestsOptions {
  /** Those that probes ask every few seconds, which would hide what clients do. Default: none. */
  readonly untracedPaths?: ReadonlySet<string>
  /** Does each response say how long its stages took? */
  readonly serverTiming: boolean
}

/**
 * Begins the trace of a request; undefined for one that is not traced.
 * @param path without the query
 */
export type BeginTrace = (
  exchange: TracedExchange,
  path: string,
  address: string | undefined,
) => ServerTrace | undefined

/**
 * Undefined where nobody wants traces, so that requests pay for none.
 */
export function traceRequests(
  sinks: readonly TraceSink[],
  report: ErrorReporter,
  { untracedPaths = new Set(), serverTiming }: TraceRequestsOptions,
): BeginTrace | undefined {
  if (sinks.length === 0 && !serverTiming) return undefined
  const tell = (call: (sink: TraceSink) => unknown): void => {
    for (const sink of sinks) {
      try {
        const outcome = call(sink)
        // The function of a log may be asynchronous; nobody else would wait for it.
        if (isPromise(outcome)) outcome.then(undefined, report)
      } catch (error) {
        report(error)
      }
    }
  }
  return (exchange, path, address) => {
    if (untracedPaths.has(path)) return undefined
    const trace = new ServerTrace(exchange, path, address, serverTiming)
    tell((sink) => sink.begin?.(trace))
    trace.end = () => {
      trace.end = () => undefined
      const durationMs = performance.now() - trace.startMs
      tell((sink) => sink.end(trace, durationMs))
    }
    return trace
  }
}
