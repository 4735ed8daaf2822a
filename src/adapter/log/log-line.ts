import type { LogEntry } from './log-entry.ts'
import { listensAt, type StartEntry, startText } from './start-entry.ts'

/** A line of JSON, with the parts of an error that JSON would leave out. */
export function jsonLine({ error, ...entry }: LogEntry): string {
  return escapeControls(JSON.stringify({ ...entry, error: partsOf(error) }))
}

/** A line for people, with the time of day of this machine. */
export function readableLine(entry: LogEntry): string {
  const { status, method, route, path, durationMs, bytes, isAborted, code, caller } = entry
  const parts = [
    timeOfDay(entry.time),
    status ?? '---',
    method,
    path ?? route ?? '-',
    `${durationMs} ms`,
    `${bytes} B`,
    code,
    isAborted ? 'aborted' : undefined,
    caller,
    entry.requestId,
  ]
  return escapeControls(parts.filter((part) => part !== undefined).join('  '))
}

function partsOf(error: unknown): object | undefined {
  if (error === undefined) return undefined
  if (!(error instanceof Error)) return { message: String(error) }
  const { name, message, stack } = error
  return { name, message, stack }
}

/** The line of JSON that says that a service listens. */
export function jsonStartLine(start: StartEntry, time: string): string {
  return escapeControls(JSON.stringify({ time, message: listensAt(start), ...start }))
}

/** The same for people. */
export function readableStartLine(start: StartEntry, time: string): string {
  return escapeControls(`${timeOfDay(time)}  ${startText(start)}`)
}

function timeOfDay(time: string): string {
  return new Date(time).toTimeString().slice(0, 8)
}

/** A terminal would obey control characters. JSON leaves some of them. */
function escapeControls(line: string): string {
  return line.replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
