import type { ServerResponse } from 'node:http'
import type { ErrorReporter } from './error-reporter.ts'

/** A request with its response, after the last byte was sent or the client has left. */
export interface LogEntry {
  /** When the request arrived, as an ISO 8601 date-time. */
  readonly time: string
  readonly method: string
  /** The percent-encoded path, without the query: tokens and personal data often stand there. */
  readonly path: string
  /** Undefined if the client left before the response. */
  readonly status: number | undefined
  /** The bytes sent, with those of the head. */
  readonly bytes: number
  readonly durationMs: number
  /** The address of the client; see `trustProxy`. */
  readonly address: string | undefined
  /** Has the client left before the end of the response? */
  readonly isAborted: boolean
}

/**
 * Called with each request. `true` prints each entry as a line of JSON to standard output, `false`
 * none.
 */
export type RequestLog = boolean | ((entry: LogEntry) => void)

/** Notes the beginning of a request, and logs it when its response has ended. */
export type LogRequest = (res: ServerResponse, path: string, address: string | undefined) => void

export function requestLog(log: Exclude<RequestLog, false>, report: ErrorReporter): LogRequest {
  const write = log === true ? printEntry : log
  return (res, path, address) => {
    const time = new Date().toISOString()
    const startedAt = performance.now()
    const { method = '', socket } = res.req
    const bytesBefore = socket.bytesWritten
    res.once('close', () => {
      try {
        write({
          time,
          method,
          path,
          status: res.headersSent ? res.statusCode : undefined,
          // Requests that tests inject have no bytes.
          bytes: socket.bytesWritten - bytesBefore || 0,
          durationMs: Math.round((performance.now() - startedAt) * 10) / 10,
          address,
          isAborted: !res.writableFinished,
        })
      } catch (error) {
        report(error)
      }
    })
  }
}

/** Without control characters, which a terminal would obey: JSON leaves some of them. */
function printEntry(entry: LogEntry): void {
  const line = JSON.stringify(entry).replaceAll(
    /[\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  process.stdout.write(`${line}\n`)
}
