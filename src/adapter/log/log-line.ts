import type { LogEntry } from './log-entry.ts'

/** A line of JSON, with the parts of an error that JSON would leave out. */
export function jsonLine({ error, ...entry }: LogEntry): string {
  return escapeControls(JSON.stringify({ ...entry, error: partsOf(error) }))
}

/** A line for people, with the time of day of this machine. */
export function readableLine(entry: LogEntry): string {
  const { status, method, route, path, durationMs, bytes, isAborted, code, caller } = entry
  const parts = [
    new Date(entry.time).toTimeString().slice(0, 8),
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

/** A terminal would obey control characters. JSON leaves some of them. */
function escapeControls(line: string): string {
  return line.replaceAll(
    /[\p{Cc}\u2028\u2029]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
