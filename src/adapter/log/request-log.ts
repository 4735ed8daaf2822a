import type { ServerTrace } from '../trace/server-trace.ts'
import type { TraceSink } from '../trace/trace-requests.ts'
import type { LogEntry } from './log-entry.ts'
import { jsonLine, readableLine } from './log-line.ts'
import { type LogOptions, type RequestLog, resolveLog } from './log-options.ts'

/** @throws RegistrationError for invalid options */
export function logSink(log: Exclude<RequestLog, false>, owner: string): TraceSink {
  const options = resolveLog(log, owner)
  const write = writerTo(options.to)
  return { end: (trace, durationMs) => write(entryOf(trace, durationMs, options)) }
}

function entryOf(
  trace: ServerTrace,
  durationMs: number,
  { withPath, callerId }: LogOptions,
): LogEntry {
  const { template, path, address, requestId, traceId, caller, code, error } = trace
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
    isAborted: !isFinished,
    requestId,
    traceId,
    ...(callerId && caller !== undefined && { caller: callerId(caller) }),
    ...(code !== undefined && status !== undefined && status >= 400 && { code }),
    ...(error !== undefined && { error }),
  }
}

function writerTo(to: LogOptions['to']): (entry: LogEntry) => void {
  if (to === undefined) {
    const lineOf = process.stdout.isTTY ? readableLine : jsonLine
    return (entry) => void process.stdout.write(`${lineOf(entry)}\n`)
  }
  if (typeof to === 'function') return to
  return ({ time: _, error, ...fields }) => {
    // Loggers have a time of their own, and pino takes an error apart by this name.
    const entry = error === undefined ? fields : { ...fields, err: error }
    const message = `${fields.method} ${fields.route ?? '-'} ${fields.status ?? 'aborted'}`
    if (fields.status !== undefined && fields.status >= 500) to.error(entry, message)
    else to.info(entry, message)
  }
}
