import { isPromise } from '../../concurrency/is-promise.ts'
import type { ServerTrace } from '../trace/server-trace.ts'
import type { TraceSink } from '../trace/trace-requests.ts'
import type { LogEntry } from './log-entry.ts'
import { jsonLine, jsonStartLine, readableLine, readableStartLine } from './log-line.ts'
import { type LogOptions, type RequestLog, resolveLog } from './log-options.ts'
import { listensAt } from './start-entry.ts'

/** @throws RegistrationError for invalid options */
export function logSink(log: Exclude<RequestLog, false>, owner: string): TraceSink {
  const options = resolveLog(log, owner)
  const write = writerTo(options.to)
  return {
    listens: startWriterTo(options.to),
    end(trace, durationMs) {
      const caller = callerOf(trace, options.callerId)
      const outcome = write(entryOf(trace, durationMs, options.withPath === true, caller))
      // After the entry, which says the more of the two.
      if (caller.kind === 'unknown') throw caller.reason
      return outcome
    },
  }
}

/** Who sent a request, as the option says, if it does. */
type Caller =
  | { readonly kind: 'known'; readonly id: string | undefined }
  | { readonly kind: 'unknown'; readonly reason: unknown }

function callerOf({ caller }: ServerTrace, callerId: LogOptions['callerId']): Caller {
  if (callerId === undefined || caller === undefined) return { kind: 'known', id: undefined }
  try {
    const id: unknown = callerId(caller)
    if (id === undefined || typeof id === 'string') return { kind: 'known', id }
    if (isPromise(id)) id.then(undefined, () => undefined)
    const reason = new TypeError(
      "The option 'callerId' of a log must return a string or undefined.",
    )
    return { kind: 'unknown', reason }
  } catch (reason) {
    return { kind: 'unknown', reason }
  }
}

function entryOf(
  trace: ServerTrace,
  durationMs: number,
  withPath: boolean,
  caller: Caller,
): LogEntry {
  const { template, path, address, requestId, traceId, code, error } = trace
  const { method, status, bytes, isFinished } = trace.exchange
  return {
    time: new Date(performance.timeOrigin + trace.startMs).toISOString(),
    method,
    route: template,
    ...(withPath && { path }),
    status,
    bytes,
    durationMs: Math.round(durationMs * 10) / 10,
    address,
    isAborted: !isFinished && error === undefined,
    requestId,
    traceId,
    ...(caller.kind === 'known' && caller.id !== undefined && { caller: caller.id }),
    ...(code !== undefined && (!isFinished || (status !== undefined && status >= 400)) && { code }),
    ...(error !== undefined && { error }),
  }
}

/** A function gets requests alone. */
function startWriterTo(to: LogOptions['to']): TraceSink['listens'] & {} {
  if (typeof to === 'function') return () => undefined
  if (to) return (start) => to.info(start, listensAt(start))
  const lineOf = process.stdout.isTTY ? readableStartLine : jsonStartLine
  return (start) => console.log(lineOf(start, new Date().toISOString()))
}

function writerTo(to: LogOptions['to']): (entry: LogEntry) => unknown {
  if (to === undefined) {
    const lineOf = process.stdout.isTTY ? readableLine : jsonLine
    // Unlike `process.stdout.write`, it goes on where nobody reads any more.
    return (entry) => console.log(lineOf(entry))
  }
  if (typeof to === 'function') return to
  return ({ time: _, error, ...fields }) => {
    // Loggers have a time of their own, and pino takes an error apart by this name.
    const entry = error === undefined ? fields : { ...fields, err: error }
    const message = `${fields.method} ${fields.route ?? '-'} ${fields.status ?? 'aborted'}`
    const isError = fields.status !== undefined && fields.status >= 500
    return isError ? to.error(entry, message) : to.info(entry, message)
  }
}
