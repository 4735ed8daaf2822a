import type { ServerResponse } from 'node:http'
import type { ApiResponse } from '../http/api-response.ts'
import type { SendContext } from './node-watch-reader.ts'
import { checkLines, isFramingHeader } from './response-head.ts'

/**
 * A flat list of names and values, which Node writes fastest.
 * @throws for values that are no texts, which Node would write as such
 */
export function headerLines(
  { headers }: ApiResponse,
  length: string | undefined,
  close: boolean,
): string[] {
  const lines: string[] = []
  for (const name in headers) {
    if (isFramingHeader(name)) continue
    const value = headers[name]!
    if (typeof value === 'string') lines.push(name, value)
    else {
      checkLines(name, value)
      for (const line of value) lines.push(name, line)
    }
  }
  if (length !== undefined) lines.push('content-length', length)
  if (close) lines.push('connection', 'close')
  return lines
}

/** Writes the status and the headers. */
export function writeHead(
  res: ServerResponse,
  status: number,
  lines: string[],
  { host }: SendContext,
): void {
  if (host === 'own') res.writeHead(status, lines)
  else {
    setHeaders(res, lines)
    res.writeHead(status)
  }
}

/** Headers of the framework that differ in value give way, except those that are lists. */
function setHeaders(res: ServerResponse, lines: readonly string[]): void {
  const values = new Map<string, string[]>()
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index]!.toLowerCase()
    const value = lines[index + 1]!
    const earlier = values.get(name)
    if (earlier) earlier.push(value)
    else values.set(name, [...ownValues(res, name), value])
  }
  for (const [name, list] of values) {
    if (name === 'vary') res.setHeader(name, list.join(', '))
    else res.setHeader(name, list.length === 1 ? list[0]! : list)
  }
}

/** The values that the framework has set, for headers that keep them. */
function ownValues(res: ServerResponse, name: string): string[] {
  if (name !== 'vary' && name !== 'set-cookie') return []
  return [res.getHeader(name) ?? []].flat().map(String)
}
